// The page's side of the worker: loads what Python needs once, starts workers from it,
// and passes runs to the one that lives.
//
// Stop and Restart end the worker, whatever it does. The files are then still in the
// page's memory, so the next worker starts without the network.

import { Files } from "./files.js";
import { Sandbox } from "./sandbox.js";
import * as store from "./store.js";
import { wanted } from "./wheels.js";

const QUIET = 1000; // ms after a run before work for the next visit begins
const TRIES = 3; // to make a snapshot, so that one that never succeeds costs little
// ms that an editor waits for Python's completions; one that runs a cell gives none
const ANSWER = { idle: 5000, running: 250 };

/**
 * A worker and what has run in it.
 *
 * Events, each with its `detail`: "state" {state, reason?, boot?}, "progress" {text,
 * loaded, total}, "plan" {cells}, "begin" {cell}, "output" {cell, output}, "end" {cell,
 * status, seconds}. States: "off", "loading", "idle", "running", "failed".
 */
export class Session extends EventTarget {
  constructor(config) {
    super();
    this.config = config;
    this.base = new URL(config.assets, document.baseURI).href; // of this version
    this.place = new URL("..", this.base).href; // of all versions of this book
    this.files = new Files(config, this.base);
    this.state = "off";
    this.sandbox = null;
    this.spare = null; // a sandbox without a script, made before the click
    this.opened = null; // what `#open` gave before the click
    this.starting = null; // a promise of whether the worker is ready
    this.kept = undefined; // {snapshot, wheels}; undefined: not looked for; null: none
    this.finding = null; // a promise of what is found of it
    this.isPreparing = false;
    this.tries = TRIES; // that are left
    this.pending = null; // {resolve, target, cell} of the run that goes on
    this.wheels = new Set(); // those that the worker has
    this.hasRun = false; // whether a cell has run in this worker
    this.asked = new Map(); // number of a request for completions -> its resolve
    this.requests = 0;
  }

  /** Whether a run goes on, or waits for Python. */
  get isAwaited() {
    return this.pending !== null;
  }

  /** How many bytes the first Run of these sources fetches; 0 where nothing is known. */
  weight(sources) {
    if (store.hasNote(this.place, this.config.version)) return 0;
    return this.files.weight(wanted(this.config.wheels, sources));
  }

  /**
   * Once the page has rest, make the sandbox; for a reader who has run cells of this book
   * read what Python starts from out of the browser, too. Nothing is fetched.
   */
  expect(sources) {
    const whenIdle = window.requestIdleCallback ?? setTimeout;
    whenIdle(async () => {
      if (this.state !== "off") return; // the click was earlier
      this.spare = new Sandbox();
      if (!store.hasNote(this.place, this.config.version)) return;
      this.#find();
      const isThere = await this.files.expect(wanted(this.config.wheels, sources));
      if (isThere && this.state === "off") this.opened ??= this.#open();
    });
  }

  /** Run a cell, and first those above it that it needs and that have not run. */
  run(cells, target) {
    return this.#run({ type: "run", cells, target, all: false });
  }

  /** Run every cell in order in a Python in which nothing has run. */
  runAll(cells) {
    if (this.hasRun) this.#drop();
    return this.#run({ type: "run", cells, target: null, all: true });
  }

  /** End what runs or loads, now. */
  stop() {
    const wasThere = this.state === "idle" || this.state === "running";
    this.#drop();
    this.#finish("stopped");
    if (wasThere)
      this.#warm(); // the next Run shall not wait for it
    else this.#setState("off");
  }

  /** End this Python and start another, in which nothing has run. */
  restart() {
    if (this.state === "off" || this.state === "failed") return Promise.resolve(true);
    this.#drop();
    this.#finish("stopped");
    return this.#warm();
  }

  /** A cell is as built again: it has not run. */
  forget(id) {
    this.sandbox?.post({ type: "forget", id });
  }

  /** What could stand at the end of some code; null where no Python can say. */
  complete(before) {
    const patience = ANSWER[this.state];
    if (!patience) return Promise.resolve(null);
    const number = (this.requests += 1);
    return new Promise((resolve) => {
      this.asked.set(number, resolve);
      setTimeout(() => this.#answer(number, null), patience);
      this.sandbox.post({ type: "complete", number, before });
    });
  }

  #answer(number, suggestions) {
    this.asked.get(number)?.(suggestions);
    this.asked.delete(number);
  }

  // ---- runs

  #run(message) {
    if (this.pending) return Promise.resolve({ status: "failed" }); // one at a time
    const result = new Promise((resolve) => {
      this.pending = { resolve, target: message.target, cell: null, begun: 0 };
    });
    this.#begin(this.pending, message);
    return result;
  }

  async #begin(mine, message) {
    const sources = message.cells.map(({ source }) => source);
    const wheels = wanted(this.config.wheels, sources);
    const isReady = await this.#warm(wheels);
    if (this.pending !== mine) return; // stopped meanwhile
    if (!isReady || !(await this.#add(wheels))) {
      if (this.pending === mine) this.#finish("failed");
      return;
    }
    if (this.pending !== mine) return;
    this.hasRun = true;
    this.#setState("running");
    this.sandbox.post(message);
  }

  /** Give the worker packages that it has not; resolves to whether they are there. */
  async #add(wheels) {
    const missing = wheels.filter((name) => !this.wheels.has(name));
    if (!missing.length) return true;
    const { sandbox } = this;
    try {
      const files = await this.files.get(missing, this.#tell);
      if (sandbox !== this.sandbox) return false;
      sandbox.post({ type: "add", wheels: files.wheels });
      for (const name of missing) this.wheels.add(name);
      return true;
    } catch (error) {
      if (sandbox === this.sandbox)
        this.#setState("failed", { reason: `${error.message}.` });
      return false;
    }
  }

  /** The run is over: settle its promise, and the cell that was running. */
  #finish(status) {
    const { pending } = this;
    if (!pending) return;
    this.pending = null;
    if (pending.cell !== null) this.#end(pending, status);
    pending.resolve({ status });
  }

  #end(pending, status, seconds) {
    const { cell } = pending;
    const spent = seconds ?? (performance.now() - pending.since) / 1000;
    pending.cell = null;
    this.#emit("end", { cell, status, seconds: spent });
  }

  // ---- the worker

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #setState(state, more = {}) {
    this.state = state;
    this.#emit("state", { state, ...more });
  }

  #tell = (loaded, total) => {
    if (this.starting || this.pending)
      this.#emit("progress", { text: "Loading Python", loaded, total });
  };

  #warm(wheels = [...this.wheels]) {
    this.starting ??= this.#start(wheels);
    return this.starting;
  }

  /** Let go of the worker. */
  #drop() {
    this.sandbox?.remove();
    this.sandbox = null;
    this.opened = null;
    this.starting = null;
    this.attempt = null;
    this.hasRun = false;
    this.files.abort();
    for (const number of this.asked.keys()) this.#answer(number, null);
  }

  /** What is kept of a start, once it has been looked for. */
  async #find() {
    this.finding ??= store.load(this.place, this.config.version);
    const kept = await this.finding;
    if (this.kept === undefined) this.kept = kept;
    return this.kept;
  }

  async #start(wheels) {
    const attempt = (this.attempt = {}); // to know whether it is still wanted
    const isStale = () => this.attempt !== attempt;
    this.#setState("loading");
    try {
      const finding = this.#find();
      const loading = this.files.get(wheels, this.#tell);
      let python = this.opened ?? this.#open(); // gets ready while the rest is fetched
      this.opened = null;
      const files = await loading;
      if (isStale()) return false;
      await store.inTime(finding);
      if (isStale()) return false;
      this.kept ??= null; // what comes later than this is not used any more
      this.#emit("progress", { text: "Starting Python", loaded: 0, total: 0 });
      try {
        await python.boot(files, this.kept?.snapshot ?? null);
      } catch (error) {
        if (!this.kept || isStale()) throw error;
        // A snapshot that does not fit: forget it and start the long way.
        console.info(`livecells: the kept start did not fit: ${error.message}`);
        this.kept = null;
        this.sandbox?.remove();
        await store.inTime(store.save(this.place, this.config.version, null));
        if (isStale()) return false;
        python = this.#open();
        await python.boot(files, null);
      }
      if (isStale()) return false;
      this.wheels = new Set(wheels);
      this.#setState("idle", { boot: this.kept ? "snapshot" : "normal" });
      return true;
    } catch (error) {
      if (isStale()) return false;
      this.#drop();
      this.#setState("failed", { reason: `Python did not start: ${error.message}.` });
      return false;
    }
  }

  /**
   * A new sandbox, in which Python's core is made ready as soon as it is there; the files
   * are being fetched. `boot(files, snapshot)` starts Python in it.
   */
  #open() {
    let hear;
    const ready = new Promise((resolve, reject) => {
      hear = ({ type, reason, version }) => {
        if (type === "ready") {
          this.version = /^\d+\.\d+$/.test(version) ? version : "";
          this.ran = new Set(); // the cells that have run in it
          resolve();
        } else if (type === "unready" || type === "crashed")
          reject(new Error(String(reason)));
      };
    });
    ready.catch(() => {}); // said when Python is to start in it
    const sandbox = this.spare ?? new Sandbox();
    this.spare = null;
    this.sandbox = sandbox;
    sandbox.load(this.files.script(), (message) => {
      if (sandbox !== this.sandbox) return;
      if (this.state === "loading" || this.state === "off") hear(message ?? {});
      else this.#hear(message);
    });
    const compile = (core) => sandbox.post({ type: "compile", core });
    const compiling = this.files.core().then(compile, () => {}); // `get` says why not
    const { limit } = this.config;
    const boot = async ({ lock, library, runtime, wheels }, snapshot) => {
      await compiling;
      const packages = this.#packages();
      const files = { lock, library, runtime, wheels };
      sandbox.post({ type: "boot", limit, packages, snapshot, ...files });
      return ready;
    };
    return { boot };
  }

  #packages(wheels = this.config.wheels.map(({ file }) => file)) {
    return this.config.wheels
      .filter(({ file }) => wheels.includes(file))
      .flatMap(({ packages }) => packages);
  }

  /**
   * Make a snapshot for the next start, in a worker of its own in which no cell ever runs.
   * It may fail; then there is none.
   */
  async #prepare() {
    const had = new Set(this.kept?.wheels);
    const isEnough = this.kept && [...this.wheels].every((name) => had.has(name));
    if (isEnough || this.isPreparing || !this.tries) return;
    this.isPreparing = true;
    this.tries -= 1;
    let sandbox = null;
    try {
      if (!(await store.canKeep())) throw new Error("nothing can be kept here");
      // What other pages import stays in it, so that pages do not undo one another's.
      const all = new Set([...had, ...this.wheels]);
      const wheels = this.config.wheels.map(({ file }) => file).filter((f) => all.has(f));
      const { script, ...files } = await this.files.get(wheels);
      const snapshot = await new Promise((resolve, reject) => {
        sandbox = new Sandbox();
        sandbox.load(Promise.resolve(script), (message) => {
          if (message instanceof ArrayBuffer) resolve(message);
          else reject(new Error(message.reason));
        });
        const packages = this.#packages(wheels);
        const { core, ...others } = files;
        sandbox.post({ type: "compile", core });
        sandbox.post({ type: "prepare", packages, ...others });
      });
      this.kept = { snapshot, wheels };
      this.tries = 0;
      await store.save(this.place, this.config.version, this.kept);
    } catch (error) {
      console.info(`livecells: the next start takes the long way: ${error.message}`);
    } finally {
      sandbox?.remove();
      this.isPreparing = false;
    }
  }

  /** What the worker says while cells run. A cell can forge any of it. */
  #hear(message) {
    const { pending } = this;
    const { type } = message ?? {};
    if (type === "crashed") {
      this.#crash(String(message.reason));
    } else if (type === "completed") {
      this.#answer(message.number, completions(message.answer));
    } else if (type === "late" && message.output && this.ran.has(message.cell)) {
      // Of a task that a cell has left behind; a cell that has not run is left alone.
      if (["stream", "cut"].includes(message.output.kind))
        this.#emit("output", { cell: message.cell, output: message.output });
    } else if (!pending) {
      // Nothing else is of interest.
    } else if (type === "plan" && Array.isArray(message.cells) && !pending.plan) {
      pending.plan = message.cells.map(String);
      this.#emit("plan", { cells: [...pending.plan] });
    } else if (type === "begin") {
      const cell = String(message.cell);
      // Forged where another one is next, or one still runs: it would clear what that shows.
      if (pending.cell !== null || cell !== pending.plan?.[pending.begun]) return;
      pending.begun += 1;
      pending.cell = cell;
      this.ran.add(cell);
      pending.since = performance.now();
      this.#emit("begin", { cell: pending.cell });
    } else if (type === "output" && message.output && pending.cell !== null) {
      this.#emit("output", { cell: pending.cell, output: message.output });
    } else if (type === "end" && pending.cell !== null) {
      const status = message.status === "ok" ? "ok" : "error";
      this.#end(pending, status, Number(message.seconds) || 0);
    } else if (type === "done") {
      const status = message.status === "ok" ? "ok" : "error";
      if (message.isWorn) {
        this.#drop();
        this.#finish(status);
        this.#warm();
      } else {
        this.#setState("idle");
        this.#finish(status);
        setTimeout(() => this.#prepare(), QUIET);
      }
    }
  }

  /** Python itself broke, by a want of memory for instance: say so and start anew. */
  #crash(reason) {
    this.#drop();
    const cell = this.pending?.cell ?? this.pending?.target;
    const text =
      `Python broke off: ${reason}\n` +
      "It starts again by itself; the cells above run again when they are needed.";
    if (cell) {
      const name = "Python broke off";
      const output = { kind: "error", name, message: reason, text, line: null, cell };
      this.#emit("output", { cell, output });
    }
    this.#finish("error");
    this.#warm();
  }
}

/** What a worker says of a place in the code, without what is not of that form. */
function completions(answer) {
  const text = (value) => String(value ?? "").slice(0, 300);
  const { length, options, signature } = answer ?? {};
  if (!Array.isArray(options)) return null;
  return {
    length: Number(length) || 0,
    options: options
      .slice(0, 300)
      .map(({ label, type }) => ({ label: text(label), type: text(type) })),
    signature: signature && { text: text(signature.text), doc: text(signature.doc) },
  };
}
