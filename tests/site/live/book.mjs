// The pages of the book as a reader uses them: the one place that knows their markup.

import { clip } from "./harness.mjs";

export const FIRST = 90; // seconds for a first run on a busy machine
export const RUN = 30; // seconds for a run once Python is there

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

  /** Open a page of the book and wait until its cells have their buttons. */
  static async open(trial, site, path, options = {}) {
    const page = options.page ?? (await trial.page(options));
    const book = new Book(trial, page, site, path);
    await book.go(options.hash);
    return book;
  }

  async go(hash = "") {
    // A new address, so that a page with another hash is loaded again.
    await this.page.goto("about:blank");
    await this.page.goto(this.site.url(this.path) + hash, { waitUntil: "load" });
    await this.ready();
  }

  ready() {
    return this.trial.until(
      this.page,
      `the cells of ${this.path} to become live`,
      20,
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
  async click(selector, timeout) {
    this.trial.step = `clicking ${selector}`;
    const element = await this.page.waitForSelector(selector, {
      visible: true,
      timeout,
    });
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

  press(cell, part, timeout) {
    return this.click(this.at(cell, part), timeout);
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
  ended(cell, seconds = FIRST) {
    return this.trial.until(
      this.page,
      `the end of ${cell}`,
      seconds,
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

  /** Wait until the cell runs, with Python there. */
  running(cell, seconds = FIRST) {
    return this.trial.until(
      this.page,
      `${cell} to run`,
      seconds,
      (id, bar) =>
        document.getElementById(id).dataset.livecellState === "running" &&
        document.querySelector(bar).dataset.livecellsState === "running",
      cell,
      BAR,
    );
  }

  /** Wait until Python is there and runs nothing. */
  idle(seconds = FIRST) {
    return this.trial.until(
      this.page,
      "Python to be idle",
      seconds,
      (bar) => document.querySelector(bar).dataset.livecellsState === "idle",
      BAR,
    );
  }

  /** Run a cell and wait for its end. */
  async run(cell, seconds = FIRST) {
    await this.press(cell, "run");
    await this.started(cell);
    return this.ended(cell, seconds);
  }

  /** Wait until the page has taken notice of a press on Run. */
  started(cell) {
    return this.trial.until(
      this.page,
      `${cell} to be taken`,
      10,
      (id) => document.getElementById(id).dataset.livecellState !== "built",
      cell,
    );
  }

  /** Run all cells and wait until Python is idle again. */
  async runAll(seconds = 7 * FIRST) {
    await this.click(`${BAR} .livecells-runall`);
    return this.trial.until(
      this.page,
      `the end of Run all on ${this.path}`,
      seconds,
      (bar) => {
        if (!document.querySelector(`${bar} .livecells-stop`).hidden) return false;
        const python = document.querySelector(bar).dataset.livecellsState;
        if (python === "failed") return "failed";
        const done = [...document.querySelectorAll(".livecell")].every((one) =>
          ["ran", "error", "stopped"].includes(one.dataset.livecellState),
        );
        return python === "idle" && done && "done";
      },
      BAR,
    );
  }

  /** Press Stop, and wait until the cell is stopped. */
  async stop(cell) {
    await this.press(cell, "stop");
    await this.trial.until(
      this.page,
      `${cell} to stop`,
      RUN,
      (id) => document.getElementById(id).dataset.livecellState === "stopped",
      cell,
    );
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
    await this.trial.until(
      this.page,
      `the pasted text in ${cell}: ${clip(text)}`,
      5,
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

  /** Wait until the snapshot of a booted Python is stored, and other pages know of it. */
  async stored() {
    await this.trial.until(this.page, "the snapshot to be stored", 200, inStore, false);
    // What a page notes reaches the others in the browser's own time, and may be lost if
    // the page closes first.
    const other = await this.page.browserContext().newPage();
    other.setDefaultTimeout(300_000);
    await other.goto(this.site.url("_static/pygments.css"));
    await this.trial.until(other, "the note of the snapshot", 200, () =>
      Object.keys(localStorage).some((name) => name.startsWith("livecells snapshot ")),
    );
    await other.close();
  }

  /** Make every stored snapshot useless, but leave it where it is. */
  spoil() {
    return this.page.evaluate(inStore, true);
  }

  /** How Python started: "snapshot" or "normal". */
  boot() {
    return this.page.$eval(BAR, (one) => one.dataset.livecellsBoot);
  }
}

/**
 * Visit until Python has started from what is kept: a snapshot that a busy browser does not
 * read in time is not waited for. `visit()` opens a page, runs a cell and gives the book.
 */
export async function fromSnapshot(visit) {
  for (let tries = 1; ; tries++) {
    const book = await visit();
    if (tries === 10 || (await book.boot()) === "snapshot") return book;
    await book.stored();
    await book.page.close();
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

/** In the page: whether IndexedDB holds something large; spoils it if told so. */
async function inStore(spoil) {
  const promise = (request) =>
    new Promise((done, fail) => {
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  const size = (value) => {
    if (value instanceof Blob) return value.size;
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
      return value.byteLength;
    return 0;
  };
  const junk = (value) => {
    if (value instanceof Blob) return new Blob([new Uint8Array(value.size)]);
    return new value.constructor(value.length ?? value.byteLength);
  };
  let found = false;
  for (const { name } of await indexedDB.databases()) {
    const base = await promise(indexedDB.open(name));
    for (const store of base.objectStoreNames) {
      const all = base.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([
        promise(all.getAllKeys()),
        promise(all.getAll()),
      ]);
      for (const [place, key] of keys.entries()) {
        let value = values[place];
        const fields = size(value) ? [null] : Object.keys(value ?? {});
        for (const one of fields) {
          const large = one === null ? value : value[one];
          if (size(large) < 1_000_000) continue;
          found = true;
          if (!spoil) continue;
          if (one === null) value = junk(large);
          else value[one] = junk(large);
        }
        if (spoil && found) {
          const writable = base.transaction(store, "readwrite").objectStore(store);
          await promise(writable.keyPath ? writable.put(value) : writable.put(value, key));
        }
      }
    }
    base.close();
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
