// Live cells as a reader uses them: run, stopped, wrong, offline, from the history, linked.

import { deflateRawSync } from "node:zlib";
import { Book } from "../book.mjs";

/**
 * Every live cell, with one Run all a page, below a sub-path: every page in Chromium, each
 * third in Firefox.
 *
 * Python is the same in both; what a browser does of its own with outputs is the same
 * on all pages.
 */
export async function every_cell(t) {
  const site = await t.serve({ sub: true });
  const live = await t.livePages();
  t.check(live.length, "the book has no page with live cells");
  const wrong = [];
  t.notes.cells = 0;
  for (const { path } of t.sampled(live)) {
    const book = await Book.open(t, path, { site, keeps: true });
    const ids = await book.cells();
    await book.runAll();
    const built = await book.built();
    t.equal(Object.keys(built), ids, `${path}: the cells of the page`);
    t.check(ids.some((id) => built[id]), `${path}: no live cell has an output`);
    wrong.push(...(await book.differences(ids)));
    t.notes.cells += ids.length;
    await book.page.close();
  }
  t.check(!wrong.length, wrong.join("\n"));
  const { pathname } = new URL(site.base);
  const outside = (await site.requests()).filter((one) => !one.startsWith(pathname));
  t.equal(outside.filter((one) => one !== "/favicon.ico"), [], "asked outside it");
  t.equal(t.errors, [], "the console");
}

/** An endless loop is stopped, and the built cell runs as if nothing had been. */
export async function endless_loop(t) {
  const { book, cell } = await Book.sample(t);
  await book.listen();
  await book.begins(cell, "print('before')\nwhile True:\n    pass");
  await book.until("the first line", shows, cell, "before");
  await book.stop(cell);
  await book.reaches("idle");
  // Another Python starts by itself, which the reader did not ask for.
  const heard = await book.heard();
  const end = heard.slice(heard.findLastIndex((text) => /stopped/i.test(text)));
  t.equal(end, ["Stopped."], `said in the end, of ${heard}`);
  t.check((await book.shown(cell)).includes("before"), "Stop lost the output so far");
  // The next Run works at once, and starts a new Python by itself.
  const source = await book.source(cell);
  await book.press(cell, "reset");
  t.equal(await book.state(cell), "built", "the cell after Reset");
  t.check((await book.source(cell)) !== source, "Reset kept the edited source");
  await book.runs(cell, "the run after Stop and Reset");
  await book.isBuilt(cell);
}

const shows = (id, text) =>
  document.getElementById(id).querySelector(".cell_output")?.textContent.includes(text);

/** Errors are readable, and the line of the reader's code is marked. */
export async function errors(t) {
  const { book, cell, other } = await Book.sample(t);
  await book.tries(cell, "first = 1\nsecond = = 2", /line 2\b[^]*SyntaxError/, "error");
  t.equal(await lines(book, cell), [2], "the marked line of a syntax error");
  t.check(/error/i.test(await book.status()), `said: ${await book.status()}`);
  await book.edit(cell, "def half(number):\n    return 1 / number");
  await book.runs(cell, "the corrected cell");
  t.equal(await lines(book, cell), [], "the marked lines of a corrected cell");

  const told = /so far[^]*line 3[^]*line 2, in half[^]*ZeroDivisionError/;
  await book.tries(other, "print('so far')\n\nhalf(0)", told, "error");
  const shown = await book.shown(other);
  t.check(!/runtime\.py|\/lib\/python|<exec>/.test(shown), `not only ours: ${shown}`);
  t.equal(
    [await lines(book, cell), await lines(book, other)],
    [[2], []],
    "the line of an earlier cell is marked for an error in its function",
  );
  // An error leaves the page in order.
  await book.press(other, "reset");
  await book.press(cell, "reset");
  await book.runs(other, "the built cell after the error");
  await book.isBuilt(other);
}

/** The marked lines, in the open editor or in the static source. */
async function lines(book, cell) {
  const inEditor = await book.page.$$eval(book.at(cell, ".cm-line"), (all) =>
    all.flatMap((one, at) =>
      one.classList.contains("livecell-errline") ? [at + 1] : [],
    ),
  );
  return inEditor.length ? inEditor : book.marked(cell);
}

/** After the first run the server is not needed any more. */
export async function offline(t) {
  const { book, cell, other } = await Book.sample(t);
  await book.runs(cell, "the first run");
  await book.open(cell); // the editor is there too
  await book.built();
  await book.site.down();
  await book.runs(other, "a run without the server");
  await book.isBuilt(cell, other);
  await book.begins(cell, "while True: pass");
  await book.stop(cell);
  await book.tries(cell, "print(6 * 7)", "42"); // after Stop, too
}

/** A page that comes back from the history can run, whether it was kept or not. */
export async function from_history(t) {
  for (const no_store of [false, true]) {
    const site = await t.serve({ no_store });
    const { book, cell } = await Book.sample(t, { site, keeps: true });
    await book.tries(cell, "print(6 * 7)", "42");
    await book.stored(); // a page that still works on it would not be kept
    await book.page.evaluate(() => void (window.restored = undefined));
    await book.page.goto(site.url("index.html"), { waitUntil: "load" });
    // Where the page before is kept, Puppeteer may have it still.
    await book.until("the next page", () => location.pathname.endsWith("/index.html"));
    // Puppeteer awaits a page that Chromium has kept, but loses sight of one of Firefox's.
    if (t.kind === "chrome") await book.page.goBack({ waitUntil: "load" });
    else await book.page.evaluate(() => void setTimeout(() => history.back()));
    const how = await book.until(
      "the page to come back, and to know how",
      (path) =>
        location.pathname.endsWith(path) &&
        window.restored !== undefined &&
        (window.restored ? "kept" : "new"),
      book.path,
    );
    await book.ready();
    t.notes[no_store ? "not storable" : "storable"] = how;
    if (!no_store) t.equal(how, "kept", "a page that the browser may keep");
    t.equal(await book.source(cell), "print(6 * 7)", `the edit on a ${how} page`);
    await book.runs(cell, `a run on a ${how} page from the history`);
    t.equal((await book.shown(cell)).trim(), "42", `its output on a ${how} page`);
    await book.press(cell, "reset");
    await book.runs(cell, "the built cell");
    await book.isBuilt(cell);
    await book.page.close();
  }
}

/**
 * A link shows an edit, how it differs and whose it is, and runs nothing; no code in it is
 * out of sight, and nothing of Python is fetched until the reader runs it.
 */
export async function link(t) {
  const { path, cell } = await t.sample();
  const name = cell.replace(/^cell-/, "");
  const address = (source, version = 1) =>
    `#live=${version}.${name}.${deflateRawSync(source).toString("base64url")}`;
  const source = `print("naïve — ✓", 6 * 7)${" ".repeat(400)};x = 1${"\n".repeat(60)}more = 2`;
  const book = await Book.open(t, path, { hash: address(source) });
  const { page, site } = book;
  t.equal(await book.source(cell), source, "the source that the link carries");
  t.equal(await book.state(cell), "edited", "the cell of a link");
  const message = await page.$eval(
    book.at(cell, '.livecell-message[data-kind="link"]'),
    (one) => one.textContent,
  );
  for (const part of [
    "somebody else wrote it, and it has not been run",
    "x = 1",
    "empty lines",
    "more = 2",
  ])
    t.check(message.includes(part), `the message lacks ${part}: ${message}`);
  await book.isBuilt(cell);
  await book.open(cell); // which fetches an editor alone
  const tooWide = await page.evaluate(
    (parts) =>
      parts.filter((part) => {
        const { scrollWidth, clientWidth } = document.querySelector(part);
        return scrollWidth > clientWidth + 1;
      }),
    [".cell_input pre", ".cm-scroller"]
      .map((part) => book.at(cell, part))
      .concat(".livecell-differences"),
  );
  t.equal(tooWide, [], "parts that hide code at their side");
  await page.waitForSelector('iframe[title="Python"]'); // which waits for a run
  await page.waitForNetworkIdle();
  const python = (await site.requests()).filter((one) =>
    /pyodide|worker\.js|wheels|runtime\.zip/.test(one),
  );
  t.equal(python, [], "fetched by opening a link and an editor");
  t.equal(await book.python(), "off", "Python's state");
  await book.click(book.at(cell, ".livecell-discard"));
  t.equal(await book.state(cell), "built", "the cell after the edit was discarded");

  const built = await book.source(cell);
  await book.go(address("print(1)", 7));
  t.equal(await book.source(cell), built, "the cell after a link that is no good");
  t.check(/link was ignored/.test(await book.status()), await book.status());
  await book.go(address(source));
  await book.runs(cell, "the linked cell");
  t.equal((await book.shown(cell)).trim(), "naïve — ✓ 42", "its output");
  t.equal(t.errors, [], "the console");
}
