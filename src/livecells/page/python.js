// In the worker: starts Pyodide from what the page hands over, without a request.

import "./bare.js"; // comes first
import createPyodideModule from "livecells-pyodide-module";
import { loadPyodide } from "livecells-pyodide";

export const PLACE = "/lib/livecells"; // in Pyodide's file system

const FIND = `
import sys
for path in paths:
    if path not in sys.path:
        sys.path.insert(0, path)
import importlib
importlib.invalidate_caches()
import livecells_runtime
`;

// Pyodide asks for this address, and is answered from memory.
const BASE = "https://livecells.invalid/";

const PAGE = 65_536; // bytes by which a memory grows

/** Answer Pyodide's requests for its files from memory while `action` runs. */
async function fromMemory({ library, snapshot }, compiled, action) {
  const { fetch } = self;
  const { instantiateStreaming } = WebAssembly;
  self.fetch = async (request) => {
    const address = String(request?.url ?? request);
    if (address === `${BASE}pyodide.asm.wasm`) return new Response();
    if (address === `${BASE}python_stdlib.zip`) return new Response(library);
    throw new TypeError(`nothing is fetched here, and ${address} was asked for`);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const module = await compiled;
    const instance = await WebAssembly.instantiate(module, imports);
    // Pyodide copies a snapshot into the memory that it finds, and makes no room for it.
    const { memory } = instance.exports;
    const lacks = (snapshot?.byteLength ?? 0) - memory.buffer.byteLength;
    if (lacks > 0) memory.grow(Math.ceil(lacks / PAGE));
    return { instance, module };
  };
  try {
    return await action();
  } finally {
    self.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/** Start Pyodide, from a snapshot if there is one; `compiled` is a promise of its core. */
export async function start(message, compiled, more = {}) {
  const { lock, runtime, wheels, snapshot } = message;
  const options = {
    indexURL: BASE,
    lockFileContents: lock,
    enableRunUntilComplete: false,
    createPyodideModule,
    stdout: () => {}, // what no cell prints
    stderr: () => {},
    // A file system is not part of a snapshot, so the files are put there each time.
    fsInit: async (FS) => {
      FS.mkdirTree(PLACE);
      FS.writeFile(`${PLACE}/runtime.zip`, new Uint8Array(runtime));
    },
    ...more,
  };
  if (snapshot) options._loadSnapshot = new Uint8Array(snapshot);
  const pyodide = await fromMemory(message, compiled, () => loadPyodide(options));
  addWheels(pyodide, wheels, ["runtime.zip"]);
  return pyodide;
}

/** Let Python import from these archives, too. */
export function addWheels(pyodide, wheels, names = []) {
  for (const { name, bytes } of wheels) {
    pyodide.FS.writeFile(`${PLACE}/${name}`, new Uint8Array(bytes));
  }
  const all = [...names, ...wheels.map(({ name }) => name)];
  runWith(pyodide, FIND, { paths: all.map((name) => `${PLACE}/${name}`) });
}

export function runWith(pyodide, code, names) {
  const globals = pyodide.toPy(names);
  pyodide.runPython(code, { globals });
  globals.destroy();
}

const GONE = [
  "BroadcastChannel",
  "EventSource",
  "SharedWorker",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "Worker",
  "XMLHttpRequest",
  "addEventListener",
  "caches",
  "close",
  "console",
  "dispatchEvent",
  "fetch",
  "importScripts",
  "indexedDB",
  "onmessage",
  "postMessage",
  "removeEventListener",
];

/** Take away what a cell has no use for. The policy of the frame holds without this. */
export function disarm() {
  for (const name of GONE) {
    for (let prototype = self; prototype; prototype = Object.getPrototypeOf(prototype)) {
      try {
        delete prototype[name];
      } catch {
        // it cannot be deleted, and is covered below
      }
    }
    try {
      Object.defineProperty(self, name, { value: undefined, configurable: false });
    } catch {
      // then the policy alone forbids its use
    }
  }
}
