// What every scenario has: servers, pages, checks, and notes for the report.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What a scenario throws when the site is wrong; its message is the whole report. */
export class Wrong extends Error {
  name = "Wrong";
}

/** A server of the site, made for one scenario. */
class Site {
  constructor(ask, { site, port }, { sub = false } = {}) {
    this.ask = (words) => ask({ site, ...words });
    this.origin = `http://127.0.0.1:${port}`;
    this.base = this.origin + (sub ? "/some/sub/path/" : "/");
  }
  url(page) {
    return new URL(page, this.base).href;
  }
  down() {
    return this.ask({ do: "down" });
  }
  alter(alter) {
    return this.ask({ do: "alter", alter });
  }
  /** The paths that were asked for so far, in order. */
  requests() {
    return this.ask({ do: "requests" });
  }
}

const PATIENCE = 5000; // ms that a page waits for what it keeps: see store.js
/** Milliseconds after which what a scenario waits for is said to hang. */
export const STEP = 60_000;

/** What a promise gives, or nothing where what is asked hangs. */
const orNothing = (promise) =>
  Promise.race([promise.catch(() => {}), new Promise((done) => setTimeout(done, 10_000))]);

/** One run of one scenario. */
export class Trial {
  constructor({ browser, kind, control, pictures, name }) {
    Object.assign(this, { browser, kind, control, pictures, name });
    this.contexts = [];
    this.pages = [];
    this.lines = []; // of the consoles, for the report
    this.errors = []; // uncaught errors, console errors, policy violations
    this.notes = {}; // figures for the report
    this.step = undefined; // what is being waited for
  }

  async ask(words) {
    const answer = await fetch(this.control, {
      method: "POST",
      body: JSON.stringify(words),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(`the control says ${body.error}`);
    return body;
  }

  /** The server of the scenario, where it needs no other one. */
  site() {
    return (this.served ??= this.serve());
  }

  /** A server of its own; see serve.py for policy and alter. */
  async serve({ sub, ...options } = {}) {
    const ask = (words) => this.ask(words);
    return new Site(ask, await ask({ do: "serve", ...options }), { sub });
  }

  /** The pages with live cells: path, number of cells, and those that show text alone. */
  async livePages() {
    return (await this.ask({ do: "pages" })).filter((page) => page.cells);
  }

  /** All of them in Chromium, each third in Firefox. */
  sampled(all) {
    const step = this.kind === "firefox" ? 3 : 1;
    return all.filter((_, number) => number % step === 0);
  }

  /** The smallest page to try things on, with two of its cells that show text. */
  async sample() {
    const some = (await this.livePages()).filter(({ plain }) => plain.length > 1);
    const [{ path, plain }] = some.sort((a, b) => a.cells - b.cells);
    return { path, cell: plain[0], other: plain[1] };
  }

  /** A browser context: storage, cache and history of its own. */
  async context() {
    const context = await this.browser.createBrowserContext();
    this.contexts.push(context);
    return context;
  }

  /**
   * A page in the first context, or in the one given.
   *
   * A context that is given is there for what visits leave to one another. Elsewhere the
   * browser keeps no snapshot of Python, to make which takes as long as to start it. One
   * that is kept is waited for, however long a busy browser takes, if the page is patient.
   */
  async page({ context, keeps = Boolean(context), patient = keeps, ...look } = {}) {
    const { dark = false, width = 1280, height = 900 } = look;
    if (!context) context = this.contexts[0] ?? (await this.context());
    const page = await context.newPage();
    this.pages.push(page);
    page.setDefaultTimeout(STEP);
    page.on("console", (message) => {
      const { url = "" } = message.location() ?? {};
      this.heard(message.type(), `${message.text()} ${url}`.trim());
    });
    page.on("pageerror", (error) =>
      this.heard("error", String(error?.message ?? error)),
    );
    page.on("dialog", (dialog) => dialog.dismiss().catch(() => {}));
    await page.setViewport({ width, height });
    await page.evaluateOnNewDocument((mode, keeps, late) => {
      const { setTimeout } = window;
      if (late)
        window.setTimeout = (action, ms, ...more) =>
          ms === late ? 0 : setTimeout(action, ms, ...more);
      if (!keeps && window === top)
        Object.defineProperty(window, "indexedDB", { value: undefined });
      // The theme's own switch; not every browser lets a test set the system's.
      try {
        localStorage.setItem("mode", mode);
        localStorage.setItem("theme", mode);
      } catch {
        // a page without scripts or storage
      }
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        window.violations.push(`${event.effectiveDirective}: ${event.blockedURI}`),
      );
      // No browser lets a test read the clipboard without asking.
      const clipboard = { writeText: async (text) => void (window.copied = text) };
      Object.defineProperty(navigator, "clipboard", { value: clipboard });
      window.addEventListener("pageshow", (event) => {
        window.restored = event.persisted;
      });
    }, dark ? "dark" : "light", keeps, patient && PATIENCE);
    return page;
  }

  heard(type, text) {
    this.lines.push(`${type}: ${text.slice(0, 500)}`);
    if (type === "error" && !/favicon\.ico/.test(text)) this.errors.push(text);
  }

  /** Say what is wrong and end the scenario, unless the condition holds. */
  check(condition, message) {
    if (!condition) throw new Wrong(message);
  }

  equal(actual, expected, what) {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (a !== b) throw new Wrong(`${what}: ${clip(a)} instead of ${clip(b)}`);
  }

  /** Wait until the function, run in the page, gives something true; returns it. */
  async until(page, what, test, ...args) {
    this.step = `waiting for ${what}`;
    // A page behind another one draws no frames, at which Puppeteer would look by itself.
    const look = { polling: 50, timeout: STEP };
    const state = await page.waitForFunction(test, look, ...args).catch((error) => {
      throw error.name === "TimeoutError" ? new Wrong(`not there in ${STEP / 1000} s`) : error;
    });
    this.step = undefined;
    return state.jsonValue();
  }

  /** The script of axe-core. */
  axe() {
    const require = createRequire(import.meta.url);
    return readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  }

  /** Save a picture of the last page; a page that hangs gives none. */
  async picture() {
    const page = this.pages.findLast((one) => !one.isClosed());
    if (!page) return undefined;
    const path = join(this.pictures, `${this.kind}-${this.name}.png`);
    return orNothing(page.screenshot({ path }).then(() => path));
  }

  async close() {
    for (const context of this.contexts) await orNothing(context.close());
  }
}

export const clip = (text, length = 300) =>
  text.length > length ? `${text.slice(0, length)}… (${text.length})` : text;
