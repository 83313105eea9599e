// What the page shows after a run is what the build shows, to the byte.

import { Book, fromSnapshot } from "../book.mjs";

/** Run every cell of a page; the lines of what then differs from the build. */
async function runAll(t, site, path) {
  const book = await Book.open(t, site, path);
  await book.runAll();
  return book.differences();
}

/**
 * Every live cell of a page, with one Run all: every page in Chromium, each third in Firefox.
 *
 * Python is the same in both; what a browser does of its own with outputs is the same
 * on all pages.
 */
export async function every_cell(t) {
  const site = await t.serve();
  const { live } = await t.pagesOfTheBook();
  t.check(live.length, "the book has no page with live cells");
  const wrong = [];
  let cells = 0;
  for (const { path } of t.sampled(live)) {
    const book = await Book.open(t, site, path, { keeps: true });
    const ids = await book.cells();
    const started = performance.now();
    t.equal(await book.runAll(), "done", `Run all on ${path}`);
    t.notes[path] = `${ids.length} cells, ${seconds(started)} s`;
    const built = await book.built();
    t.equal(Object.keys(built), ids, `${path}: the cells of the page`);
    const shown = ids.filter((id) => built[id]);
    t.check(shown.length, `${path}: no live cell has an output`);
    wrong.push(...(await book.differences(ids)));
    cells += ids.length;
    await book.page.close();
  }
  t.notes.cells = cells;
  t.check(!wrong.length, wrong.join("\n"));
}

/** A second visit starts from the stored snapshot; a broken one is passed over. */
export async function second_visit(t) {
  const site = await t.serve();
  const { path, cell } = await t.sample();
  const context = await t.context();

  async function visit(what, boot) {
    const once = async () => {
      const book = await Book.open(t, site, path, { context });
      const started = performance.now();
      t.equal(await book.run(cell), "ran", `a run on the ${what}`);
      t.notes[what] = `${seconds(started)} s`;
      t.equal(await book.differences([cell]), [], `the output on the ${what}`);
      return book;
    };
    const book = await (boot === "snapshot" ? fromSnapshot(once) : once());
    t.equal(await book.boot(), boot, `the start of Python on the ${what}`);
    return book;
  }

  let book = await visit("first visit", "normal");
  await book.stored();
  await book.page.close();
  book = await visit("second visit", "snapshot");
  t.check(await book.spoil(), "there is no snapshot to spoil");
  await book.page.close();
  await visit("visit with a spoilt snapshot", "normal");
}

const seconds = (started) => ((performance.now() - started) / 1000).toFixed(1);
