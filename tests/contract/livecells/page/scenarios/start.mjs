// How Python starts, stops and starts anew.

import { Book } from "../../../../site/live/book.mjs";

const LAB = "lab.html";
const SECOND = "cell-second";
const WASM = "pyodide/pyodide.asm.wasm.bin";

/** What was fetched of Python. */
const python = async (site) =>
  (await site.requests()).filter((one) => /pyodide|worker|wheels|runtime/.test(one));

/** The second cell runs, and what it needs above. */
async function answers(t, book, when) {
  await book.runs(SECOND, `the run ${when}`);
  t.equal((await book.shown(SECOND)).trim(), "42", `its output ${when}`);
}

/** A cell runs, and what it needs above runs first; what the bar says, on paper, too. */
export async function a_run(t) {
  const book = await Book.open(t, LAB);
  const { page } = book;
  // The size of the download stands in the bar alone, until it has been fetched.
  const note = await page.$eval("#cell-first .livecell-note", (n) => n.textContent);
  t.check(/first Run fetches 1?\d\.\d MB/.test(await book.status()), await book.status());
  t.check(!/fetches/.test(note), `beside the first Run: ${note}`);
  const isHidden = await page.$eval(".livecells-restart", (one) => one.hidden);
  t.check(isHidden, "Restart can be pressed before Python is there");
  await answers(t, book, "of a cell");
  t.check(!/fetches/.test(await book.status()), `after it: ${await book.status()}`);
  await book.runs("cell-figure");
  const stroke = await page.$eval("#cell-figure .livecell-live path", (one) =>
    getComputedStyle(one).stroke,
  );
  t.equal(stroke, "rgb(184, 67, 11)", "the colour of the figure");
  // A cell that waits needs no more than another one, such as a cell above that fails.
  await book.edit(SECOND, "1 / 0");
  const waits = "import asyncio\nawait asyncio.sleep(0)\nprint('waited')";
  await book.tries("cell-third", waits, "waited");
  t.equal(t.errors, [], "the console");

  // Stop and the status are in view wherever the reader is.
  await page.setViewport({ width: 1280, height: 300 });
  await page.$eval("#cell-names", (cell) => cell.scrollIntoView({ behavior: "instant" }));
  await book.until("the bar in view far down the page", () => {
    const { top } = document.querySelector(".livecells-bar").getBoundingClientRect();
    return scrollY > 0 && top >= -1 && top < 200;
  });
  const CODE = `#${SECOND} .cell_input pre`;
  const parts = [".livecells-bar", ".livecell-toolbar", ".livecell-editor", CODE];
  const seen = () =>
    page.evaluate(
      (all) => all.filter((part) => document.querySelector(part).checkVisibility()),
      parts,
    );
  t.equal(await seen(), parts.slice(0, 3), "what is on the screen");
  await page.emulateMediaType("print");
  t.equal(await seen(), [CODE], "what is on paper");
}

/**
 * On a second visit Python is read from the browser before the click, not asked for; a
 * snapshot that is spoilt is passed over.
 */
export async function read_before_the_click(t) {
  const context = await t.context();
  let book = await Book.open(t, LAB, { context });
  await answers(t, book, "on the first visit");
  await book.stored();
  await book.page.close();
  const before = await python(book.site);
  book = await Book.open(t, LAB, { context });
  await book.until("Python's files to be read", () => {
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    const files = ["asm.wasm.bin", "stdlib.zip.bin", "lock.json", "runtime.zip", "worker.js"];
    return files.every((file) => names.some((name) => name.endsWith(file)));
  });
  t.equal(await book.python(), "off", "Python's state before the click");
  await answers(t, book, "on the second visit");
  t.equal(await book.boot(), "snapshot", "the start");
  t.equal(await python(book.site), before, "what the server was asked for");
  t.equal(t.errors, [], "the console");
  await book.spoil();
  await book.page.close();
  book = await Book.open(t, LAB, { context });
  await answers(t, book, "with a spoilt snapshot");
  t.equal(await book.boot(), "normal", "the start with it");
  await book.page.close();

  // A database that never answers holds up no run.
  const page = await t.page({ context, patient: false });
  await page.evaluateOnNewDocument(() => {
    IDBFactory.prototype.open = () => new EventTarget();
  });
  book = await Book.open(t, LAB, { page });
  await answers(t, book, "without a database");
  t.equal(await book.boot(), "normal", "the start without it");
}

/** Where the assets of a page are: the path below the site. */
async function assetsOf(site) {
  const file = await (await fetch(site.url(LAB))).text();
  return JSON.parse(/id="livecells-config"[^>]*>([^<]*)</.exec(file)[1]).assets;
}

/** A page whose host hangs in the middle of a start that goes on; [book, what ends that]. */
async function stalled(t) {
  const site = await t.site();
  const wasm = (await assetsOf(site)) + WASM;
  await site.alter({ [wasm]: { stall: true } });
  const book = await Book.open(t, LAB);
  await book.press(SECOND, "run");
  await book.reaches("loading");
  return [book, () => site.alter({ [wasm]: {} })];
}

/** Stop ends a start that hangs on its host; the next Run starts as if nothing had been. */
export async function stop_while_loading(t) {
  const [book, goOn] = await stalled(t);
  await book.press(SECOND, "stop");
  await book.reaches("built", SECOND);
  await book.reaches("off");
  t.check(/stopped/i.test(await book.status()), `said: ${await book.status()}`);
  await goOn();
  await answers(t, book, "after it");
}

/** Restart while Python's files are on their way fetches again those that are not there. */
export async function restart_while_loading(t) {
  const [book, goOn] = await stalled(t);
  await book.until("the library to be there", () =>
    performance.getEntriesByType("resource").some(({ name }) => /stdlib/.test(name)),
  );
  t.equal(await book.python(), "loading", "Python's state");
  await goOn();
  await book.click(".livecells-restart");
  await book.reaches("idle");
  t.equal(await book.state(SECOND), "built", "the cell that waited");
  await answers(t, book, "after Restart");
}

const BROKEN = {
  "worker.js": { status: 404 },
  [WASM]: { keep: 1_500_000 },
  "pyodide/python_stdlib.zip.bin": { status: 404 },
};

/** Without its worker, or with a broken Python, the build stays and a line says why. */
export async function python_missing(t) {
  for (const [file, change] of Object.entries(BROKEN)) {
    const site = await t.serve(); // of whose files the browser has none
    const path = (await assetsOf(site)) + file;
    await site.alter({ [path]: change });
    const book = await Book.open(t, LAB, { site });
    await book.press(SECOND, "run");
    await book.reaches("failed");
    const line = `#${SECOND} .livecell-message[data-kind=failed]`;
    await book.until(
      "a line that says why",
      (line) => document.querySelector(line)?.textContent.length > 20,
      line,
    );
    await book.isBuilt(SECOND);
    // Once the file is there, the next Run works, without a reload.
    await site.alter({ [path]: {} });
    await answers(t, book, `after a fault of ${file}`);
    await book.page.close();
  }
}

/** A slider without its script, or without its pictures, says so. */
export async function figure_missing(t) {
  const site = await t.site();
  const html = await (await fetch(site.url("figure.html"))).text();
  const [script] = /_static\/livecells\/[^"]*explorable\.js/.exec(html);
  const pictures = `_static/livecells/explorables/${/data-frames="([^"]+)"/.exec(html)[1]}`;
  const open = async () => {
    const page = await t.page();
    await page.goto(site.url("figure.html"), { waitUntil: "load" });
    return page;
  };
  await site.alter({ [script]: { status: 404 } });
  let page = await open();
  await page.waitForSelector(".explorable-absent", { visible: true });
  const absent = await page.$eval(".explorable-absent", (line) => line.textContent);
  t.check(/does nothing/.test(absent), `without the script it says ${absent}`);
  await page.close();

  await site.alter({ [script]: {}, [pictures]: { status: 404 } });
  page = await open();
  const built = await page.$eval(".explorable input", (slider) => slider.value);
  const stands = (what, isBroken) =>
    t.until(
      page,
      what,
      (built, isBroken) => {
        const { textContent } = document.querySelector(".explorable-notice");
        const isMoved = document.querySelector(".explorable input").value !== built;
        return isBroken
          ? /could not be fetched/.test(textContent) && !isMoved
          : textContent === "" && isMoved;
      },
      built,
      isBroken,
    );
  await page.focus(".explorable input");
  await page.keyboard.press("End");
  // The focus asks for the pictures, and the key once more: until that has failed too, the
  // slider stands where the key has put it.
  await stands("a line that says why, and the slider where it was", true);
  // Once the file is there, the next move works.
  await site.alter({ [pictures]: {} });
  await page.keyboard.press("End");
  await stands("the picture to follow, and the line to go", false);
}

const PATCH = "import json\njson.dumps = None\nx = 'spoilt'\nprint('patched')";
const ASK = "import json\nprint(json.dumps([1]), 'x' in dir())";

/** Restart and Run all give a Python in which nothing has run; outputs stay. */
export async function restart(t) {
  const book = await Book.open(t, LAB);
  await book.tries("cell-third", PATCH, "patched");
  await book.click(".livecells-restart");
  await book.reaches("idle");
  t.equal((await book.shown("cell-third")).trim(), "patched", "the output that stays");
  await book.tries("cell-third", ASK, "[1] False");
  await book.tries("cell-third", PATCH, "patched");
  await book.edit("cell-third", ASK);
  await book.runAll();
  t.equal((await book.shown("cell-third")).trim(), "[1] True", "the output after it");
}

/** A page fetches the packages that its cells import, and what these need: no others. */
export async function packages(t) {
  const site = await t.site();
  const context = await t.context();
  const wheels = async () => {
    const asked = (await site.requests()).filter((one) => one.includes("/wheels/"));
    return [...new Set(asked.map((one) => /wheels\/([a-z]+)-/.exec(one)[1]))].sort();
  };
  let book = await Book.open(t, LAB, { context });
  await answers(t, book, "of a cell that imports no package");
  t.equal(await wheels(), [], "packages for it");
  await book.stored();
  await book.page.close();
  // The start that is kept has no package: they are added to it.
  book = await Book.open(t, "packages.html", { context });
  await book.runs("cell-beta", "a cell that imports one");
  t.equal(await book.boot(), "snapshot", "the start");
  t.equal((await book.shown("cell-beta")).trim(), "alpha and beta", "its output");
  t.equal(await wheels(), ["alpha", "beta"], "packages for it");
  await book.tries("cell-beta", "import gamma\nprint(gamma.NAME)", "gamma");
  t.equal(await wheels(), ["alpha", "beta", "gamma"], "packages after it");
}

/** Without the private parts of Pyodide that are used, cells run; only no start is kept. */
export async function without_private_parts(t) {
  const site = await t.site();
  const name = `${await assetsOf(site)}worker.js`;
  let text = await (await fetch(site.url(name))).text();
  const { byteLength } = Buffer.from(text);
  for (const [part, gone] of [
    [/\b(\w+)\._api&&\(\1\._api\.on_fatal=/, "$1._gone&&($1._gone.on_fatal="],
    [/\._module\?\.HEAPU8/, "._gone?.HEAPU8"],
    [/\{_makeSnapshot:!0\}/, "{_gone:!0}"],
    [/\.makeMemorySnapshot\(\)/, ".gone()"],
  ]) {
    t.check(part.test(text), `the worker has no ${part}: fix this test`);
    text = text.replace(part, gone);
  }
  text += " ".repeat(byteLength - Buffer.byteLength(text)); // the page knows its size
  await site.alter({ [name]: { text } });
  const context = await t.context();
  for (const visit of ["on the first visit", "on the next one"]) {
    const book = await Book.open(t, LAB, { context });
    const isSaid = new Promise((done) =>
      book.page.on("console", (line) => line.text().includes("takes the long way") && done()),
    );
    await answers(t, book, visit);
    t.equal(await book.boot(), "normal", `how it started ${visit}`);
    await isSaid;
    await book.page.close();
  }
}
