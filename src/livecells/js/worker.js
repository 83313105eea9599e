// The worker: starts Pyodide from what the page hands over, and runs cells with
// runtime.py. Pyodide's own script is bundled into this file, so that a new worker needs
// nothing but this file and the page's memory.
//
// Messages in:  {type: "boot", …}, {type: "prepare", …}, {type: "run", …},
//               {type: "forget", id}
// Messages out: {type: "hello"}, {type: "ready", boot}, {type: "snapshot", snapshot},
//               {type: "unready", reason}, and while cells run "plan", "begin",
//               "output", "end", "done" and "crashed".

import createPyodideModule from "livecells-pyodide-module";
import { loadPyodide } from "livecells-pyodide";

const PLACE = "/lib/livecells"; // in Pyodide's file system

const FIND = `
import sys
sys.path[:0] = paths
import livecells_runtime
`;

// Everything that is slow to import and that cells are likely to use. It is in the
// snapshot; a start without one does not wait for it.
const PREPARE = `
import importlib, pkgutil
for name in ("asyncio", "collections", "contextlib", "dataclasses", "functools", "heapq",
             "itertools", "json", "math", "random", "statistics", "time", "typing"):
    importlib.import_module(name)
for name in packages:
    package = importlib.import_module(name)
    for part in pkgutil.walk_packages(getattr(package, "__path__", ()), name + "."):
        if part.name.rpartition(".")[2] == "__main__":
            continue
        try:
            importlib.import_module(part.name)
        except ImportError:
            pass  # it needs what a page has not got
`;

const CONNECT = `
import json
import livecells_runtime
from livecells_host import emit, limit

session = livecells_runtime.Session(
    lambda output: emit(json.dumps(output)), limit=limit
)

def plan(request):
    request = json.loads(request)
    return json.dumps(session.plan(request["cells"], request["target"]))
`;

let python = null; // {plan, runCell, reset, forget, size} once it has started
let current = null; // id of the cell that runs

function send(message, transfer = []) {
  self.postMessage(message, transfer);
}

// Bytes of memory from which on a Python is not used again. It never gets smaller, and
// beyond 2 GiB addresses do not fit everywhere in Pyodide. A program that has failed with
// much less may have met the bound of its browser, and its data are still there.
const ROOM = 2 ** 31;
const ROOM_AFTER_AN_ERROR = 2 ** 29;

/** Answer Pyodide's requests for its files from memory while `action` runs. */
async function fromMemory({ base, module, library }, action) {
  const { fetch } = self;
  const { instantiateStreaming } = WebAssembly;
  self.fetch = async (request, options) => {
    const address = String(request?.url ?? request);
    if (address === `${base}pyodide.asm.wasm`) return new Response();
    if (address === `${base}python_stdlib.zip`) return new Response(library);
    return fetch.call(self, request, options);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => ({
    module,
    instance: await WebAssembly.instantiate(module, imports),
  });
  try {
    return await action();
  } finally {
    self.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/** Start Pyodide, from a snapshot if there is one. */
async function start(
  { assets, lock, module, library, wheels, runtime, snapshot },
  more = {},
) {
  const base = `${assets}pyodide/`;
  const files = [
    [`${PLACE}/livecells_runtime.py`, runtime],
    ...wheels.map(({ name, bytes }) => [`${PLACE}/${name}`, new Uint8Array(bytes)]),
  ];
  const options = {
    indexURL: base,
    lockFileContents: lock,
    createPyodideModule,
    stdout: () => {}, // what no cell prints
    stderr: () => {},
    // A file system is not part of a snapshot, so the files are put there each time.
    fsInit: async (FS) => {
      FS.mkdirTree(PLACE);
      for (const [path, content] of files) FS.writeFile(path, content);
    },
  };
  if (snapshot) options._loadSnapshot = new Uint8Array(snapshot);
  Object.assign(options, more);
  const memory = { base, module, library };
  const pyodide = await fromMemory(memory, () => loadPyodide(options));
  if (!snapshot) {
    // A wheel is an archive that Python can import from as it is.
    const paths = [PLACE, ...wheels.map(({ name }) => `${PLACE}/${name}`)];
    runWith(pyodide, FIND, { paths });
  }
  return pyodide;
}

function runWith(pyodide, code, names) {
  const globals = pyodide.toPy(names);
  pyodide.runPython(code, { globals });
  globals.destroy();
}

async function boot(message) {
  const { limit, snapshot } = message;
  const pyodide = await start(message);
  // Private, like the snapshots: some fatal errors leave through a callback of Pyodide's
  // own loop, and then nothing that is awaited here would ever end.
  pyodide._api.on_fatal = broke;
  pyodide.registerJsModule("livecells_host", {
    emit: (text) => send({ type: "output", cell: current, output: read(text) }),
    limit,
  });
  const globals = pyodide.toPy({});
  pyodide.runPython(CONNECT, { globals });
  const session = globals.get("session");
  python = {
    // Private: there is no public way to ask. Without it nothing is worn out.
    size: () => pyodide._module?.HEAPU8?.byteLength ?? 0,
    plan: globals.get("plan"),
    runCell: session.run_cell,
    reset: session.reset,
    forget: session.forget,
  };
  send({ type: "ready", boot: snapshot ? "snapshot" : "normal" });
}

/** Send the page a copy of a Python that has imported what cells use. */
async function prepare(message) {
  const pyodide = await start(message, { _makeSnapshot: true });
  runWith(pyodide, PREPARE, { packages: message.packages });
  const { buffer } = pyodide.makeMemorySnapshot();
  send({ type: "snapshot", snapshot: buffer }, [buffer]);
}

async function run({ cells, target, all }) {
  if (all) python.reset();
  const plan = all
    ? cells.map(({ id }) => id)
    : JSON.parse(python.plan(JSON.stringify({ cells, target })));
  send({ type: "plan", cells: plan });
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const ran = [];
  let status = "ok";
  let isWorn = false;
  for (const id of plan) {
    const { label, source } = byId.get(id);
    current = id;
    send({ type: "begin", cell: id });
    const started = performance.now();
    const result = await python.runCell(id, label, source);
    const seconds = (performance.now() - started) / 1000;
    const size = python.size();
    isWorn = size > (result === "ok" ? ROOM : ROOM_AFTER_AN_ERROR);
    if (isWorn) send({ type: "output", cell: id, output: wornOut(size) });
    current = null;
    send({ type: "end", cell: id, status: result, seconds });
    ran.push(id);
    if (isWorn) {
      status = id === plan.at(-1) ? result : "error";
      break;
    }
    if (result !== "ok") {
      status = result;
      if (!all) break; // what follows would need the cell that failed
    }
  }
  send({ type: "done", status, ran, isWorn });
}

/** What a cell shows, from Python's text. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Far up in the memory Pyodide loses its way, and the text is another one.
    broke(new Error("its memory is too full to pass on what it shows"));
    throw new Error("Python's memory is full");
  }
}

function wornOut(size) {
  const text =
    `Python has taken ${(size / 1e9).toFixed(1)} GB of memory, which it cannot give ` +
    "back. It starts again by itself; the cells above run again when they are needed.\n";
  return { kind: "stream", name: "stderr", text };
}

/** Tell the page that this worker is of no more use. */
function broke(error) {
  const type = python ? "crashed" : "unready";
  send({ type, reason: String(error?.message ?? error) });
}

self.onmessage = async ({ data }) => {
  try {
    if (data.type === "boot") await boot(data);
    else if (data.type === "prepare") await prepare(data);
    else if (data.type === "run") await run(data);
    else if (data.type === "forget") python?.forget(data.id);
  } catch (error) {
    broke(error); // the page hears the first report and lets go of this worker
  }
};

send({ type: "hello" });
