// How Python starts, stops and starts anew.

import { Book, FIRST, fromSnapshot, RUN } from "../../../../site/live/book.mjs";

const LAB = "lab.html";

/** A cell runs, and what it needs above runs first. */
export async function a_run(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  t.equal(await book.run("cell-second"), "ran", "the run");
  t.equal((await book.shown("cell-second")).trim(), "42", "its output");
  t.equal(await book.run("cell-figure", RUN), "ran", "the figure");
  const stroke = await book.page.$eval("#cell-figure .livecell-live path", (one) =>
    getComputedStyle(one).stroke,
  );
  t.equal(stroke, "rgb(184, 67, 11)", "the colour of the figure");
  // A cell that waits needs no more than another one, such as a cell above that fails.
  await book.edit("cell-second", "1 / 0");
  await book.edit("cell-third", "import asyncio\nawait asyncio.sleep(0)\nprint('waited')");
  t.equal(await book.run("cell-third", RUN), "ran", "a cell that waits");
  t.equal((await book.shown("cell-third")).trim(), "waited", "its output");
  t.equal(t.errors, [], "the console");
}

/** What was fetched of Python. */
const python = async (site) =>
  (await site.requests()).filter((one) => /pyodide|worker|wheels|runtime/.test(one));

/** The size of the download stands in the bar alone, until it has been fetched. */
export async function the_size_is_said(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  const note = await book.page.$eval("#cell-first .livecell-note", (n) => n.textContent);
  t.check(/first Run fetches 1?\d\.\d MB/.test(await book.status()), await book.status());
  t.check(!/fetches/.test(note), `beside the first Run: ${note}`);
  t.equal(await book.run("cell-second"), "ran", "the run");
  t.check(!/fetches/.test(await book.status()), `after it: ${await book.status()}`);
}

/** On a second visit Python is read from the browser before the click, not asked for. */
export async function read_before_the_click(t) {
  const site = await t.serve();
  const context = await t.context();
  let book = await Book.open(t, site, LAB, { context });
  t.equal(await book.run("cell-second"), "ran", "the run on the first visit");
  await book.stored();
  await book.page.close();
  const before = await python(site);
  const areRead = () => {
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    const files = ["asm.wasm.bin", "stdlib.zip.bin", "lock.json", "runtime.zip", "worker.js"];
    return files.every((file) => names.some((name) => name.endsWith(file)));
  };
  book = await fromSnapshot(async () => {
    const again = await Book.open(t, site, LAB, { context });
    await t.until(again.page, "Python's files to be read", 30, areRead);
    t.equal(await again.python(), "off", "Python's state before the click");
    t.equal(await again.run("cell-second"), "ran", "the run on the second visit");
    return again;
  });
  t.equal((await book.shown("cell-second")).trim(), "42", "its output");
  t.equal(await book.boot(), "snapshot", "the start");
  t.equal(await python(site), before, "what the server was asked for");
  t.equal(t.errors, [], "the console");

  // A database that never answers holds up no run.
  await book.page.close();
  const page = await t.page({ context });
  await page.evaluateOnNewDocument(() => {
    IDBFactory.prototype.open = () => new EventTarget();
  });
  book = await Book.open(t, site, LAB, { page });
  t.equal(await book.run("cell-second"), "ran", "the run without a database");
  t.equal(await book.boot(), "normal", "its start");
}

/** Let the host hang in the middle of a start; returns what ends that. */
async function stall(site) {
  const page = await (await fetch(site.url(LAB))).text();
  const { assets } = JSON.parse(/id="livecells-config"[^>]*>([^<]*)</.exec(page)[1]);
  const wasm = `${assets}pyodide/pyodide.asm.wasm.bin`;
  await site.alter({ [wasm]: { stall: true } });
  return () => site.alter({ [wasm]: {} });
}

/** Stop ends a start that hangs on its host; the next Run starts as if nothing had been. */
export async function stop_while_loading(t) {
  const site = await t.serve();
  const goOn = await stall(site);
  const book = await Book.open(t, site, LAB);
  await book.press("cell-second", "run");
  await t.until(
    book.page,
    "Python to load",
    20,
    () => document.querySelector(".livecells-bar").dataset.livecellsState === "loading",
  );
  await book.press("cell-second", "stop");
  await t.until(
    book.page,
    "the cell as it was",
    10,
    () =>
      document.querySelector(".livecells-stop").hidden &&
      document.getElementById("cell-second").dataset.livecellState === "built",
  );
  t.check(/stopped/i.test(await book.status()), `said: ${await book.status()}`);
  t.equal(await book.python(), "off", "Python's state");
  await goOn();
  t.equal(await book.run("cell-second"), "ran", "the next run");
  t.equal((await book.shown("cell-second")).trim(), "42", "its output");
}

/** Restart while Python's files are on their way fetches again those that are not there. */
export async function restart_while_loading(t) {
  const site = await t.serve();
  const goOn = await stall(site);
  const book = await Book.open(t, site, LAB);
  await book.press("cell-second", "run");
  await t.until(book.page, "Python to load", 20, () =>
    performance.getEntriesByType("resource").some(({ name }) => /stdlib/.test(name)),
  );
  t.equal(await book.python(), "loading", "Python's state");
  await goOn();
  await book.click(".livecells-restart");
  const settled = (bar) => {
    const state = document.querySelector(bar).dataset.livecellsState;
    return ["idle", "failed"].includes(state) && state;
  };
  const state = await t.until(book.page, "Python", FIRST, settled, ".livecells-bar");
  t.equal(state, "idle", `Python's state after Restart: ${await book.status()}`);
  t.equal(await book.state("cell-second"), "built", "the cell that waited");
  t.equal(await book.run("cell-second"), "ran", "the next run");
  t.equal((await book.shown("cell-second")).trim(), "42", "its output");
}

/** Wait until the console says that no start is kept. */
async function saysNotKept(t, when) {
  const isSaid = () => t.lines.some((line) => line.includes("takes the long way"));
  for (let tries = 0; tries < 1500 && !isSaid(); tries++) await t.sleep(0.2);
  t.check(isSaid(), `it does not say that no start is kept, ${when}: ${t.lines}`);
}

const PATCH = "import json\njson.dumps = None\nx = 'spoilt'\nprint('patched')";
const ASK = "import json\nprint(json.dumps([1]), 'x' in dir())";

/** Restart and Run all give a Python in which nothing has run; outputs stay. */
export async function restart(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  t.equal(
    await book.page.$eval(".livecells-restart", (one) => one.hidden),
    true,
    "Restart before Python is there is hidden",
  );
  await book.edit("cell-third", PATCH);
  t.equal(await book.run("cell-third"), "ran", "the cell that breaks things");
  await book.click(".livecells-restart");
  await book.idle();
  t.equal((await book.shown("cell-third")).trim(), "patched", "the output that stays");
  await book.edit("cell-third", ASK);
  t.equal(await book.run("cell-third", RUN), "ran", "the run after it");
  t.equal((await book.shown("cell-third")).trim(), "[1] False", "its output");
  await book.edit("cell-third", PATCH);
  t.equal(await book.run("cell-third", RUN), "ran", "the cell that breaks things again");
  await book.edit("cell-third", ASK);
  t.equal(await book.runAll(), "done", "Run all");
  t.equal((await book.shown("cell-third")).trim(), "[1] True", "the output after it");
}

/** Stop and the status are in view wherever the reader is on a long page. */
export async function bar_stays_in_view(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, "programs.html");
  const top = await book.page.evaluate(async () => {
    window.scrollTo({ top: document.body.scrollHeight, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 200));
    return document.querySelector(".livecells-bar").getBoundingClientRect().top;
  });
  t.check(top >= -1 && top < 200, `the bar is at ${top} px`);
}

/** A page fetches the packages that its cells import, and what these need: no others. */
export async function packages(t) {
  const site = await t.serve();
  const context = await t.context();
  const wheels = async () => {
    const asked = (await site.requests()).filter((one) => one.includes("/wheels/"));
    return [...new Set(asked.map((one) => /wheels\/([a-z]+)-/.exec(one)[1]))].sort();
  };
  let book = await Book.open(t, site, LAB, { context });
  t.equal(await book.run("cell-second"), "ran", "a cell that imports no package");
  t.equal(await wheels(), [], "packages for it");
  await book.stored();
  await book.page.close();
  // The start that is kept has no package: they are added to it.
  book = await fromSnapshot(async () => {
    const again = await Book.open(t, site, "packages.html", { context });
    t.equal(await again.run("cell-beta"), "ran", "a cell that imports one");
    return again;
  });
  t.equal(await book.boot(), "snapshot", "the start");
  t.equal((await book.shown("cell-beta")).trim(), "alpha and beta", "its output");
  t.equal(await wheels(), ["alpha", "beta"], "packages for it");
  await book.edit("cell-beta", "import gamma\nprint(gamma.NAME)");
  t.equal(await book.run("cell-beta", RUN), "ran", "an edit that imports another");
  t.equal((await book.shown("cell-beta")).trim(), "gamma", "its output");
  t.equal(await wheels(), ["alpha", "beta", "gamma"], "packages after it");
}

/** Without the private parts of Pyodide that are used, cells run; only no start is kept. */
export async function without_private_parts(t) {
  const site = await t.serve();
  const page = await (await fetch(site.url(LAB))).text();
  const { assets } = JSON.parse(/id="livecells-config"[^>]*>([^<]*)</.exec(page)[1]);
  const name = `${assets}worker.js`;
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
  for (const visit of ["the first visit", "the next one"]) {
    const book = await Book.open(t, site, LAB, { context });
    t.equal(await book.run("cell-second"), "ran", visit);
    t.equal((await book.shown("cell-second")).trim(), "42", `its output, ${visit}`);
    t.equal(await book.boot(), "normal", `how it started, ${visit}`);
    await saysNotKept(t, visit);
    t.lines.length = 0;
    await book.page.close();
  }
}

/** On paper there is nothing to press. */
export async function printed(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  await book.open("cell-second");
  const CODE = "#cell-second .cell_input pre";
  const parts = [".livecells-bar", ".livecell-toolbar", ".livecell-editor", CODE];
  const shown = () =>
    book.page.evaluate(
      (all) => all.filter((part) => document.querySelector(part).checkVisibility()),
      parts,
    );
  t.equal(await shown(), parts.slice(0, 3), "what is on the screen");
  await book.page.emulateMediaType("print");
  t.equal(await shown(), [CODE], "what is on paper");
}
