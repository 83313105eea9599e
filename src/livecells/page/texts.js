// How wide a text is, and whether its lines are columns: as the build says it of its own
// outputs (sphinx/texts.py), for the same style.

const TWO_GAPS = /(?:\S {2,}(?=\S).*?){2}/;
const WIDEST = 95; // columns; a table that is wider wraps like words

/** Say on the block of an output what its text is. */
export function tellSize(block, text) {
  let columns = 0;
  let rows = 0;
  for (const line of text.split("\n").map((raw) => raw.trimEnd())) {
    columns = Math.max(columns, [...line].length);
    if (TWO_GAPS.test(line)) rows += 1;
  }
  if (rows > 1 && columns <= WIDEST) {
    // Where the build has it among the names.
    block.className = block.className.replace(" highlight", " livecell-table highlight");
  }
  block.style.setProperty("--livecell-columns", columns);
}
