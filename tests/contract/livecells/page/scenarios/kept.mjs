// A reader's work: kept by the browser, and given as a notebook.

import { Book } from "../../../../site/live/book.mjs";

const LAB = "lab.html";

/**
 * Wait until another page of the browser finds these texts kept, by cell.  Firefox hands on
 * in its own time what one page has stored, and may lose it if the page closes first.
 */
async function foundElsewhere(t, context, texts) {
  const other = await Book.open(t, LAB, { context });
  await other.until(
    `what is kept of ${Object.keys(texts)}`,
    (texts) =>
      Object.entries(texts).every(([cell, text]) =>
        Object.keys(localStorage).some(
          (name) => name.endsWith(` ${cell}`) && localStorage.getItem(name).includes(text),
        ),
      ),
    texts,
  );
  await other.page.close();
}

/** An edit is there on the next visit, until Reset; one of an earlier edition is offered. */
export async function edits_are_kept(t) {
  const context = await t.context();
  const edit = "print('mine')";
  let book = await Book.open(t, LAB, { context });
  await book.edit("cell-second", edit);
  await book.edit("cell-third", "print('another')");
  await foundElsewhere(t, context, { second: "mine", third: "another" });
  await book.page.close();

  book = await Book.open(t, LAB, { context });
  t.equal(await book.source("cell-second"), edit, "the edit on the next visit");
  t.equal(await book.state("cell-second"), "edited", "its cell");
  await book.press("cell-second", "reset");
  // As if the book had changed the cell since.
  await book.page.evaluate(() => {
    const [key] = Object.keys(localStorage).filter((name) => name.endsWith(" third"));
    const kept = JSON.parse(localStorage.getItem(key));
    localStorage.setItem(key, JSON.stringify({ ...kept, built: "00000000" }));
  });
  await foundElsewhere(t, context, { third: "00000000" });
  await book.page.close();

  book = await Book.open(t, LAB, { context });
  t.equal(await book.source("cell-second"), "print(x + 2)", "the cell after Reset");
  t.equal(await book.source("cell-third"), "print('alone')", "the cell of a new edition");
  await book.click("#cell-third .livecell-show-earlier");
  t.equal(await book.source("cell-third"), "print('another')", "the earlier edit");
}

/** The notebook that a reader takes along has their edits, and is else the book's. */
export async function notebook_with_edits(t) {
  const book = await Book.open(t, LAB);
  await book.edit("cell-second", "print('mine')\nprint('two')");
  await book.page.evaluate(() => {
    const make = URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => {
      window.given = blob;
      return make(blob);
    };
    HTMLAnchorElement.prototype.click = function () {
      window.named = this.download;
    };
  });
  await book.click(".livecells-download");
  await book.until("the notebook", () => Boolean(window.named));
  const { name, lab } = await book.page.evaluate(async () => ({
    name: window.named,
    lab: JSON.parse(await window.given.text()),
  }));
  t.equal(name, "lab.ipynb", "its name");
  const of = (id) => lab.cells.find((cell) => cell.id === id);
  const source = (id) => [of(id).source].flat().join("");
  t.equal(source("second"), "print('mine')\nprint('two')", "the edited cell");
  t.equal(source("third"), "print('alone')", "another cell");
  t.equal(of("second").outputs, [], "the outputs of the edited cell");
  t.equal(of("third").outputs.length, 1, "the outputs of another cell");
}

/** The link that a reader shares opens to their edit; it is kept only when it is taken over. */
export async function shared_link(t) {
  const edit = "print('shared — ✓')\n\nprint(1 + 1)";
  let book = await Book.open(t, LAB);
  await book.edit("cell-third", edit);
  await book.press("cell-third", "share");
  const shared = await book.until("the link", () => window.copied);
  await book.page.close();

  const context = await t.context();
  const hash = new URL(shared).hash;
  book = await Book.open(t, LAB, { context, hash });
  t.equal(await book.source("cell-third"), edit, "the source of the link");
  await book.runs("cell-third");
  t.equal((await book.shown("cell-third")).trim(), "shared — ✓\n2", "its output");
  await book.page.close();
  book = await Book.open(t, LAB, { context });
  t.equal(await book.source("cell-third"), "print('alone')", "a visit without the link");
  await book.page.close();
  book = await Book.open(t, LAB, { context, hash });
  await book.click("#cell-third .livecell-keep");
  await foundElsewhere(t, context, { third: "shared" });
  await book.page.close();
  book = await Book.open(t, LAB, { context });
  t.equal(await book.source("cell-third"), edit, "a visit after the edit was kept");
}
