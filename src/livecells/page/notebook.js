// The reader's own copy of the page's notebook: the lab with their edits in it.

import { make } from "./dom.js";

/**
 * Give the reader the notebook that the page was made from, with the edited cells.
 *
 * `notebook` is {address, name, cells: {id: place in the notebook}}.
 */
export async function downloadNotebook(notebook, cells) {
  const response = await fetch(new URL(notebook.address, document.baseURI));
  if (!response.ok) throw new Error(`the server says ${response.status}`);
  const lab = withEdits(await response.json(), notebook.cells, cells);
  const file = new Blob([`${JSON.stringify(lab, null, 1)}\n`], {
    type: "application/x-ipynb+json",
  });
  const address = URL.createObjectURL(file);
  const link = make("a", { href: address, download: notebook.name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** `lab` with the sources of edited cells, whose outputs are then not theirs. */
export function withEdits(lab, places, cells) {
  for (const { id, isEdited, source } of cells) {
    const cell = lab.cells[places[id]];
    if (!isEdited || cell?.cell_type !== "code") continue;
    cell.source = source.split(/(?<=\n)/);
    cell.outputs = [];
    cell.execution_count = null;
  }
  return lab;
}
