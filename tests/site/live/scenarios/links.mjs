// Page addresses that carry an edited cell. A link comes from a stranger.

import { deflateRawSync } from "node:zlib";
import { Book } from "../book.mjs";

const name = (cell) => cell.replace(/^cell-/, "");
const link = (cell, source) =>
  `#live=1.${name(cell)}.${deflateRawSync(source).toString("base64url")}`;

const message = (book) =>
  book.page.$$eval(".livecell-message[data-kind=link]", (all) =>
    all
      .filter((one) => one.getClientRects().length)
      .map((one) => one.textContent.trim())
      .join("\n"),
  );

/** What of Python was fetched. */
const python = async (site) =>
  (await site.requests()).filter((one) => /pyodide|worker|wheels|runtime/.test(one));

/** A link shows the edit, runs nothing, and the reader runs or discards it. */
export async function link_opens(t) {
  const site = await t.serve();
  const { path, cell } = await t.sample();
  const source = 'words = "naïve — ✓"\nprint(words, 6 * 7)\nlinked = 1';
  const book = await Book.open(t, site, path, { hash: link(cell, source) });
  t.equal(await book.source(cell), source, "the source that the link carries");
  t.equal(await book.state(cell), "edited", "the cell of a link");
  t.check(/somebody else wrote it, and it has not been run/i.test(await message(book)), `said: ${await message(book)}`);
  await book.page.waitForNetworkIdle();
  t.equal(await python(site), [], "fetched by opening a link");
  t.equal(await book.differences([cell]), [], "the output before the reader runs it");
  await book.click(`[id="${cell}"] .livecell-discard`);
  t.equal(await book.state(cell), "built", "the cell after the edit was discarded");
  await book.go(link(cell, source));
  t.equal(await book.run(cell), "ran", "the linked cell");
  t.equal((await book.shown(cell)).trim(), "naïve — ✓ 42", "its output");
}

/** A link that is no good is passed over with a notice, and the page works. */
export async function link_malformed(t) {
  const site = await t.serve();
  const { path, cell } = await t.sample();
  const good = link(cell, "print(1)");
  const bomb = deflateRawSync(Buffer.alloc(50_000_000, 0x20)).toString("base64url");
  const links = {
    "no data": "#live=",
    "no cell": "#live=1..abc",
    "another version": good.replace("=1.", "=7."),
    "a cell that is not there": good.replace(name(cell), "no-such-cell"),
    "a name of the prototype": good.replace(name(cell), "__proto__"),
    "cut short": good.slice(0, -4),
    "no base64": good.replace(/.$/, "%"),
    "not deflated": `#live=1.${name(cell)}.${"A".repeat(40)}`,
    "not UTF-8": link(cell, Buffer.from([0xff, 0xfe, 0x41])),
    "a bomb": `#live=1.${name(cell)}.${bomb}`,
    "too long": `#live=0.${name(cell)}.${"QUFB".repeat(20_000)}`,
    "signs that do not show": link(cell, "print(1) #\u202e"),
  };
  const book = await Book.open(t, site, path);
  const source = await book.source(cell);
  for (const [what, hash] of Object.entries(links)) {
    t.check(bomb.length < 100_000, "the bomb is too long to be one");
    await book.go(hash);
    t.equal(await book.source(cell), source, `${what}: the cell's source`);
    t.equal(await book.state(cell), "built", `${what}: the cell's state`);
    const said = `${await message(book)} ${await book.status()}`;
    t.check(/link/i.test(said), `${what}: no notice: ${said}`);
  }
  t.equal(await python(site), [], "fetched by malformed links");
  t.equal(t.errors, [], "the console");
  await book.go();
  t.equal(await book.run(cell), "ran", "a run after all this");
}
