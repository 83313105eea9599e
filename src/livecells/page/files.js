// The files that Python starts from: fetched once, and kept in the page's memory.

const PYTHON = {
  core: "pyodide/pyodide.asm.wasm.bin",
  library: "pyodide/python_stdlib.zip.bin",
  lock: "pyodide/pyodide-lock.json",
  runtime: "runtime.zip",
  script: "worker.js",
};

// The files of a version never change, so an old copy is as good as a new one.
const CACHED = { cache: "only-if-cached", mode: "same-origin" };

export class Files {
  constructor(config, base) {
    this.sizes = config.files ?? {};
    this.base = base;
    this.kept = new Map(); // name -> promise of an ArrayBuffer
    this.coming = new Set(); // names of those in `kept` that are not there yet
    this.cached = new Map(); // name -> promise of one that the browser has, or of null
    this.loaded = 0;
    this.total = 0;
  }

  /**
   * Python's own files and the named wheels; `tell(loaded, total)` hears of the bytes.
   *
   * Returns {core, library, lock, runtime, script, wheels: [{name, bytes}]}.
   */
  async get(wheels, tell) {
    this.tell = tell;
    const control = (this.control ??= new AbortController());
    const names = [...Object.values(PYTHON), ...wheels];
    try {
      const files = await Promise.all(names.map((name) => this.#keep(name)));
      const [core, library, lock, runtime, script, ...packed] = files;
      return {
        core,
        library,
        lock: text(lock),
        runtime,
        script: text(script),
        wheels: wheels.map((name, i) => ({ name: last(name), bytes: packed[i] })),
      };
    } catch (error) {
      // What failed is asked for again by the next Run, which may have begun.
      if (this.control === control) this.abort();
      throw error;
    }
  }

  /** The worker's script as soon as it is there, while `get` fetches everything. */
  async script() {
    return text(await this.#keep(PYTHON.script));
  }

  /** The core of Python, likewise. */
  core() {
    return this.#keep(PYTHON.core);
  }

  /**
   * Read what the browser still has of a visit before; resolves to whether that is all.
   * Nothing is asked of the network: what is not there is fetched by `get`.
   */
  async expect(wheels) {
    this.control ??= new AbortController();
    const names = [...Object.values(PYTHON), ...wheels];
    for (const name of names)
      if (!this.kept.has(name) && !this.cached.has(name))
        this.cached.set(name, this.#look(name));
    const has = await Promise.all(names.map((name) => this.cached.get(name) ?? true));
    return has.every(Boolean);
  }

  async #look(name) {
    const { signal } = this.control;
    try {
      return await this.#fetch(name, { ...CACHED, signal });
    } catch {
      // `get` counts it again.
      if (!signal.aborted) this.total -= this.sizes[name]?.gzip ?? 0;
      return null;
    }
  }

  /** Stop fetching; what is there stays. */
  abort() {
    this.control?.abort();
    this.control = null;
    for (const name of this.coming) this.kept.delete(name);
    this.coming.clear();
    this.loaded = this.total = 0;
  }

  /** How many bytes a first Run fetches, compressed or not as this host sends them. */
  weight(wheels) {
    const names = [...Object.values(PYTHON), ...wheels];
    const part = isCompressed() ? "gzip" : "bytes";
    return names.reduce((sum, name) => sum + (this.sizes[name]?.[part] ?? 0), 0);
  }

  #keep(name) {
    if (!this.kept.has(name)) {
      const loading = this.#load(name);
      this.kept.set(name, loading);
      this.coming.add(name);
      const end = (isThere) => {
        if (this.kept.get(name) !== loading) return; // forgotten meanwhile
        this.coming.delete(name);
        if (!isThere) this.kept.delete(name);
      };
      loading.then(
        () => end(true),
        () => end(false),
      );
    }
    return this.kept.get(name);
  }

  async #load(name) {
    this.control ??= new AbortController();
    const { signal } = this.control;
    const file = await this.cached.get(name);
    signal.throwIfAborted();
    this.cached.delete(name);
    return file ?? this.#fetch(name, { signal });
  }

  /** Fetch a file and count its bytes as they come. */
  async #fetch(name, how) {
    const { bytes = 0, gzip = 0 } = this.sizes[name] ?? {};
    this.total += gzip;
    let response;
    try {
      response = await fetch(this.base + name, how);
    } catch {
      throw new Error(`${name} could not be fetched (is the network there?)`);
    }
    if (!response.ok) {
      throw new Error(
        `${name} could not be fetched (the server says ${response.status})`,
      );
    }
    // The stream gives raw bytes; the reader waits for compressed ones.
    const share = bytes ? gzip / bytes : 0;
    const whole = new Uint8Array(bytes || 0);
    const rest = [];
    let length = 0;
    const reader = response.body.getReader();
    for (;;) {
      let chunk;
      try {
        chunk = await reader.read();
      } catch {
        throw new Error(`${name} came only in part (is the network there?)`);
      }
      how.signal.throwIfAborted();
      if (chunk.done) break;
      const { value } = chunk;
      if (length + value.length <= whole.length) whole.set(value, length);
      else rest.push(value);
      length += value.length;
      this.loaded += value.length * share;
      this.tell?.(this.loaded, this.total);
    }
    if (bytes && (length !== bytes || rest.length)) {
      throw new Error(`${name} came with ${length} bytes instead of ${bytes}`);
    }
    const file = bytes ? whole : new Uint8Array(await new Blob(rest).arrayBuffer());
    return unpacked(file, name);
  }
}

/** Whether the host compresses what it sends, as far as this page's script tells. */
function isCompressed() {
  const [entry] = performance
    .getEntriesByType("resource")
    .filter(({ name }) => /\/livecells\.js(\?|$)/.test(name));
  return !entry?.encodedBodySize || entry.encodedBodySize < entry.decodedBodySize;
}

/** A file as the build packed it, unpacked; a host may have done that already. */
async function unpacked(file, name) {
  if (!name.endsWith(".bin") || file[0] !== 0x1f || file[1] !== 0x8b) return file.buffer;
  try {
    const stream = new Blob([file]).stream();
    const open = stream.pipeThrough(new DecompressionStream("gzip"));
    return await new Response(open).arrayBuffer();
  } catch (error) {
    throw new Error(`${name} cannot be unpacked (${error.message})`);
  }
}

const text = (buffer) => new TextDecoder().decode(buffer);
const last = (name) => name.slice(name.lastIndexOf("/") + 1).replace(/\.bin$/, "");
