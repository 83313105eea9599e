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

const BUSY = 3;
// What the asking of a page that is being left may end with.
const LEAVING = /context|navigat|realm|frame|target closed|session/i;

const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

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

  /** A server of its own; see serve.py for policy and alter. */
  async serve({ sub, ...options } = {}) {
    const ask = (words) => this.ask(words);
    return new Site(ask, await ask({ do: "serve", ...options }), { sub });
  }

  /** The pages with live cells or explorables: path, cells, explorables. */
  async pagesOfTheBook() {
    const all = await this.ask({ do: "pages" });
    return {
      live: all.filter((page) => page.cells.length),
      explorables: all.filter((page) => page.explorables.length),
    };
  }

  /** All of them in Chromium, each third in Firefox. */
  sampled(all) {
    const step = this.kind === "firefox" ? 3 : 1;
    return all.filter((_, number) => number % step === 0);
  }

  /** A page to try things on, with two of its cells that show text. */
  async sample() {
    const { live } = await this.pagesOfTheBook();
    for (const { path, cells } of live.sort((a, b) => a.cells.length - b.cells.length)) {
      const open = cells.filter((cell) => !cell.folded);
      const shown = open.filter((cell) => cell.text && !cell.svg);
      if (shown.length >= 2 && open.length >= 4)
        return { path, cell: shown[0].id, other: shown[1].id };
    }
    throw new Wrong("no page has two open live cells that show text");
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
   * browser keeps no snapshot of Python, to make which takes as long as to start it.
   */
  async page({ context, keeps, dark = false, width = 1280, height = 900 } = {}) {
    keeps ??= Boolean(context);
    if (!context) context = this.contexts[0] ?? (await this.context());
    const page = await context.newPage();
    this.pages.push(page);
    page.setDefaultTimeout(300_000);
    page.on("console", (message) => {
      const { url = "" } = message.location() ?? {};
      this.heard(message.type(), `${message.text()} ${url}`.trim());
    });
    page.on("pageerror", (error) =>
      this.heard("error", String(error?.message ?? error)),
    );
    page.on("dialog", (dialog) => dialog.dismiss().catch(() => {}));
    await page.setViewport({ width, height });
    await page.evaluateOnNewDocument((mode, keeps) => {
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
    }, dark ? "dark" : "light", keeps);
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

  /**
   * Wait until the function, run in the page, gives something true; returns it.
   *
   * The seconds are ample on a machine with two cores and other tests; where much else
   * runs it may take BUSY times as long.
   */
  async until(page, what, seconds, test, ...args) {
    this.step = `waiting for ${what}`;
    const end = performance.now() + 1000 * BUSY * seconds;
    for (;;) {
      const value = await page.evaluate(test, ...args).catch((error) => {
        // A page that is being left cannot be asked; the next one can.
        if (!LEAVING.test(error.message)) throw error;
      });
      if (value) {
        this.step = undefined;
        return value;
      }
      if (performance.now() > end)
        throw new Wrong(`waited ${BUSY * seconds} s in vain for ${what}`);
      await sleep(0.05);
    }
  }

  /** The script of axe-core. */
  axe() {
    const require = createRequire(import.meta.url);
    return readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  }

  sleep(seconds) {
    return sleep(seconds);
  }

  /** Save a picture of the last page; a page that hangs gives none. */
  async picture() {
    const page = this.pages.findLast((one) => !one.isClosed());
    if (!page) return undefined;
    const path = join(this.pictures, `${this.kind}-${this.name}.png`);
    const shot = page.screenshot({ path }).then(
      () => path,
      () => undefined,
    );
    return Promise.race([shot, sleep(10)]);
  }

  async close() {
    for (const context of this.contexts) {
      await Promise.race([context.close().catch(() => {}), sleep(10)]);
    }
  }
}

export const clip = (text, length = 300) =>
  text.length > length ? `${text.slice(0, length)}… (${text.length})` : text;
