// The bar above the first cell: buttons for the whole page, and the one line that tells
// the reader, and a screen reader, what goes on.

import { button, make } from "./dom.js";
import { megabytes } from "./words.js";

const SPEAK_EVERY = 1500; // ms between two lines of progress in the status

export class Bar {
  /** `actions` are {runAll, restart, stop, download?}; `guard` wraps them. */
  constructor(before, actions, guard) {
    const control = (name, text, action) =>
      button(`livecells-${name}`, text, guard(action));
    this.runAll = control("runall", "Run all", actions.runAll);
    this.restart = control("restart", "Restart", actions.restart);
    this.stop = control("stop", "Stop", actions.stop);
    this.restart.hidden = this.stop.hidden = true;
    this.restart.title = "Forget what has run, and start Python anew";
    const more = actions.download
      ? [control("download", "Download my notebook", actions.download)]
      : [];
    this.progress = make("progress", {
      className: "livecells-progress",
      hidden: true,
      "aria-label": "Loading",
      max: 1,
    });
    this.status = make("p", { className: "livecells-status", role: "status" });
    this.element = make(
      "div",
      {
        className: "livecells-bar",
        role: "group",
        "aria-label": "Run the code of this page",
        "data-livecells-state": "off",
      },
      this.runAll,
      this.restart,
      this.stop,
      ...more,
      this.progress,
      this.status,
    );
    before.before(this.element);
    const place = () => this.element.style.setProperty("--livecells-top", `${taken()}px`);
    place();
    window.addEventListener("resize", place);
  }

  /** Tell the reader. Lines of progress are spoken now and then, all others at once. */
  say(text, { progress = false, loading = false } = {}) {
    clearTimeout(this.speaking);
    this.isLoadingSaid = loading;
    const now = performance.now();
    const wait = progress ? (this.spokeAt ?? -Infinity) + SPEAK_EVERY - now : 0;
    if (wait > 0) {
      this.speaking = setTimeout(() => this.say(text, { progress, loading }), wait);
      return;
    }
    this.spokeAt = now;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  setBusy(busy) {
    if (busy) this.spokeAt = -Infinity; // who presses Run hears at once what it does
    this.#hide(this.stop, !busy);
  }

  /** The state of Python, and how it started: "snapshot" or "normal". */
  setState(state, boot) {
    this.element.dataset.livecellsState = state;
    if (boot) this.element.dataset.livecellsBoot = boot;
    if (state !== "loading") this.progress.hidden = true;
    this.#hide(this.restart, state === "off" || state === "failed");
  }

  /** Show how far loading has come; returns the line that says so. */
  load(text, loaded, total) {
    this.progress.hidden = false;
    let line = text;
    if (total) {
      line += `: ${megabytes(loaded)} of ${megabytes(total)} MB`;
      this.progress.value = Math.min(1, loaded / total);
    } else {
      line += loaded ? `: ${megabytes(loaded)} MB` : " …";
      this.progress.removeAttribute("value");
    }
    this.say(line, { progress: true, loading: true });
    return line;
  }

  #hide(button, isHidden) {
    const hadFocus = document.activeElement === button;
    button.hidden = isHidden;
    if (isHidden && hadFocus) this.runAll.focus({ preventScroll: true });
  }
}

/** How many pixels at the top of the window a theme keeps for a header of its own. */
function taken() {
  let bottom = 0;
  for (const header of document.querySelectorAll("header, [class*=header]")) {
    const { position, top } = getComputedStyle(header);
    const height = header.getBoundingClientRect().height;
    if (!["sticky", "fixed"].includes(position) || height > 160) continue;
    bottom = Math.max(bottom, (parseFloat(top) || 0) + height);
  }
  return Math.round(bottom);
}
