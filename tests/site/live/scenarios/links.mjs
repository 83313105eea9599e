// Page addresses that carry an edited cell. A link comes from a stranger.

import { deflateRawSync } from "node:zlib";
import { Book } from "../book.mjs";
import { least } from "../harness.mjs";

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
  let book = await Book.open(t, site, path, { hash: link(cell, source) });
  t.equal(await book.source(cell), source, "the source that the link carries");
  t.equal(await book.state(cell), "edited", "the cell of a link");
  t.check(/somebody else wrote it, and it has not been run/i.test(await message(book)), `said: ${await message(book)}`);
  await t.sleep(1.5);
  t.equal(await python(site), [], "fetched by opening a link");
  t.equal(await book.differences([cell]), [], "the output before the reader runs it");
  t.equal(await book.run(cell), "ran", "the linked cell");
  t.equal((await book.shown(cell)).trim(), "naïve — ✓ 42", "its output");

  // The button makes a link that opens to the same text.
  const edit = "print('shared')\n\nprint(1 + 1)";
  await book.edit(cell, edit);
  await book.press(cell, "share");
  const shared = await t.until(
    book.page,
    "the link to share",
    10,
    () => window.copied,
  );
  // Another visitor opens it: to this one the edit is their own, and the page keeps it.
  const context = await t.context();
  book = await Book.open(t, site, path, { context, hash: new URL(shared).hash });
  t.equal(await book.source(cell), edit, "the source of the shared link");
  await book.click(`[id="${cell}"] .livecell-discard`);
  t.equal(await book.state(cell), "built", "the cell after the edit was discarded");
  t.equal(await book.differences([cell]), [], "its output");
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
    const took = await least(10, async () => {
      const started = performance.now();
      await book.go(hash);
      return (performance.now() - started) / 1000;
    });
    t.check(took < 10, `${what}: took ${took.toFixed(1)} s`);
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

/** HTML that a linked cell returns cannot run a script or fetch anything. */
export async function link_hostile(t) {
  const site = await t.serve();
  const { path, cell } = await t.sample();
  const html = [
    '<img src="x-missing.png" onerror="window.hostile = 1">',
    "<script>window.hostile = 2</script>",
    '<svg onload="window.hostile = 3"><a href="javascript:window.hostile = 4">',
    "<text>go</text></a></svg>",
    '<iframe srcdoc="<script>parent.hostile = 5</script>"></iframe>',
    '<a id="bait" href="javascript:window.hostile = 6">bait</a>',
    '<form action="https://elsewhere.invalid/"><input name="secret"></form>',
    '<img src="https://elsewhere.invalid/pixel.png">',
    '<style>@import "https://elsewhere.invalid/a.css";</style>',
    '<p style="background: url(https://elsewhere.invalid/b.png)">shown</p>',
    '<math><mtext><table><mglyph><style><img src=x onerror="window.hostile = 7">',
  ].join("");
  const source = [
    "class Page:",
    "    def _repr_html_(self):",
    `        return ${JSON.stringify(html)}`,
    "print('<b onclick=1>text</b>')",
    "Page()",
  ].join("\n");
  const book = await Book.open(t, site, path, { hash: link(cell, source) });
  const asked = [];
  book.page.on("request", (request) => asked.push(request.url()));
  t.equal(await book.run(cell), "ran", "the hostile cell");
  await t.sleep(1);
  const found = await book.page.evaluate((id) => {
    const output = document.getElementById(id).querySelector(".cell_output");
    const bait = [...output.querySelectorAll("a")];
    for (const one of bait) one.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return {
      ran: window.hostile ?? null,
      text: output.textContent.includes("<b onclick=1>text</b>"),
      shown: output.textContent.includes("shown"),
      left: output.querySelectorAll("script, iframe, form, object, embed").length,
      handlers: [...output.querySelectorAll("*")].flatMap((one) =>
        one.getAttributeNames().filter((name) => name.startsWith("on")),
      ),
    };
  }, cell);
  const safe = { ran: null, text: true, shown: true, left: 0, handlers: [] };
  t.equal(found, safe, "after a hostile cell");
  const foreign = asked.filter((one) => one.includes("elsewhere.invalid"));
  t.equal(foreign, [], "asked by a hostile cell");
}
