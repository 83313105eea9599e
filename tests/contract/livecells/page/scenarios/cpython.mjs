// A cell behaves as one of ipykernel: the test compares what each program prints.

import { Book } from "../../../../site/live/book.mjs";

/** What each program of the bench prints, one Run all for all of them. */
export async function programs(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, "programs.html");
  t.equal(await book.runAll(), "done", "Run all");
  const printed = {};
  for (const cell of await book.cells()) {
    printed[cell.replace(/^cell-/, "")] = await book.shown(cell);
  }
  t.notes.printed = printed;
}
