// The pages of the book as a reader uses them: the one place that knows their markup.

import { STEP, clip } from "./harness.mjs";

const PARTS = {
  run: ".livecell-run",
  stop: ".livecell-stop",
  edit: ".livecell-edit",
  reset: ".livecell-reset",
  share: ".livecell-share",
  note: ".livecell-note",
  editor: ".cm-content",
  output: ".cell_output",
};
const BAR = ".livecells-bar";

/** A page with live cells, or one that should have become live. */
export class Book {
  constructor(trial, page, site, path) {
    Object.assign(this, { trial, page, site, path });
  }

  /**
   * Open a page of the book and wait until its cells have their buttons.
   *
   * Besides those of a page the options are the server, if it is not the scenario's own,
   * what follows the path in the address, and a page that is there.
   */
  static async open(trial, path, { site, hash, page, ...options } = {}) {
    site ??= await trial.site();
    page ??= await trial.page(options);
    const book = new Book(trial, page, site, path);
    await book.go(hash);
    return book;
  }

  /** Open a page to try things on: {book, cell, other}, with two cells that show text. */
  static async sample(trial, options) {
    const { path, cell, other } = await trial.sample();
    return { book: await Book.open(trial, path, options), cell, other };
  }

  async go(hash = "") {
    // A new address, so that a page with another hash is loaded again.
    await this.page.goto("about:blank");
    await this.page.goto(this.site.url(this.path) + hash, { waitUntil: "load" });
    await this.ready();
  }

  /** Wait for a state of the page. */
  until(what, test, ...args) {
    return this.trial.until(this.page, what, test, ...args);
  }

  ready() {
    return this.until(
      `the cells of ${this.path} to become live`,
      () => document.documentElement.dataset.livecells === "ready",
    );
  }

  /** The ids of the live cells, in the order of the page. */
  cells() {
    return this.page.$$eval(".livecell", (all) => all.map((one) => one.id));
  }

  at(cell, part) {
    return `[id="${cell}"] ${PARTS[part] ?? part}`;
  }

  /**
   * Click on something as a reader does, if nothing lies over it. It is looked for and
   * clicked in one turn of the page's own, in which nothing can move.
   */
  async click(selector) {
    this.trial.step = `clicking ${selector}`;
    const element = await this.page.waitForSelector(selector, { visible: true });
    const isReached = await element.evaluate((button) => {
      button.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, top, width, height } = button.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      if (!button.contains(hit)) return false;
      button.focus({ preventScroll: true });
      button.click();
      return true;
    });
    this.trial.check(isReached, `something lies over ${selector}`);
    this.trial.step = undefined;
  }

  press(cell, part) {
    return this.click(this.at(cell, part));
  }

  state(cell) {
    return this.page.$eval(`[id="${cell}"]`, (one) => one.dataset.livecellState);
  }

  /** What the one live region says. */
  status() {
    return this.page.$eval(`${BAR} [role=status]`, (one) => one.textContent.trim());
  }

  /** From now on note each text that the live region says. */
  listen() {
    return this.page.$eval(`${BAR} [role=status]`, (region) => {
      window.heard = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const one of addedNodes) window.heard.push(one.textContent.trim());
      }).observe(region, { childList: true });
    });
  }

  /** What it has said since `listen()`, or since this was asked last. */
  heard() {
    return this.page.evaluate(() => window.heard.splice(0));
  }

  /** Python's state: "off", "loading", "idle", "running" or "failed". */
  python() {
    return this.page.$eval(BAR, (one) => one.dataset.livecellsState);
  }

  /**
   * Wait until the cell has ended and the page is at rest; returns "ran", "error",
   * "stopped" or "failed".
   */
  ended(cell) {
    return this.until(
      `the end of ${cell}`,
      (id, bar) => {
        if (!document.querySelector(`${bar} .livecells-stop`).hidden) return false;
        if (document.querySelector(bar).dataset.livecellsState === "failed")
          return "failed";
        const state = document.getElementById(id).dataset.livecellState;
        return ["ran", "error", "stopped"].includes(state) && state;
      },
      cell,
      BAR,
    );
  }

  /** Wait until the cell, or its Python, is in that state. */
  reaches(state, cell) {
    return this.until(
      `${cell ?? "Python"}: ${state}`,
      (state, id, bar) =>
        id
          ? document.getElementById(id).dataset.livecellState === state
          : document.querySelector(bar).dataset.livecellsState === state,
      state,
      cell,
      BAR,
    );
  }

  /** Press Run and wait for the end; returns how it ended. */
  async run(cell) {
    await this.press(cell, "run");
    await this.until(
      `${cell} to be taken`,
      (id) => document.getElementById(id).dataset.livecellState !== "built",
      cell,
    );
    return this.ended(cell);
  }

  /** Run a cell, which must end so. */
  async runs(cell, what = `the run of ${cell}`, state = "ran") {
    this.trial.equal(await this.run(cell), state, what);
  }

  /** Edit a cell and run it: it must end so, and show this text, or what this matches. */
  async tries(cell, source, expected, state = "ran") {
    await this.edit(cell, source);
    await this.runs(cell, `the run of ${clip(source)}`, state);
    const shown = (await this.shown(cell)).trim();
    const isRight = expected.test ? expected.test(shown) : shown === expected;
    this.trial.check(isRight, `${clip(source)} shows ${clip(shown)}`);
  }

  /** Let a cell run code until it is stopped: wait until it runs, with Python there. */
  async begins(cell, source) {
    await this.edit(cell, source);
    await this.press(cell, "run");
    await this.reaches("running", cell);
    await this.reaches("running");
  }

  /** Run all cells and wait until Python is idle again. */
  async runAll() {
    await this.click(`${BAR} .livecells-runall`);
    // Cell by cell, so that each has the time of a step.
    for (const cell of await this.cells())
      await this.until(
        `the end of ${cell} in Run all on ${this.path}`,
        (id, bar) =>
          document.querySelector(bar).dataset.livecellsState === "failed" ||
          ["ran", "error", "stopped"].includes(
            document.getElementById(id).dataset.livecellState,
          ),
        cell,
        BAR,
      );
    const end = await this.until(
      `the end of Run all on ${this.path}`,
      (bar) => {
        const python = document.querySelector(bar).dataset.livecellsState;
        const isAtRest = document.querySelector(`${bar} .livecells-stop`).hidden;
        return isAtRest && ["failed", "idle"].includes(python) && python;
      },
      BAR,
    );
    this.trial.equal(end, "idle", `Python after Run all on ${this.path}`);
  }

  /** Press Stop, and wait until the cell is stopped. */
  async stop(cell) {
    await this.press(cell, "stop");
    await this.reaches("stopped", cell);
  }

  /** Open the editor of a cell unless it is open. */
  async open(cell) {
    if (!(await this.page.$(this.at(cell, "editor")))) await this.press(cell, "edit");
    await this.page.waitForSelector(this.at(cell, "editor"), { visible: true });
  }

  /** Replace the text of a cell as a reader pastes it. */
  async edit(cell, text) {
    await this.open(cell);
    await this.page.focus(this.at(cell, "editor"));
    await chord(this.page, "Control", "a");
    await this.page.$eval(
      this.at(cell, "editor"),
      (editor, text) => {
        const paste = new Event("paste", { bubbles: true, cancelable: true });
        const getData = (type) => (type === "text/plain" ? text : "");
        // Firefox gives an event of a script no clipboard of its own.
        Object.defineProperty(paste, "clipboardData", {
          value: { getData, types: ["text/plain"], files: [] },
        });
        editor.dispatchEvent(paste);
      },
      text,
    );
    await this.until(
      `the pasted text in ${cell}: ${clip(text)}`,
      (id, text) => {
        const pre = document.getElementById(id).querySelector(".cell_input pre");
        return pre.textContent.replace(/\n$/, "") === text;
      },
      cell,
      text.replace(/\n$/, ""),
    );
  }

  /** The source of a cell as it stands. */
  source(cell) {
    return this.page.$eval(this.at(cell, ".cell_input pre"), (pre) =>
      pre.textContent.replace(/\n$/, ""),
    );
  }

  /** What the cell shows, as text. */
  shown(cell) {
    return this.page.$eval(
      `[id="${cell}"]`,
      (one) => {
        const output = one.querySelector(".cell_output")?.cloneNode(true);
        for (const button of output?.querySelectorAll("button") ?? []) button.remove();
        return output?.textContent ?? "";
      },
    );
  }

  /** The lines of the source that are marked as the place of an error. */
  marked(cell) {
    return this.page.$$eval(this.at(cell, "pre .livecell-errline"), (all) =>
      all.map((one) => Number(one.dataset.line)),
    );
  }

  /** The outputs of the build, by cell, from the file as it is served. */
  async built() {
    if (!this.kept) {
      const file = await (await fetch(this.site.url(this.path))).text();
      const parse = `new DOMParser().parseFromString(file, "text/html")`;
      // A document of a parser runs no script.
      const read = new Function("file", `return (${readOutputs})(${parse})`);
      this.kept = await this.page.evaluate(read, file);
    }
    return this.kept;
  }

  /** What differs between the page and the build: a line for each cell. */
  async differences(cells) {
    const built = await this.built();
    const live = await this.page.evaluate(
      new Function(`return (${readOutputs})(document)`),
    );
    const found = [];
    for (const cell of cells ?? Object.keys(built)) {
      const [ours, theirs] = [live[cell], built[cell]];
      if (!ours !== !theirs) {
        const [has, not] = ours ? ["page", "build"] : ["build", "page"];
        found.push(`${this.path} ${cell}: the ${has} has an output, the ${not} none`);
        continue;
      }
      for (const part of theirs ? ["text", "svg", "html"] : []) {
        if (ours[part] === theirs[part]) continue;
        const where = difference(ours[part], theirs[part]);
        found.push(`${this.path} ${cell}: ${part}: ${where}`);
        break;
      }
    }
    return found;
  }

  /** Check that these cells, or all, show what the build shows. */
  async isBuilt(...cells) {
    const wrong = await this.differences(cells.length ? cells : undefined);
    this.trial.check(!wrong.length, wrong.join("\n"));
  }

  /** Wait until other pages know of the snapshot of a booted Python. */
  async stored() {
    // What a page notes reaches the others in the browser's own time, and may be lost if
    // the page closes first.
    const other = await this.page.browserContext().newPage();
    await other.goto(this.site.url("_static/pygments.css"), { timeout: STEP });
    await this.trial.until(other, "the note of the snapshot", () =>
      Object.keys(localStorage).some((name) => name.startsWith("livecells snapshot ")),
    );
    await other.close();
  }

  /** Make the stored snapshot useless, but leave it where it is. */
  spoil() {
    return this.page.evaluate(async () => {
      const done = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await done(indexedDB.open("livecells"));
      const table = database
        .transaction("snapshots", "readwrite")
        .objectStore("snapshots");
      const [[key], [kept]] = await Promise.all([
        done(table.getAllKeys()),
        done(table.getAll()),
      ]);
      const snapshot = new ArrayBuffer(kept.snapshot.byteLength);
      await done(table.put({ ...kept, snapshot }, key));
      database.close();
    });
  }

  /** How Python started: "snapshot" or "normal". */
  boot() {
    return this.page.$eval(BAR, (one) => one.dataset.livecellsBoot);
  }
}

/** In the page: the outputs of its live cells. */
export function readOutputs(document) {
  const found = {};
  for (const cell of document.querySelectorAll(".livecell")) {
    const output = cell.querySelector(".cell_output");
    found[cell.id] = null;
    if (!output) continue;
    const copy = output.cloneNode(true);
    // The styles of a run reach its own box only, so their text is another one.
    for (const style of copy.querySelectorAll("style")) style.remove();
    // A recorded loop that moves stands beside its still.
    for (const moving of copy.querySelectorAll(".lp-moving, .lp-strip")) moving.remove();
    // What the theme's scripts add to every block of code, live or not.
    for (const button of copy.querySelectorAll("button.copybtn")) button.remove();
    for (const block of copy.querySelectorAll("[id^=codecell]"))
      block.removeAttribute("id");
    for (const block of copy.querySelectorAll("[tabindex]"))
      block.removeAttribute("tabindex"); // for those that can be scrolled
    for (const block of copy.querySelectorAll("pre.livecell-tall")) // likewise
      for (const name of ["class", "role", "aria-label"]) block.removeAttribute(name);
    const parts = [...copy.querySelectorAll(".output")];
    found[cell.id] = {
      text: parts.map((one) => (one.querySelector("pre") ?? one).textContent).join("\0"),
      svg: [...copy.querySelectorAll("svg")].map((one) => one.outerHTML).join("\0"),
      html: copy.innerHTML.trim(),
    };
  }
  return found;
}

function difference(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const from = Math.max(0, at - 30);
  const part = (text) => JSON.stringify(text.slice(from, at + 60));
  return `${part(a)} instead of ${part(b)}`;
}

/** Press a key while another is held. */
export async function chord(page, held, key) {
  await page.keyboard.down(held);
  await page.keyboard.press(key);
  await page.keyboard.up(held);
}
