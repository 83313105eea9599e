// The worker: runs cells with the runtime. Pyodide's own script is bundled into this
// file, so that a new worker needs nothing but what the page has in its memory.
//
// Messages in:  {type: "compile", core}, then {type: "boot", …} or {type: "prepare", …};
//               {type: "run", …},
//               {type: "add", wheels}, {type: "forget", id}, {type: "complete", …}
// Messages out: as text, {type: "ready", boot, version}, {type: "unready", reason}, and
//               while cells run "plan", "begin", "output", "end", "done", "crashed" and
//               "completed"; "late" is an output of a cell that has ended; a snapshot as
//               bytes.

import { addWheels, disarm, runWith, start } from "./python.js";

// Everything that is slow to import and that cells are likely to use. It is in the
// snapshot; a start without one does not wait for it.
const PREPARE = `
import importlib, pkgutil
for name in ("asyncio", "collections", "contextlib", "dataclasses", "functools", "heapq",
             "inspect", "itertools", "json", "math", "random", "statistics", "time",
             "typing"):
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
import livecells_runtime
from json import dumps, loads  # what a cell does to the module does not matter here
import sys
from livecells_host import emit, limit, packages

driver = livecells_runtime.take_over()
session = livecells_runtime.Session(
    lambda output: emit(dumps(output)),
    limit=limit,
    packages=packages.to_py(),
    late=True,
)
del sys.modules["livecells_host"]
version = "%d.%d" % sys.version_info[:2]

def plan(request):
    request = loads(request)
    return dumps(session.plan(request["cells"], request["target"]))

def begin(*words):
    driver.begin(session.run_cell(*words))

def result():
    return driver.result

def complete(before):
    return dumps(session.complete(before))
`;

let python = null; // {plan, begin, step, result, forget, complete, size} once it runs
let pyodide = null;
let compiled = null; // promise of Python's core
let current = null; // id of the cell that runs
let isRunning = false;
let idle = 0; // the timer that serves what cells have left behind

// A cell may replace what it can reach; this script keeps its own.
const post = self.postMessage.bind(self);
const { setTimeout, clearTimeout, performance } = self;

function send(message) {
  post(JSON.stringify(message));
}

// Bytes of memory from which on a Python is not used again. It never gets smaller, and
// beyond 2 GiB addresses do not fit everywhere in Pyodide. A program that has failed with
// much less may have met the bound of its browser, and its data are still there.
const ROOM = 2 ** 31;
const ROOM_AFTER_AN_ERROR = 2 ** 29;

async function boot(message) {
  const { limit, snapshot, packages } = message;
  pyodide = await start(message, compiled);
  // Private, like the snapshots: some fatal errors leave through a callback of Pyodide's
  // own, and then nothing that is awaited here would ever end.
  if (pyodide._api) pyodide._api.on_fatal = broke;
  pyodide.registerJsModule("livecells_host", {
    emit(text) {
      const output = read(text);
      if (output.late) send({ type: "late", cell: output.late, output });
      else send({ type: "output", cell: current, output });
    },
    limit,
    packages,
  });
  const globals = pyodide.toPy({});
  pyodide.runPython(CONNECT, { globals });
  pyodide.unregisterJsModule("livecells_host"); // nothing of a cell's imports it
  const get = (name) => globals.get(name);
  python = {
    // Private: there is no public way to ask. Without it nothing is worn out.
    size: () => pyodide._module?.HEAPU8?.byteLength ?? 0,
    plan: get("plan"),
    begin: get("begin"),
    result: get("result"),
    complete: get("complete"),
    step: get("driver").step,
    forget: get("session").forget,
    flush: get("session").flush,
  };
  disarm();
  send({
    type: "ready",
    boot: snapshot ? "snapshot" : "normal",
    version: get("version"),
  });
}

/** Send the page a copy of a Python that has imported what cells use. */
async function prepare(message) {
  const prepared = await start(message, compiled, { _makeSnapshot: true });
  runWith(prepared, PREPARE, { packages: message.packages });
  const { buffer } = prepared.makeMemorySnapshot();
  post(buffer, [buffer]);
}

/** Run one cell to its end. Python's loop has this thread, but for long waits. */
async function runCell(id, label, source) {
  python.begin(id, label, source);
  for (;;) {
    const wait = python.step();
    const result = python.result();
    if (result !== undefined && result !== null) return result;
    await pause(wait);
  }
}

/** Wait for `seconds`, less what a timer of a browser may come late. */
function pause(seconds) {
  const most = 0.05; // what a promise of the browser has woken is looked at then
  const wait = Math.min(most, Math.max(0, seconds - 0.006));
  return new Promise((done) => setTimeout(done, 1000 * wait));
}

/** Let tasks that a cell has left behind run on while none runs. */
function serve() {
  clearTimeout(idle);
  if (isRunning || !python) return;
  const wait = python.step();
  python.flush();
  if (wait < 1e6) idle = setTimeout(guarded(serve), Math.max(10, 1000 * wait));
}

async function run({ cells, target, all }) {
  clearTimeout(idle);
  isRunning = true;
  const plan = all
    ? cells.map(({ id }) => id)
    : JSON.parse(python.plan(JSON.stringify({ cells, target })));
  send({ type: "plan", cells: plan });
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  let status = "ok";
  let isWorn = false;
  for (const id of plan) {
    const { label, source } = byId.get(id);
    current = id;
    send({ type: "begin", cell: id });
    const started = performance.now();
    const result = await runCell(id, label, source);
    const seconds = (performance.now() - started) / 1000;
    const size = python.size();
    isWorn = size > (result === "ok" ? ROOM : ROOM_AFTER_AN_ERROR);
    if (isWorn) send({ type: "output", cell: id, output: wornOut(size) });
    current = null;
    send({ type: "end", cell: id, status: result, seconds });
    if (isWorn) {
      status = id === plan.at(-1) ? result : "error";
      break;
    }
    if (result !== "ok") {
      status = result;
      if (!all) break; // what follows would need the cell that failed
    }
  }
  isRunning = false;
  send({ type: "done", status, isWorn });
  serve();
}

/** What a cell shows, from Python's text. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Far up in the memory Pyodide loses its way, and the text is another one.
    broke(new Error("what it shows cannot be read; its memory may be too full"));
    throw new Error("Python's output cannot be read");
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
  send({ type, reason: String(error?.message ?? error).slice(0, 2000) });
}

const guarded =
  (action) =>
  async (...words) => {
    try {
      await action(...words);
    } catch (error) {
      broke(error); // the page hears the first report and lets go of this worker
    }
  };

/** Python's core, or a promise of it where it came before this script. */
function compile({ core }) {
  compiled = core instanceof ArrayBuffer ? WebAssembly.compile(core) : core;
  compiled.catch(() => {}); // who waits for it says so
}

const ACTIONS = {
  compile,
  boot,
  prepare,
  run,
  add: ({ wheels }) => addWheels(pyodide, wheels),
  forget: ({ id }) => python?.forget(id),
  complete: ({ number, before }) => {
    send({ type: "completed", number, answer: JSON.parse(python.complete(before)) });
  },
};

self.addEventListener(
  "message",
  guarded(({ data }) => ACTIONS[data.type]?.(data)),
);
