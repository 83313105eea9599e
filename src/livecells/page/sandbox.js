// A worker that belongs to nobody: it lives in a frame without an origin, under a policy
// that lets nothing out. No code of a cell can reach the site's storage, its cookies, or
// any host, whatever headers the site is served with.

import relay from "livecells-relay"; // the text of relay.js

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; " +
  "worker-src blob:";

const ANSWER = 60_000; // ms within which the frame's own script answers
const TURN = 1000; // ms in which a page that was busy hears what has come meanwhile

export class Sandbox {
  /** Make a frame and a worker without a script: nothing is fetched for them. */
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.hear = null; // until a script is promised
    this.isStarted = false;
    this.hasBegun = false;
    this.waiting = [];
    this.frame = document.createElement("iframe");
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.hidden = true;
    this.frame.title = "Python";
    this.frame.srcdoc =
      `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
      `<script>${relay}</script>`;
    this.port.onmessage = ({ data }) => this.#take(data);
    this.frame.addEventListener("load", () => this.#start(port2), { once: true });
    document.body.append(this.frame);
  }

  /**
   * Give the worker its script as soon as the promise of it is kept. `hear(message)` gets
   * what the worker sends: objects, or an ArrayBuffer.
   */
  load(script, hear) {
    this.hear = hear;
    script.then(
      (text) => this.post({ type: "script", script: text }),
      () => {}, // whoever has promised the script says why there is none
    );
    if (this.isStarted) this.#expect();
  }

  #start(port) {
    if (!this.frame) return;
    this.frame.contentWindow.postMessage({ type: "start" }, "*", [port]);
    this.isStarted = true;
    if (this.hear) this.#expect();
    for (const message of this.waiting) this.post(message);
    this.waiting = [];
  }

  /** The frame's own script answers, or never will. */
  #expect() {
    if (this.hasBegun) return;
    const reason = "a content policy of this site forbids the frame that it needs";
    const report = () => this.hear({ type: "unready", reason });
    this.late = setTimeout(() => (this.late = setTimeout(report, TURN)), ANSWER);
  }

  /** Send the worker a message. */
  post(message) {
    if (!this.isStarted) this.waiting.push(message);
    else this.port.postMessage(message);
  }

  /** End the worker, whatever it does. */
  remove() {
    clearTimeout(this.late);
    this.port.onmessage = null;
    this.port.close();
    this.frame?.remove();
    this.frame = null;
  }

  #take(data) {
    this.port.postMessage({ type: "more", count: 1 });
    let message = data;
    if (typeof data === "string") {
      try {
        message = JSON.parse(data);
      } catch {
        return; // a cell has posted something of its own
      }
    }
    if (message?.type === "begun") {
      this.hasBegun = true;
      clearTimeout(this.late);
    } else this.hear?.(message);
  }
}
