// The page's script: finds the live cells, gives them their controls, and passes runs
// to the worker. Until a reader presses a button it fetches nothing.
//
// Runs stand in a line: pressing Run while another cell runs puts the cell at its end,
// and Stop ends the cell that runs and empties the line.

import { Cell, make, memory, fingerprint } from "./cell.js";
import { LinkError, makeLink, readLink } from "./link.js";
import { Session } from "./session.js";

const SPEAK_EVERY = 1500; // ms between two lines of progress in the status
const LOAD_WITHIN = 30_000; // ms, after which a figure is shown as text instead

class Page {
  constructor(config, elements) {
    this.config = config;
    this.session = null;
    this.queue = []; // of {cell} and {all: true}
    this.busy = false;
    this.cells = elements.map((element, i) => new Cell(element, i + 1, this));
    this.byId = new Map(this.cells.map((cell) => [cell.id, cell]));
    this.loadSanitiser = this.loadSanitiser.bind(this);
    this.#addBar(elements[0]);
    for (const cell of this.cells) {
      const source = cell.remembered();
      if (source !== null) cell.setSource(source);
    }
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

  // ---- the bar above the first cell

  #addBar(first) {
    const button = (name, text, action) =>
      make(
        "button",
        {
          type: "button",
          className: `livecell-button livecells-${name}`,
          onclick: this.guard(action),
        },
        text,
      );
    this.runAllButton = button("runall", "Run all", () => this.runAll());
    this.stopButton = button("stop", "Stop", () => this.stop());
    this.stopButton.hidden = true;
    this.progress = make("progress", {
      className: "livecells-progress",
      hidden: true,
      "aria-label": "Loading",
      max: 1,
    });
    this.status = make("p", { className: "livecells-status", role: "status" });
    this.bar = make(
      "div",
      {
        className: "livecells-bar",
        role: "group",
        "aria-label": "Run the code of this page",
        "data-livecells-state": "off",
      },
      this.runAllButton,
      this.stopButton,
      this.progress,
      this.status,
    );
    const count = this.cells.length;
    this.status.textContent =
      count === 1
        ? "1 cell can run in this page."
        : `${count} cells can run in this page.`;
    first.before(this.bar);
  }

  /** Tell the reader. Lines of progress are spoken now and then, all others at once. */
  say(text, { progress = false, loading = false } = {}) {
    clearTimeout(this.speaking);
    this.isLoadingSaid = loading;
    const now = performance.now();
    const wait = progress ? (this.spokeAt ?? -Infinity) + SPEAK_EVERY - now : 0;
    if (wait > 0) {
      this.speaking = setTimeout(() => this.say(text, { progress, loading }), wait);
      return;
    }
    this.spokeAt = now;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  #setBusy(busy) {
    this.busy = busy;
    const hadFocus = document.activeElement === this.stopButton;
    this.stopButton.hidden = !busy;
    if (!busy && hadFocus) this.runAllButton.focus({ preventScroll: true });
  }

  // ---- the worker

  /** The session with the worker, made with the first click. */
  start() {
    if (this.session) return this.session;
    const session = new Session(this.config);
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
    this.session = session;
    return session;
  }

  /** Load Python ahead of the first run: whoever edits a cell is about to run it. */
  async warm(cell) {
    // A kindness, but not to a reader who pays for each megabyte.
    if (navigator.connection?.saveData) return;
    this.warmedFor = cell;
    this.isWarming = true;
    await this.start().warm();
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
    this.bar.dataset.livecellsState = state;
    if (boot) this.bar.dataset.livecellsBoot = boot; // "snapshot" or "normal"
    if (state !== "loading") {
      this.progress.hidden = true;
      this.isWarming = false;
    }
    if (state === "loading") this.#onProgress({ text: "Loading Python" });
    if (state === "failed") this.#fail(reason);
    else if (reason) {
      this.reason = reason;
      this.say(reason);
    }
    // Said only where it follows the lines about loading, not over a run's result.
    if (state === "idle" && !this.busy && this.isLoadingSaid)
      this.say("Python is ready.");
  }

  #onProgress({ text, loaded, total }) {
    // After Stop a new worker starts by itself: nobody waits for it, nothing is said.
    if (!this.busy && !this.isWarming) return;
    this.progress.hidden = false;
    let line = text;
    if (total) {
      line += `: ${megabytes(loaded)} of ${megabytes(total)} MB`;
      this.progress.value = Math.min(1, loaded / total);
    } else {
      line += loaded ? `: ${megabytes(loaded)} MB` : " …";
      this.progress.removeAttribute("value");
    }
    this.say(line, { progress: true, loading: true });
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
    const first = cells.length - 1;
    if (!this.target) this.say(`Running ${cells.length} cells …`);
    else if (first) {
      const above = first === 1 ? "the cell" : `the ${first} cells`;
      const { number } = this.target;
      this.say(`Running cell ${number}, and first ${above} above that it needs …`);
    }
  }

  #onBegin({ cell: id }) {
    const cell = this.byId.get(id);
    if (!cell) return;
    cell.begin();
    this.place += 1;
    const count = this.plan?.length ?? 1;
    const target = this.target;
    let text = `Running cell ${cell.number}`;
    if (count > 1) text += ` (${this.place} of ${count})`;
    if (target && cell !== target) text += `, which cell ${target.number} needs`;
    this.say(`${text} …`, { progress: true });
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
    const cell =
      this.target ?? this.cells.find((other) => other.isBusy) ?? this.warmedFor;
    cell?.message("failed", text);
  }

  // ---- runs

  run(cell) {
    cell.message("link", null);
    cell.message("failed", null);
    this.handleLink(cell);
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
    this.runAllButton.setAttribute("aria-disabled", String(runs));
  }

  stop() {
    this.queue.length = 0;
    this.session?.stop();
  }

  /** Reset was pressed. */
  forget(cell) {
    this.session?.forget(cell.id);
    this.say(`Cell ${cell.number} is as built again.`);
  }

  async #next() {
    if (this.busy) return;
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
    this.error = null;
    this.reason = null;
    this.stopped = null;
    this.ending = null;
    this.hasFailed = false;
    const session = this.start();
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
    const what = cell ? `Cell ${cell.number}` : "All cells";
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
      text = `${what}: an error.`;
    } else {
      text =
        cell && this.seconds !== undefined
          ? `${what} has run (${duration(this.seconds)}).`
          : cell
            ? `${what} has run.`
            : `${what} have run.`;
    }
    if (cell?.output?.isCut) text += " Its output was cut.";
    this.say(text);
  }

  // ---- editor

  async openEditor(cell, options) {
    this.say("Loading the editor …");
    this.warm(cell).catch(() => {}); // Run tells what is wrong
    try {
      const module = await import("./editor.js");
      if (!this.highlight) {
        this.highlight = module.highlight;
        for (const other of this.cells) if (other !== cell) other.colour();
      }
      const editor = module.openEditor(options);
      if (!this.busy) this.say(`The code of cell ${cell.number} can be edited.`);
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

  // ---- links

  /** Make a link to a cell's edit and give it to the reader. */
  async share(cell) {
    cell.message("share", null);
    let fragment;
    try {
      fragment = await makeLink(cell.id, cell.source);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      cell.message("share", error.message);
      this.say(error.message);
      return;
    }
    const address = location.href.replace(/#.*$/, "") + fragment;
    const show = make("a", { href: fragment }, "Put it into this page's address");
    try {
      await navigator.clipboard.writeText(address);
      cell.message("share", "The link is on the clipboard. ", show);
      this.say("The link is on the clipboard.");
    } catch {
      const field = make("input", {
        type: "text",
        className: "livecell-link",
        readOnly: true,
        value: address,
        "aria-label": `Link to your edit of cell ${cell.number}`,
      });
      field.addEventListener("focus", () => field.select());
      cell.message("share", "Copy this link:", field, show);
      this.say("The link is below the cell, to be copied.");
      field.focus({ preventScroll: true });
      field.select();
    }
  }

  /** Show the edit that the page's address carries, if it does, without running it. */
  async openLink({ again = false } = {}) {
    const fragment = location.hash;
    // After a reload the reader's own later edit counts, not the link it began with.
    if (again && memory.get(this.#linkKey()) === fingerprint(fragment)) return;
    let link;
    try {
      link = await readLink(fragment);
      if (!link) return;
      if (!this.byId.has(link.id)) {
        throw new LinkError(
          "The link's edit is for a cell that this page does not have.",
        );
      }
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.say(`${error.message} The link was ignored; the cells are unchanged.`);
      return;
    }
    const cell = this.byId.get(link.id);
    for (let fold = cell.input.closest("details"); fold;) {
      fold.open = true;
      fold = fold.parentElement.closest("details");
    }
    if (cell.isBusy) {
      this.say(`The link is for cell ${cell.number}, which runs. Open it again later.`);
    } else if (link.source !== cell.source) {
      if (!cell.link) cell.beforeLink = cell.source;
      const text = "This link carries an edited cell. It has not been run.";
      const decide = (name, label, source) =>
        make(
          "button",
          {
            type: "button",
            className: `livecell-button livecell-${name}`,
            "aria-label": `${label} of cell ${cell.number}`,
            onclick: this.guard(() => {
              if (source !== null) cell.setSource(source);
              this.handleLink(cell);
              cell.buttons.run.focus({ preventScroll: true });
              this.say(
                source === null ? "The edit is kept." : "The edit is discarded.",
              );
            }),
          },
          label,
        );
      cell.setSource(link.source, { keep: false });
      cell.link = fragment;
      cell.message(
        "link",
        text,
        decide("keep", "Keep the edit", null),
        decide("discard", "Discard the edit", cell.beforeLink),
      );
      this.say(`${text} It is cell ${cell.number}.`);
    }
    cell.element.scrollIntoView({ block: "start" });
  }

  /** The reader has dealt with the link of `cell`: its edit is now theirs, or gone. */
  handleLink(cell) {
    if (!cell.link) return;
    cell.message("link", null);
    cell.keep();
    memory.set(this.#linkKey(), fingerprint(cell.link));
    cell.link = null;
  }

  #linkKey() {
    return `livecells ${location.pathname} link`;
  }
}

/** A plain text field with the editor's keys, for when the editor does not load. */
function openPlain({ parent, source, label, hint, onChange, onRun, onLeave }) {
  const field = make("textarea", {
    className: "livecell-plain",
    value: source,
    spellcheck: false,
    autocapitalize: "off",
    "aria-label": label,
    "aria-describedby": hint,
  });
  const fit = () => (field.rows = field.value.split("\n").length + 1);
  const change = () => {
    fit();
    onChange(field.value);
  };
  field.addEventListener("input", change);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      onRun();
    } else if (event.key === "Escape") {
      onLeave();
    } else if (event.key === "Tab" && !event.shiftKey) {
      field.setRangeText("    ", field.selectionStart, field.selectionEnd, "end");
      change();
    } else {
      return;
    }
    event.preventDefault();
  });
  fit();
  parent.append(field);
  return {
    focus: () => field.focus(),
    markLine() {},
    setSource(text) {
      field.value = text;
      fit();
    },
    close: () => field.remove(),
  };
}

function megabytes(bytes) {
  return ((bytes ?? 0) / 1e6).toFixed(1);
}

function duration(seconds) {
  return seconds < 0.1 ? "under 0.1 s" : `${seconds.toFixed(1)} s`;
}

function firstLine(text) {
  const line = String(text ?? "").split("\n", 1)[0];
  return line.length > 200 ? `${line.slice(0, 200)} …` : line;
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
  if (!elements.length) return;
  const config = JSON.parse(document.getElementById("livecells-config").textContent);
  const page = new Page(config, elements);
  const [navigation] = performance.getEntriesByType("navigation");
  const again = ["reload", "back_forward"].includes(navigation?.type);
  window.addEventListener(
    "hashchange",
    page.guard(() => page.openLink()),
  );
  page
    .openLink({ again })
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
