// The page's side of the worker: loads what Python needs once, starts workers from it,
// and passes runs to the one that lives.
//
// Stop ends the worker, whatever it does. The files are then still in the page's memory,
// so the next worker starts without the network.

import * as store from "./store.js";

const WHOLE = "Loading Python";
const QUIET = 1000; // ms after a run before work for the next visit begins

/** The files of Python, fetched once and kept. */
class Files {
  constructor(config, base) {
    this.config = config;
    this.base = base;
    this.loading = null;
  }

  /** All of them; `tell(loaded, total)` hears how many bytes have come. */
  get(tell) {
    this.tell = tell;
    this.loading ??= this.#load().catch((error) => {
      this.loading = null; // the next Run tries again
      throw error;
    });
    return this.loading;
  }

  async #load() {
    const { wheels } = this.config;
    this.loaded = 0;
    this.total = 0;
    const names = {
      module: "pyodide/pyodide.asm.wasm",
      library: "pyodide/python_stdlib.zip",
      lock: "pyodide/pyodide-lock.json",
      runtime: "runtime.py",
    };
    for (const name of [...Object.values(names), ...wheels]) {
      this.total += this.#size(name);
    }
    const bytes = (name) => this.#fetch(name).then((response) => response.arrayBuffer());
    const [module, library, lock, runtime, ...packed] = await Promise.all([
      this.#module(names.module),
      bytes(names.library),
      this.#fetch(names.lock).then((response) => response.json()),
      this.#fetch(names.runtime).then((response) => response.text()),
      ...wheels.map(bytes),
    ]);
    return {
      module,
      library,
      lock,
      runtime,
      wheels: wheels.map((name, i) => ({
        name: name.slice(name.lastIndexOf("/") + 1),
        bytes: packed[i],
      })),
    };
  }

  /** What a file weighs in the network, as far as the build could know. */
  #size(name) {
    return this.config.files?.[name]?.gzip ?? 0;
  }

  async #module(name) {
    const response = await this.#fetch(name);
    const type = response.headers.get("content-type") ?? "";
    try {
      if (WebAssembly.compileStreaming && type.startsWith("application/wasm")) {
        return await WebAssembly.compileStreaming(response);
      }
      return await WebAssembly.compile(await response.arrayBuffer());
    } catch (error) {
      throw new Error(`${name} cannot be used, it may be incomplete (${error.message})`);
    }
  }

  /** Fetch a file and count its bytes as they come. */
  async #fetch(name) {
    const address = this.base + name;
    let response;
    try {
      response = await fetch(address);
    } catch {
      throw new Error(`${name} could not be fetched (is the network there?)`);
    }
    if (!response.ok) {
      throw new Error(`${name} could not be fetched (the server says ${response.status})`);
    }
    const { bytes, gzip } = this.config.files?.[name] ?? {};
    if (!response.body || !bytes) return response;
    // The stream gives raw bytes; the reader waits for compressed ones.
    const share = gzip / bytes;
    let counted = 0;
    const count = (amount) => {
      const now = Math.min(gzip, counted + amount);
      this.loaded += now - counted;
      counted = now;
      this.tell?.(this.loaded, this.total);
    };
    const counter = new TransformStream({
      transform(chunk, controller) {
        count(chunk.length * share);
        controller.enqueue(chunk);
      },
      flush: () => count(gzip),
    });
    const type = response.headers.get("content-type") ?? "";
    return new Response(response.body.pipeThrough(counter), {
      headers: { "content-type": type },
    });
  }
}

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
    this.worker = null;
    this.starting = null; // a promise of whether the worker is ready
    this.snapshot = undefined; // undefined: not looked for yet; null: there is none
    this.preparing = false; // whether a snapshot was tried to be made
    this.script = null; // the worker's own text, for starting one without the network
    this.pending = null; // {resolve, target, cell, ran} of the run that goes on
  }

  /** Load and start Python, without a run. Resolves to whether it is ready. */
  warm() {
    this.starting ??= this.#start();
    return this.starting;
  }

  /** Run a cell, and first those above it that it needs and that have not run. */
  run(cells, target) {
    return this.#run({ type: "run", cells, target, all: false });
  }

  /** Run every cell in order in an empty namespace. */
  runAll(cells) {
    return this.#run({ type: "run", cells, target: null, all: true });
  }

  /** End what runs or loads, now. */
  stop() {
    const wasThere = this.state === "idle" || this.state === "running";
    this.#drop();
    this.#finish("stopped");
    if (wasThere) this.warm(); // the next Run shall not wait for it
    else this.#setState("off");
  }

  /** A cell is as built again: it has not run. */
  forget(id) {
    this.worker?.postMessage({ type: "forget", id });
  }

  // ---- runs

  async #run(message) {
    if (this.pending) return { status: "failed", ran: [] }; // one at a time
    const result = new Promise((resolve) => {
      this.pending = { resolve, target: message.target, cell: null, ran: [] };
    });
    const mine = this.pending;
    const isReady = await this.warm();
    if (this.pending !== mine) return result; // stopped meanwhile
    if (isReady) {
      this.#setState("running");
      this.worker.postMessage(message);
    } else {
      this.#finish("failed");
    }
    return result;
  }

  /** The run is over: settle its promise, and the cell that was running. */
  #finish(status) {
    const { pending } = this;
    if (!pending) return;
    this.pending = null;
    if (pending.cell !== null) this.#end(pending, pending.cell, status);
    pending.resolve({ status, ran: pending.ran });
  }

  #end(pending, cell, status, seconds) {
    const spent = seconds ?? (performance.now() - pending.since) / 1000;
    pending.cell = null;
    pending.ran.push(cell);
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

  /** Let go of the worker. */
  #drop() {
    this.worker?.terminate();
    this.worker = null;
    this.starting = null;
    this.attempt = null;
  }

  async #start() {
    const attempt = (this.attempt = {}); // to know whether it is still wanted
    const isStale = () => this.attempt !== attempt;
    this.#setState("loading");
    const tell = (loaded, total) => {
      if (!isStale()) this.#emit("progress", { text: WHOLE, loaded, total });
    };
    try {
      const spawned = this.#spawn();
      spawned.catch(() => {}); // looked at below
      const finding =
        this.snapshot === undefined ? store.load(this.place, this.config.version) : this.snapshot;
      const files = await this.files.get(tell);
      this.snapshot = await finding;
      let worker = await spawned;
      if (isStale()) return worker.terminate(), false;
      this.#emit("progress", { text: "Starting Python", loaded: 0, total: 0 });
      let boot;
      try {
        boot = await this.#boot(worker, files, this.snapshot);
      } catch (error) {
        worker.terminate();
        if (!this.snapshot || isStale()) throw error;
        // A snapshot that does not fit: forget it and start the long way.
        this.snapshot = null;
        await store.save(this.place, this.config.version, null);
        worker = await this.#spawn();
        boot = await this.#boot(worker, files, null);
      }
      if (isStale()) return worker.terminate(), false;
      this.#adopt(worker);
      this.#setState("idle", { boot });
      this.#keepScript();
      return true;
    } catch (error) {
      if (isStale()) return false;
      this.#drop();
      this.#setState("failed", { reason: `Python did not start: ${error.message}.` });
      return false;
    }
  }

  /** A worker that has said hello. */
  async #spawn() {
    const address = new URL("worker.js", this.base);
    try {
      return await this.#greet(address);
    } catch (error) {
      if (!this.script) throw error;
      // The network has gone since: start it from the text that the page kept.
      const copy = URL.createObjectURL(new Blob([this.script], { type: "text/javascript" }));
      try {
        return await this.#greet(copy);
      } finally {
        URL.revokeObjectURL(copy);
      }
    }
  }

  #greet(address) {
    return new Promise((resolve, reject) => {
      const worker = new Worker(address, { type: "module" });
      worker.onmessage = ({ data }) => {
        if (data.type === "hello") resolve(worker);
      };
      worker.onerror = (event) => {
        event.preventDefault?.();
        worker.terminate();
        const reason = event.message ? ` (${event.message})` : "";
        reject(new Error(`the worker's script could not be started${reason}`));
      };
    });
  }

  /** Start Python in a worker; resolves to "snapshot" or "normal". */
  #boot(worker, files, snapshot) {
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.type === "ready") resolve(data.boot);
        else if (data.type === "unready") reject(new Error(data.reason));
      };
      worker.onerror = (event) => {
        event.preventDefault?.();
        reject(new Error(event.message || "the worker broke off"));
      };
      const { limit } = this.config;
      worker.postMessage({ type: "boot", assets: this.base, limit, snapshot, ...files });
    });
  }

  /**
   * Make a snapshot for the next start, in a worker of its own: the reader's Python has
   * run cells already, and must not wait for this. It may fail; then there is none.
   */
  async #prepare() {
    if (this.snapshot || this.preparing) return;
    this.preparing = true;
    let worker = null;
    try {
      const files = await this.files.get();
      worker = await this.#spawn();
      const snapshot = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => {
          if (data.type === "snapshot") resolve(data.snapshot);
          else reject(new Error(data.reason));
        };
        worker.onerror = (event) => {
          event.preventDefault?.();
          reject(new Error(event.message));
        };
        const { packages } = this.config;
        worker.postMessage({ type: "prepare", assets: this.base, packages, ...files });
      });
      this.snapshot = snapshot;
      await store.save(this.place, this.config.version, snapshot);
    } catch {
      // The next start takes the long way again.
    } finally {
      worker?.terminate();
    }
  }

  /** Keep the worker's text, which the browser has at hand, for a time without network. */
  async #keepScript() {
    if (this.script) return;
    try {
      const response = await fetch(new URL("worker.js", this.base), { cache: "force-cache" });
      if (response.ok) this.script = await response.text();
    } catch {
      // Then a Stop without the network cannot be followed by a Run.
    }
  }

  #adopt(worker) {
    this.worker = worker;
    worker.onmessage = ({ data }) => {
      if (worker === this.worker) this.#hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (worker === this.worker) this.#crash(event.message || "the worker broke off");
    };
  }

  #hear({ type, ...data }) {
    const { pending } = this;
    if (type === "crashed") this.#crash(data.reason);
    if (!pending) return;
    if (type === "plan" || type === "output") {
      this.#emit(type, data);
    } else if (type === "begin") {
      pending.cell = data.cell;
      pending.since = performance.now();
      this.#emit(type, data);
    } else if (type === "end") {
      this.#end(pending, data.cell, data.status, data.seconds);
    } else if (type === "done" && data.isWorn) {
      this.#drop();
      this.#finish(data.status);
      this.warm();
    } else if (type === "done") {
      this.#setState("idle");
      this.#finish(data.status);
      setTimeout(() => this.#prepare(), QUIET);
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
    this.warm();
  }
}
