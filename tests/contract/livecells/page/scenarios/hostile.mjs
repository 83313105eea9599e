// Code of a stranger, at a host that sends no policy: nothing of it gets out, nothing of it
// covers or freezes the page, and nothing of it stays.

import { readFileSync } from "node:fs";
import { Book } from "../../../../site/live/book.mjs";
import { STEP } from "../../../../site/live/harness.mjs";

const LAB = "lab.html";

/** A cell that shows each of some pieces of HTML. */
const showing = (pieces) => `
class Piece:
    def __init__(self, html):
        self.html = html
    def _repr_html_(self):
        return self.html
for html in ${JSON.stringify(pieces)}:
    display(Piece(html))
print("shown")`;

/** Pieces of HTML, by name: those that ask for something, and those that leave their box. */
const [, PAYLOADS, ESCAPES] = readFileSync(new URL("../payloads.txt", import.meta.url), "utf8")
  .split("\n\n")
  .map((part) =>
    Object.fromEntries(
      part
        .trim()
        .split("\n")
        .map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]),
    ),
  );

/** Requests for what a payload names, at the site and at another host. */
async function leaks(...sites) {
  const asked = (await Promise.all(sites.map((site) => site.requests()))).flat();
  return asked.filter((one) => one.includes("/leak/"));
}

/** The payloads with their addresses: half lead to another host, half to the site itself. */
function payloads(site, other, where) {
  let count = 0;
  const address = (_, name) =>
    `${(count++ % 2 ? site : other).origin}/leak/${where}/${name}`;
  return Object.entries(PAYLOADS).map(([name, html]) => [
    name,
    html.replace(/@(\w+)@/g, address),
  ]);
}

/** What a cell shows fetches nothing, leads nowhere and runs nothing. */
export async function outputs_stay_in_their_box(t) {
  const [site, other] = [await t.site(), await t.serve()];
  const all = payloads(site, other, "box").map(([, html]) => html);
  t.check(all.length >= 60, "too few payloads");

  // Without anything in between most of them ask for something.
  const bare = await t.page();
  await bare.goto(site.url("plain.html"), { waitUntil: "load" });
  // Some lead to another page, which ends whatever the others have begun.
  const staying = payloads(site, other, "bare").filter(([name]) => !/refresh/.test(name));
  await bare.evaluate(
    (pieces) => {
      for (const html of pieces) {
        const holder = document.createElement("div");
        holder.innerHTML = html;
        document.body.append(holder);
      }
    },
    staying.map(([, html]) => html),
  );
  const raw = new Set();
  const late = Date.now() + STEP;
  while (raw.size <= 30 && Date.now() < late)
    for (const one of await leaks(site, other)) raw.add(one);
  t.check(raw.size > 30, `asked for by payloads in no box: ${[...raw]}`);
  await bare.close();

  const book = await Book.open(t, LAB);
  await book.edit("cell-third", showing(all));
  await book.runs("cell-third", "the payloads");
  t.check((await book.shown("cell-third")).includes("shown"), "they were not all shown");
  const shown = await book.page.$$eval("#cell-third .text_html", (found) => found.length);
  t.equal(shown, all.length, "displays");
  // A reader hovers over everything, gives it the focus and clicks on it.
  const left = await book.page.evaluate(async () => {
    const box = document.querySelector("#cell-third .livecell-live");
    const parts = [...box.querySelectorAll("*")];
    for (const one of parts) {
      for (const kind of ["mouseover", "mousedown", "click"]) {
        one.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true }));
      }
      one.focus?.();
    }
    const tags = "script,iframe,object,embed,form,input,button:not(.copybtn),base,link";
    return {
      hostile: window.hostile ?? null,
      tags: [...box.querySelectorAll(`${tags},meta,foreignObject,animate,set,use`)].map(
        (one) => one.outerHTML,
      ),
      handlers: parts.flatMap((one) =>
        one.getAttributeNames().filter((name) => name.startsWith("on")),
      ),
      path: location.pathname,
    };
  });
  const none = { hostile: null, tags: [], handlers: [], path: "/lab.html" };
  t.equal(left, none, "after the payloads");
  await book.page.waitForNetworkIdle();
  const boxed = (await leaks(site, other)).filter((one) => !one.includes("/leak/bare/"));
  t.equal(boxed, [], "asked for by payloads");

  // What tries to leave its box, one after the other.
  for (const [name, html] of Object.entries(ESCAPES)) {
    await book.edit("cell-third", showing([html]));
    await book.runs("cell-third", `the run of ${name}`);
    const seen = await book.page.evaluate(() => {
      window.scrollTo({ top: 0, behavior: "instant" });
      const at = (selector) => {
        const one = document.querySelector(selector);
        const box = one.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const top = document.elementFromPoint(x, y);
        return box.width > 0 && (top === one || one.contains(top));
      };
      const note = document.querySelector("#cell-first .livecell-note");
      return {
        runAll: at(".livecells-runall"),
        first: at("#cell-first .livecell-run"),
        colour: getComputedStyle(note).color !== "rgb(1, 2, 3)",
        shown: getComputedStyle(note).visibility === "visible",
        config: document.getElementById("livecells-config").tagName,
        cell: document.getElementById("cell-first").classList.contains("livecell"),
        dressed: document.querySelectorAll(
          "#cell-third .text_html :is(.admonition, [class*=livecell])",
        ).length,
      };
    });
    const whole = { runAll: true, first: true, colour: true, shown: true };
    t.equal(seen, { ...whole, config: "SCRIPT", cell: true, dressed: 0 }, `the page after ${name}`);
  }
  await book.press("cell-third", "reset");
  await book.runs("cell-figure", "an honest figure");
}

/** In a worker of the sandbox: every way to the network or to storage, in JavaScript. */
async function attempts(origins, first) {
  let number = 0;
  const fetch = self.fetch.bind(self);
  const say = (message) => postMessage(JSON.stringify(message));
  async function attempt(name, work) {
    number += 1;
    if (number <= first) return;
    say({ trying: name });
    const late = new Promise((_, fail) => setTimeout(fail, 1500));
    late.catch(() => {});
    try {
      say({ got: `${name}: ${await Promise.race([work(), late])}` });
    } catch {
      // refused
    }
  }
  /** Resolves where something opens, rejects where it fails. */
  const opened = (one) =>
    new Promise((done, fail) => {
      one.onopen = one.onmessage = done;
      one.onerror = (event) => {
        event.preventDefault?.();
        fail();
      };
    });
  const addressAt = (origin) => (name) => `${origin}/leak/${name}`;
  for (const origin of origins) {
    const at = addressAt(origin);
    const socket = at("socket").replace("http", "ws");
    await attempt("fetch", () => fetch(at("fetch")));
    await attempt("no-cors", () => fetch(at("no_cors"), { mode: "no-cors" }));
    await attempt("keepalive", () =>
      fetch(at("keepalive"), { mode: "no-cors", method: "POST", body: "x", keepalive: true }),
    );
    await attempt("request", () => fetch(new Request(at("request"))));
    await attempt("xhr", () => {
      const request = new XMLHttpRequest();
      request.open("GET", at("xhr"), false);
      request.send();
      return request.status;
    });
    await attempt("xhr late", () => {
      const request = new XMLHttpRequest();
      request.open("POST", at("xhr_late"));
      request.send("x");
      return new Promise((done, fail) => {
        request.onload = done;
        request.onerror = fail;
      });
    });
    await attempt("socket", () => opened(new WebSocket(socket)));
    await attempt("events", () => opened(new EventSource(at("events"))));
    await attempt("scripts", () => (importScripts(at("scripts")), 1));
    await attempt("import", () => import(at("import")));
    await attempt("font", () => new FontFace("x", `url(${at("font")})`).load());
    await attempt("transport", () =>
      new WebTransport(at("transport").replace("http:", "https:")).ready,
    );
    await attempt("wasm", () => WebAssembly.compileStreaming(fetch(at("wasm"))));
    await attempt("beacon", () => navigator.sendBeacon(at("beacon")) || Promise.reject());
  }
  await attempt("eval", () => (0, eval)("1"));
  await attempt("function", () => new Function("return 1")());
  await attempt("database", () =>
    new Promise((done, fail) => {
      const request = indexedDB.open("livecells");
      request.onsuccess = done;
      request.onerror = fail;
    }),
  );
  await attempt("databases", () => indexedDB.databases());
  await attempt("caches", () => caches.open("x"));
  await attempt("files", () => navigator.storage.getDirectory());
  await attempt("locks", () => navigator.locks.request("x", () => 1));
  await attempt("cookies", () => cookieStore.getAll());
  await attempt("local", () => localStorage.length);
  // Last, since a browser may stand still at one of these.
  for (const origin of origins) {
    const at = addressAt(origin);
    await attempt("worker", () => opened(new Worker(at("worker"))));
    await attempt("shared", () => opened(new SharedWorker(at("shared")).port));
    await attempt("nested", () => {
      const text = `fetch("${at("nested")}", {mode: "no-cors"}).then(() => postMessage(1))`;
      return opened(new Worker(URL.createObjectURL(new Blob([text]))));
    });
    await attempt("nested data", () =>
      opened(new Worker(`data:text/javascript,fetch("${at("data")}").then(postMessage)`)),
    );
    await attempt("nested import", () => {
      const text = `importScripts("${at("nested_import")}"); postMessage(1)`;
      return opened(new Worker(URL.createObjectURL(new Blob([text]))));
    });
    await attempt("module", () => {
      const text = `import "${at("module")}"; postMessage(1)`;
      const blob = new Blob([text], { type: "text/javascript" });
      return opened(new Worker(URL.createObjectURL(blob), { type: "module" }));
    });
  }
  say({ origin: self.origin });
}

/** In Python: the same through what the runtime leaves, and through the library. */
const IN_PYTHON = (origins) => `
import asyncio, js, socket, urllib.request
from pyodide.http import pyfetch
got = []
names = """BroadcastChannel EventSource SharedWorker WebSocket WebTransport Worker
    XMLHttpRequest caches fetch importScripts indexedDB localStorage document""".split()
for name in names:
    if getattr(js, name, None) is not None:
        got.append(name)
    proto = js.self
    while proto is not None and proto:
        if name in dir(proto) and getattr(proto, name, None) is not None:
            got.append("proto " + name)
        proto = js.Object.getPrototypeOf(proto)
for origin in ${JSON.stringify(origins)}:
    leak = origin + "/leak/"
    try:
        got.append(await asyncio.wait_for(pyfetch(leak + "pyfetch"), 2))
    except Exception:
        pass
    try:
        got.append(urllib.request.urlopen(leak + "urllib", timeout=2))
    except Exception:
        pass
    try:
        port = int(origin.rpartition(":")[2])
        got.append(socket.create_connection(("127.0.0.1", port), timeout=2))
    except OSError:
        pass
    try:
        got.append(await asyncio.open_connection("127.0.0.1", port))
    except (OSError, NotImplementedError, RuntimeError):
        pass
print("got", got, js.self.origin)`;

/** A worker of the sandbox has no network, no storage of the site, and no way around. */
export async function python_reaches_nothing(t) {
  const [site, other] = [await t.site(), await t.serve()];
  const origins = [site.origin, other.origin];
  const book = await Book.open(t, LAB);
  await book.tries("cell-third", IN_PYTHON(origins), "got [] null");

  // The frame is the page's own; in place of Python it starts a worker with the attempts.
  // Firefox on a busy machine may hold a worker for ever that makes workers: another one
  // goes on behind the attempt at which it stands.
  await book.page.evaluate(
    ({ attempts, origins }) => {
      const inside = { tried: [], got: [], stuck: [], origin: null };
      let frame;
      let watch;
      function hear(port, data) {
        port.postMessage({ type: "more", count: 1 });
        const { trying, got, origin } = JSON.parse(data);
        clearTimeout(watch);
        if (trying) inside.tried.push(trying);
        if (got) inside.got.push(got);
        if (!origin) watch = setTimeout(again, 20_000);
        else window.inside = { ...inside, origin };
      }
      function again() {
        inside.stuck.push(inside.tried.at(-1));
        frame.remove();
        begin();
      }
      function begin() {
        const script = `(${attempts})(${JSON.stringify(origins)}, ${inside.tried.length})`;
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => hear(port1, data);
        frame = document.querySelector("iframe[title=Python]").cloneNode();
        frame.onload = () => {
          frame.contentWindow.postMessage({ type: "start" }, "*", [port2]);
          port1.postMessage({ type: "script", script });
        };
        document.body.append(frame);
      }
      begin();
    },
    { attempts: attempts.toString(), origins },
  );
  const found = () => window.inside;
  const inside = await book.until("the attempts in the sandbox", found);
  t.notes.tried = inside.tried.length;
  t.notes.stuck = inside.stuck;
  t.check(inside.tried.length >= 45, `only ${inside.tried.length} were tried`);
  t.check(inside.stuck.length <= 4, `stuck at ${inside.stuck}`);
  t.equal(inside.got, [], "what a worker of the sandbox has reached");
  t.equal(inside.origin, "null", "its origin");
  t.equal(await leaks(site, other), [], "asked for from the sandbox");
  t.equal(new URL(book.page.url()).pathname, "/lab.html", "the page");

  // The test of the test: the same worker outside the sandbox reaches a lot. Where it
  // ends is of no interest: it may stand, too.
  const script = `(${attempts})(${JSON.stringify(origins)}, 0)`;
  await book.page.evaluate((script) => {
    const worker = new Worker(URL.createObjectURL(new Blob([script])));
    window.outside = [];
    worker.onmessage = ({ data }) => {
      const { got } = JSON.parse(data);
      if (got) window.outside.push(got);
    };
  }, script);
  const reached = () => window.outside.length > 8 && window.outside;
  t.notes.free = await book.until("nine ways out, outside the sandbox", reached);
  t.check((await leaks(site, other)).length > 8, "nor was anything asked for");
}

/** The way past the runtime, which would cut: what it passes its outputs to. */
const EMIT = `
import json, js, sys
emit = sys.stdout._writer._emit.__globals__["emit"]
def show(kind, text):
    emit(json.dumps({"kind": "display", "data": {kind: text}}))
`;
/** A program that shows displays past the runtime. */
const posting = (data, { times = 1 } = {}) =>
  `${EMIT}for n in range(${times}):\n    ${data}\nwhile True: pass`;
const html = (text, more) => posting(`show("text/html", ${text})`, more);
const markdown = (text, more) => posting(`show("text/markdown", ${text})`, more);
/** Definitions of a drawing, each of which uses the one before it many times. */
const using = (head, use, tag) =>
  html(
    `'<svg width="400" height="400">' + ''.join('<${tag} id="p%d" ${head}>' % n + ` +
      `('${use}' % (n - 1) * 10 if n else '<path d="M0 0 9 9"/>') + '</${tag}>' ` +
      `for n in range(30)) + '${use}</svg>' % 29`,
  );

const FLOODS = {
  "texts without end": `${EMIT}while True:\n    emit('x' * 1000)`,
  "outputs without end":
    `${EMIT}while True:\n    emit('{"kind":"stream","name":"stdout","text":"again"}')`,
  "late outputs without end":
    `${EMIT}while True:\n    emit('{"late":"second","kind":"stream","name":"stdout","text":"x"}')`,
  "a million tags": html("'<b>x</b>' * 1_000_000", { times: 50 }),
  "many tables": html("'<table><tr><td>x<td>y</table>' * 3_000", { times: 500 }),
  "tables in tables": html("'<table><tr><td>x<td>y' * 3_000", { times: 50 }),
  "large buffers": `${EMIT}while True:\n    emit(js.ArrayBuffer.new(50_000_000))`,
  "what is no text": `${EMIT}while True:\n    emit(7)`,
  "lists in lists": markdown("''.join(' ' * n + '- x\\n' for n in range(1400))"),
  "a line of lists": markdown("'- ' * 24_000"),
  "emphasis": markdown("'*a* ' * 100_000", { times: 50 }),
  "unclosed emphasis": markdown("'*_a' * 16_000", { times: 50 }),
  "much Markdown": markdown("'*_a' * 600 + 'a ' * 20_000", { times: 500 }),
  "wide tables": markdown("'|a' * 8_000 + '\\n' + '|-' * 8_000 + '\\n|' * 8_000"),
  "lazy lines": markdown("'- ' + 'a\\n' * 24_000"),
  "many tags": html("'<b>x</b>' * 20_000", { times: 500 }),
  "columns in columns": html("'<div style=\"columns:2\">x y z' * 90"),
  "columns of a sheet": html("'<style>div{column-count:2}</style>' + '<div>x y z' * 90"),
  "many columns": html(
    "'<div style=\"column-count:100000;height:1px\">' + 'x<br>' * 3000 + '</div>'",
  ),
  "grids of many tracks": html(
    "'<div style=\"display:grid;grid-template:repeat(9999,1px)/repeat(9999,1px)\">x</div>' * 9000",
  ),
  "tracks far away": html(
    "'<div style=\"display:grid\"><b style=\"grid-area:9999999/9999999\">x</b></div>' * 5000",
  ),
  "grids in grids": html("('<div style=\"display:grid\">x<b>y</b>' * 90 + '</div>' * 90) * 40"),
  "patterns in patterns": using(
    'width="100" height="100" patternUnits="userSpaceOnUse"',
    '<rect width="50" height="50" fill="url(#p%d)"/>',
    "pattern",
  ),
  "paths that clip": using("", '<rect width="50" height="50" clip-path="url(#p%d)"/>', "clipPath"),
  "a marker at each point": html(
    "'<svg><marker id=\"m\">' + '<path d=\"M0 0 9 9\"/>' * 1000 + '</marker>' " +
      "'<path marker-mid=\"url(#m)\" d=\"M0 0' + ' 1 1' * 200_000 + '\"/></svg>'",
  ),
};

/** What nothing of is shown, so that only what it costs to receive can end it. */
const UNSEEN = new Set(["a million tags", "large buffers", "what is no text"]);

/**
 * A cell that floods the page is ended, or is stopped by the reader, whose click is
 * answered while it runs.  Firefox meets each third of them.
 */
export async function floods(t) {
  const book = await Book.open(t, LAB, { keeps: true });
  await book.runs("cell-second", "Python is there");
  await book.stored(); // each flood ends a Python, and the next one starts from it
  for (const [name, program] of t.sampled(Object.entries(FLOODS)))
    t.notes[name] = await flood(t, book, name, program);
  await book.press("cell-third", "reset");
  await book.runs("cell-second", "the run after the floods");
  t.equal((await book.shown("cell-second")).trim(), "42", "its output");
}

/** Let a cell flood the page, and stop it; what it did when the click was handled. */
async function flood(t, book, name, program) {
  const within = (states) =>
    states.includes(document.getElementById("cell-third").dataset.livecellState);
  await book.edit("cell-third", program);
  await book.press("cell-third", "run");
  await book.until(`the beginning of ${name}`, within, ["running", "error"]);
  // The page paints three times, and then a click is handled.  A frozen page does neither.
  const met = await book.page.evaluate(
    async (stop) => {
      for (let frame = 0; frame < 3; frame++)
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const state = document.getElementById("cell-third").dataset.livecellState;
      if (stop && state === "running") document.querySelector(stop).click();
      return state;
    },
    UNSEEN.has(name) ? null : book.at("cell-third", "stop"),
  );
  await book.until(`the end of ${name}`, within, ["stopped", "error"]);
  const elements = await book.page.$$eval("#cell-third *", (all) => all.length);
  t.check(elements < 150_000, `${name}: the page grew by ${elements} elements`);
  return met;
}

const SHOW = `
class Show:
    def __init__(self, **forms):
        self.forms = forms
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/" + kind: text for kind, text in self.forms.items()}
`;

/** What is too large for Markdown or figures is shown as text, which says why. */
export async function too_much_is_shown_as_text(t) {
  const book = await Book.open(t, LAB);
  await book.edit(
    "cell-third",
    `${SHOW}display(Show(markdown="word *stressed* " * 1500))
display(Show(markdown="".join(" " * n + "- x\\n" for n in range(70))))
display(Show(markdown="> " * 12 + "x"))
display(Show(markdown="# Words\\n\\n- one\\n  - two\\n\\n|a|b|\\n|-|-|\\n|1|2|"))
display(Show(html="<div style='display:grid;grid-template-columns:auto 1fr'>1</div>"))
display(Show(html="<div style='display:grid'>" * 30 + "2"))
display(Show(html="<svg><clipPath id='c'><path d='M0 0h9v9z'/></clipPath>"
    "<path clip-path='url(#c)' d='M0 0h9'/></svg>"))
display(Show(markdown="word " * 9_000))
display(Show(markdown="word " * 9_000))`,
  );
  await book.runs("cell-third", "the displays");
  const seen = await book.page.$$eval("#cell-third .livecell-live > .output", (all) =>
    all.map((one) => ({
      note: /\(([^)]*)\)\. As text:/.exec(one.textContent)?.[1] ?? "",
      grid: one.querySelector("[style*=grid]") !== null,
      clip: one.querySelector("[clip-path]") !== null,
      parts: ["h1", "li li", "td", "em"].filter((name) => one.querySelector(name)),
    })),
  );
  const none = { note: "", grid: false, clip: false, parts: [] };
  const deep = "its lists or quotes lie too deep in one another";
  t.equal(
    seen,
    [
      { ...none, note: "it has too many signs of emphasis" },
      { ...none, note: deep },
      { ...none, note: deep },
      { ...none, parts: ["h1", "li li", "td"] },
      { ...none, grid: true },
      { ...none, note: "elements lie too deep in one another" },
      { ...none, clip: true },
      none,
      { ...none, note: "the run has shown more of it than a page can take" },
    ],
    "what is shown",
  );

  // What is too large to reach the page at all is said to be missing.
  const large = `${SHOW}display(Show(html="x" * 5_000_000))\nprint("after it")`;
  await book.edit("cell-third", large);
  await book.runs("cell-third", "a figure that is too large");
  const text = await book.page.$eval("#cell-third", (one) => one.textContent);
  t.check(/after it/.test(text) && /Output cut/.test(text), `it shows ${text.slice(-300)}`);
}

/** What a cell leaves behind is gone with its worker: the next page starts clean. */
export async function poison(t) {
  const context = await t.context();
  let book = await Book.open(t, LAB, { context });
  await book.tries(
    "cell-third",
    "import asyncio, builtins, json, js, os, shutil\n" +
      "json.dumps = asyncio.sleep = None\nbuiltins.print_ = print\n" +
      "shutil.rmtree('/lib/livecells', ignore_errors=True)\n" +
      "js.self.onmessage = None\njs.Object.prototype.poisoned = 1\nprint('done')",
    "done",
  );
  await book.stored();
  await book.page.close();
  book = await Book.open(t, "programs.html", { context });
  await book.runs("cell-callbacks_in_order", "a cell of the next page");
  t.equal(await book.boot(), "snapshot", "how it started");
  const shown = await book.shown("cell-callbacks_in_order");
  t.equal(shown.trim(), "['first', 'second', 'added by the first']", "what it shows");
  await book.tries(
    "cell-sleep_zero_returns",
    "import asyncio, builtins, json, js, os\n" +
      "print(json.dumps([1]), asyncio.sleep is None, hasattr(builtins, 'print_'))\n" +
      "print(os.path.exists('/lib/livecells'), hasattr(js.Object.new(), 'poisoned'))",
    "[1] False False\nTrue False",
  );
}

const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval' blob: {inline}",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
].join("; ");

/** A strict content policy is never violated, not even by a figure or the editor. */
export async function content_policy(t) {
  const book = await Book.open(t, LAB, { site: await t.serve({ policy: POLICY }) });
  await book.tries("cell-third", "print(6 * 7)", "42");
  await book.runs("cell-figure", "a figure under the policy");
  t.equal(await book.page.evaluate(() => window.violations), [], "violations");
  t.equal(t.errors, [], "the console");

  // One that does not allow the frame's script is named, and nothing hangs.
  const site = await t.serve({ policy: "script-src 'self' 'wasm-unsafe-eval'" });
  const page = await t.page();
  await page.evaluateOnNewDocument(() => {
    const { setTimeout } = window;
    // The page gives its frame a minute.
    window.setTimeout = (action, ms, ...more) =>
      setTimeout(action, Math.min(ms ?? 0, 5000), ...more);
  });
  const closed = await Book.open(t, LAB, { site, page });
  await closed.press("cell-third", "run");
  await closed.reaches("failed");
  t.check(/content policy/.test(await closed.status()), await closed.status());
}
