// The page's script: finds the live cells, gives them their controls, and passes runs
// to the worker. Until a reader presses a button it fetches nothing.
//
// Runs stand in a line: pressing Run while another cell runs puts the cell at its end,
// and Stop ends the cell that runs and empties the line.

import { Bar } from "./bar.js";
import { Cell } from "./cell.js";
import { make } from "./dom.js";
import { moveWhenNear } from "./figures.js";
import { Links } from "./links.js";
import { downloadNotebook } from "./notebook.js";
import { Spent } from "./output.js";
import { openPlain } from "./plain.js";
import { Session } from "./session.js";
import { begun, firstLine, hasRun, offered, planned } from "./words.js";

const LOAD_WITHIN = 30_000; // ms, after which a figure is shown as text instead

class Page {
  constructor(config, elements) {
    this.config = config;
    this.session = this.#connect(new Session(config));
    this.queue = []; // of {cell} and {all: true}
    this.isBusy = false;
    this.links = new Links(this);
    this.loadSanitiser = this.loadSanitiser.bind(this);
    const { notebook } = config;
    const actions = {
      runAll: () => this.runAll(),
      restart: () => this.restart(),
      stop: () => this.stop(),
      download: notebook && (() => this.#download(notebook)),
    };
    this.bar = new Bar(elements[0], actions, (action) => this.guard(action));
    this.cells = elements.map((element, i) => new Cell(element, i + 1, this));
    this.byId = new Map(this.cells.map((cell) => [cell.id, cell]));
    for (const cell of this.cells) cell.recall();
    this.#weigh();
  }

  say(text, options) {
    this.bar.say(text, options);
  }

  /** Say in the bar how much the first Run fetches. */
  #weigh() {
    const sources = this.cells.map(({ source }) => source);
    this.session.expect(sources);
    this.say(offered(this.cells.length, this.session.weight(sources)));
  }

  /** A function that may fail without breaking the page. */
  guard(action) {
    return (...args) => {
      try {
        const result = action(...args);
        result?.catch?.(report);
      } catch (error) {
        report(error);
      }
    };
  }

  // ---- the worker

  #connect(session) {
    const on = (type, action) =>
      session.addEventListener(
        type,
        this.guard((event) => action.call(this, event.detail)),
      );
    on("state", this.#onState);
    on("progress", this.#onProgress);
    on("plan", this.#onPlan);
    on("begin", this.#onBegin);
    on("output", this.#onOutput);
    on("end", this.#onEnd);
    return session;
  }

  loadSanitiser() {
    this.sanitiser ??= Promise.race([
      import("./sanitise.js").then((module) => module.clean),
      new Promise((_, reject) =>
        setTimeout(reject, LOAD_WITHIN, new Error("too slow")),
      ),
    ]);
    this.sanitiser.catch(() => (this.sanitiser = null)); // the next run tries again
    return this.sanitiser;
  }

  #onState({ state, reason, boot }) {
    this.bar.setState(state, boot);
    if (state === "loading") this.#onProgress({ text: "Loading Python" });
    if (state === "failed") this.#fail(reason);
    else if (reason) {
      this.reason = reason;
      this.say(reason);
    }
    // Said only where it follows the lines about loading, not over a run's result.
    if (state === "idle" && !this.isBusy && this.bar.isLoadingSaid)
      this.say(`Python ${this.session.version} is ready.`);
  }

  #onProgress({ text, loaded, total }) {
    // After Stop and when Python has broken off a new worker starts by itself: nobody
    // waits for it, nothing is said.
    if (!this.session.isAwaited) return;
    const line = this.bar.load(text, loaded, total);
    for (const cell of this.cells) {
      if (cell.state === "queued") cell.setNote(line[0].toLowerCase() + line.slice(1));
    }
  }

  #onPlan({ cells }) {
    this.plan = cells;
    this.place = 0;
    for (const id of cells) {
      const cell = this.byId.get(id);
      if (cell && !cell.isBusy) cell.setState("queued");
    }
    const text = planned(cells.length, this.target);
    if (text) this.say(text);
  }

  #onBegin({ cell: id }) {
    const cell = this.byId.get(id);
    if (!cell) return;
    cell.begin();
    this.place += 1;
    const text = begun(cell, this.place, this.plan?.length ?? 1, this.target);
    this.say(text, { progress: true });
  }

  #onOutput({ cell: id, output }) {
    this.byId.get(id)?.add(output);
    if (output.kind !== "error") return;
    const { name, message, line, cell: where } = output;
    // The line may be in a cell further up, in a function that this one called.
    const source = this.byId.get(where);
    if (source && line) source.markLine(line);
    const place = source && line ? ` in line ${line} of cell ${source.number}` : "";
    const what = firstLine(message);
    this.error ??= { id, text: `${name}${place}${what && `: ${what}`}` };
  }

  #onEnd({ cell: id, status, seconds }) {
    const cell = this.byId.get(id);
    if (!cell) return;
    this.seconds = seconds;
    if (status === "stopped") this.stopped = cell;
    this.ending = Promise.all([this.ending, cell.end(status)]);
  }

  /** Python does not run here: say so where the reader looks. */
  #fail(reason = "Python could not be started.") {
    const text =
      `${reason} What you see below each cell is the output of the build. ` +
      "Press Run to try again, or reload the page.";
    this.hasFailed = true;
    this.say(text);
    const cell = this.target ?? this.cells.find((other) => other.isBusy);
    cell?.message("failed", text);
  }

  // ---- runs

  run(cell) {
    cell.message("failed", null);
    this.links.ran(cell);
    cell.setState("queued");
    this.queue.push({ cell });
    return this.#next();
  }

  runAll() {
    if (this.allRuns) return;
    this.#setAll(true);
    for (const cell of this.cells) if (!cell.isBusy) cell.setState("queued");
    this.queue.push({ all: true });
    return this.#next();
  }

  #setAll(runs) {
    this.allRuns = runs;
    this.bar.runAll.setAttribute("aria-disabled", String(runs));
  }

  stop() {
    this.queue.length = 0;
    this.session.stop();
  }

  /** Start Python anew: names are gone, outputs stay to be read. */
  async restart() {
    this.queue.length = 0;
    const isReady = await this.session.restart();
    if (isReady && !this.isBusy) this.say("Python has started anew: no cell has run.");
  }

  async #download(notebook) {
    try {
      await downloadNotebook(notebook, this.cells);
      this.say(`${notebook.name} has been made, with your edits in it.`);
    } catch (error) {
      this.say(`The notebook could not be fetched (${firstLine(error.message)}).`);
    }
  }

  /** Reset was pressed. */
  forget(cell) {
    this.session.forget(cell.id);
    this.say(`Cell ${cell.number} is as built again.`);
  }

  #setBusy(isBusy) {
    this.isBusy = isBusy;
    this.bar.setBusy(isBusy);
  }

  async #next() {
    if (this.isBusy) return;
    this.#setBusy(true);
    try {
      while (this.queue.length) await this.#do(this.queue.shift());
    } catch (error) {
      this.#fail(`The page met a fault of its own (${error?.message ?? error}).`);
      report(error);
    } finally {
      this.queue.length = 0;
      for (const cell of this.cells) cell.settle().catch(report);
      this.#setAll(false);
      this.#setBusy(false);
    }
  }

  async #do({ cell, all }) {
    this.loadSanitiser().catch(() => {});
    this.target = all ? null : cell;
    this.plan = null;
    this.place = 0;
    this.spent = new Spent();
    this.error = null;
    this.reason = null;
    this.stopped = null;
    this.ending = null;
    this.hasFailed = false;
    const { session } = this;
    const cells = this.cells.map(({ id, label, source }) => ({ id, label, source }));
    const result = all
      ? await session.runAll(cells)
      : await session.run(cells, cell.id);
    await this.ending;
    // What was planned and did not run goes back to what it was.
    const waiting = new Set(this.queue.map((job) => job.cell));
    if (all || !this.allRuns) {
      this.#setAll(false);
      const rest = this.cells.filter((other) => !waiting.has(other));
      await Promise.all(rest.map((other) => other.settle()));
    }
    this.#sayResult(result, cell);
    this.target = null;
  }

  #sayResult({ status }, cell) {
    if (status === "failed") {
      if (!this.hasFailed) this.#fail(); // else said where the state changed
      return;
    }
    let text;
    if (this.reason) {
      text = this.reason;
      (cell ?? this.stopped)?.message("failed", text);
    } else if (status === "stopped") {
      text = "Stopped.";
    } else if (this.error) {
      text = this.error.text;
      if (!cell) text = `All cells have run, not all well. ${text}`;
      else if (this.error.id !== cell.id) {
        text += `. Cell ${cell.number} needs that cell and did not run.`;
        const link = make("a", { href: `#cell-${this.error.id}` }, "Go to the error");
        cell.message("failed", text, link);
      }
    } else if (status === "error") {
      text = `${cell ? `Cell ${cell.number}` : "All cells"}: an error.`;
    } else {
      text = hasRun(cell, this.seconds);
    }
    if (cell?.output?.isCut) text += " Its output was cut.";
    this.say(text);
  }

  // ---- editor

  /** What could stand after some code of a cell: Python says, or else the build's index. */
  async complete(cell, before) {
    const completion = await this.session.complete(before);
    if (completion) return completion;
    const loading = import("./names.js").catch(() => null);
    const [names, index] = await Promise.all([loading, this.#names()]);
    if (!names) return null;
    const above = this.cells.slice(0, cell.number - 1).map(({ source }) => source);
    return names.complete(index, above, before);
  }

  /** The index of the modules that the cells import; empty where it cannot be fetched. */
  #names() {
    const { index } = this.config;
    this.index ??= (index ? fetch(new URL(index, document.baseURI)) : Promise.reject())
      .then((response) => response.json())
      .catch(() => ({}));
    return this.index;
  }

  async openEditor(cell, options) {
    this.say("Loading the editor …");
    try {
      const module = await import("./editor.js");
      if (!this.highlight) {
        this.highlight = module.highlight;
        for (const other of this.cells) if (other !== cell) other.colour();
      }
      const editor = module.openEditor(options);
      if (!this.isBusy) this.say(`The code of cell ${cell.number} can be edited.`);
      return editor;
    } catch (error) {
      const text =
        "The editor could not be loaded, so here is a plain text field. " +
        `(${firstLine(error?.message ?? error)})`;
      cell.message("editor", text);
      this.say(text);
      return openPlain(options);
    }
  }
}

let reported = false;

/** Say a fault of this script once; the page goes on. */
function report(error) {
  if (!reported) console.error("livecells:", error);
  reported = true;
}

function begin() {
  for (const line of document.querySelectorAll(".livecells-absent")) line.remove();
  const elements = [...document.querySelectorAll("div.cell.livecell[id]")].filter(
    (element) => element.querySelector("div.cell_input pre"),
  );
  moveWhenNear(document);
  if (!elements.length) return;
  const config = JSON.parse(document.getElementById("livecells-config").textContent);
  const page = new Page(config, elements);
  const [navigation] = performance.getEntriesByType("navigation");
  const again = ["reload", "back_forward"].includes(navigation?.type);
  window.addEventListener(
    "hashchange",
    page.guard(() => page.links.open()),
  );
  page.links
    .open({ again })
    .catch(report)
    .finally(() => {
      document.documentElement.dataset.livecells = "ready";
    });
}

try {
  begin();
} catch (error) {
  report(error);
}
