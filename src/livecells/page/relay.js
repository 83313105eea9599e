// Runs in the frame, between the page and the worker: a document of no origin, with a
// policy that allows no request. It starts the worker, passes on what the page sends, and
// bounds what the worker sends, so that no cell can flood the page.
//
// A cell can post whatever it likes to this script. Only texts are passed on, and only as
// many as the page has acknowledged room for. What is not passed on counts all the same: to
// receive it costs the page's thread time, so a worker that goes on with it is ended.

const LONG = 4_000_000; // characters of one message
const ROOM = 48; // messages on their way to the page
const MANY = 2_000; // messages that may wait here …
const LARGE = 16_000_000; // … and their characters
const TAGS = 25_000; // tags of one message
const RUN_TEXT = 24_000_000; // characters of all messages of one run
const RUN_TAGS = 100_000; // their tags
const TAG = /<|\\u003c/gi; // as it is, or as JSON may write it

addEventListener("message", function start({ source, data, ports: [port] }) {
  if (source !== parent || data?.type !== "start" || !port) return;
  removeEventListener("message", start);
  const address = URL.createObjectURL(
    new Blob([`(${early})()`], { type: "text/javascript" }),
  );
  relay(new Worker(address), port);
});

/**
 * All of the worker until its script is there. It is a thread already, so it compiles the
 * core of Python meanwhile; nothing here may name what is outside.
 */
function early() {
  const waiting = [];
  self.onmessage = ({ data }) => {
    if (data.type === "compile") {
      const core = WebAssembly.compile(data.core);
      core.catch(() => {}); // who waits for it says so
      waiting.push({ type: "compile", core });
    } else if (data.type === "script") {
      self.onmessage = null;
      const text = new Blob([data.script], { type: "text/javascript" });
      importScripts(URL.createObjectURL(text));
      for (const message of waiting)
        self.dispatchEvent(new MessageEvent("message", { data: message }));
    } else waiting.push(data);
  };
}

function relay(worker, port) {
  let room = ROOM;
  let waiting = [];
  let length = 0;
  let isOver = false;
  let text = 0;
  let tags = 0;
  let isCut = false; // whether the reader knows that something was left out
  let mayGiveBytes = false; // a snapshot, from a worker that runs no cell

  const say = (message) => port.postMessage(JSON.stringify(message));

  function end(reason) {
    if (isOver) return;
    isOver = true;
    waiting = [];
    worker.terminate();
    say({ type: "crashed", reason });
  }

  function pass() {
    while (room > 0 && waiting.length) {
      room -= 1;
      const message = waiting.shift();
      length -= message.length;
      port.postMessage(message);
    }
  }

  say({ type: "begun" });
  worker.onmessage = ({ data }) => {
    if (isOver) return;
    if (mayGiveBytes && data instanceof ArrayBuffer) {
      port.postMessage(data, [data]);
      return;
    }
    // What is no text is too long for one.
    const size = typeof data === "string" ? data.length : LONG + 1;
    const opened = size > LONG ? 0 : count(data);
    text += size;
    tags += opened;
    if (text > RUN_TEXT || tags > RUN_TAGS) {
      end("the cell showed more than a page can take");
      return;
    }
    if (size > LONG || opened > TAGS) {
      if (!isCut) say({ type: "output", output: { kind: "cut" } });
      isCut = true;
      return;
    }
    waiting.push(data);
    length += data.length;
    pass();
    if (waiting.length > MANY || length > LARGE)
      end("the cell sent more messages than a page can take");
  };
  worker.onerror = (event) => {
    event.preventDefault();
    if (!isOver) say({ type: "crashed", reason: event.message || "it broke off" });
    isOver = true;
  };
  port.onmessage = ({ data }) => {
    if (data.type === "more") {
      room = Math.min(ROOM, room + data.count);
      pass();
      return;
    }
    if (data.type === "run") {
      text = tags = 0;
      isCut = false;
    }
    if (data.type === "prepare") mayGiveBytes = true;
    worker.postMessage(data, buffers(data));
  };
}

/** The large things in a message of the page: handed on, not copied. */
function buffers({ core, library, runtime, snapshot, wheels = [] }) {
  const all = [core, library, runtime, snapshot, ...wheels.map(({ bytes }) => bytes)];
  return all.filter((part) => part instanceof ArrayBuffer);
}

/** The tags in a message; no more are counted than one may have. */
function count(text) {
  let opened = 0;
  TAG.lastIndex = 0;
  while (opened <= TAGS && TAG.test(text)) opened += 1;
  return opened;
}
