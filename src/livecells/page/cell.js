// One live cell: its source, its toolbar, its editor and its output.
//
// The static <pre> always holds the current source, also while an editor covers it: the
// copy button works on it, and a page without an editor shows an edit as well.

import { button, make, unfold } from "./dom.js";
import { fingerprint, keepEdit, keptEdit } from "./memory.js";
import { Output } from "./output.js";

const NOTES = {
  built: "as built",
  edited: "edited, not run since",
  queued: "waiting",
  running: "running",
  ran: "your run",
  error: "your run: error",
  stopped: "stopped",
};

export class Cell {
  constructor(element, number, page) {
    this.element = element;
    this.number = number;
    this.page = page;
    this.id = element.id.replace(/^cell-/, "");
    this.label = `Cell ${number}`;
    this.input = element.querySelector("div.cell_input");
    this.pre = this.input.querySelector("pre");
    this.builtNodes = [...this.pre.childNodes];
    this.builtSource = this.pre.textContent.replace(/\n$/, "");
    this.source = this.builtSource;
    this.builtOutput = element.querySelector("div.cell_output");
    this.shown = this.builtOutput; // the output that stands on the page
    this.output = null;
    this.lastRun = null; // {source, state} of the run whose output is shown
    this.editor = null;
    this.state = "built";
    this.marked = null;
    this.built = fingerprint(this.builtSource);
    this.#addToolbar();
    this.setState("built");
    // Another script, such as a slider's, may set the code; that does not run it. Nor is
    // it kept as an edit: the slider, too, forgets its place with the page.
    element.addEventListener(
      "livecells:source",
      page.guard((event) =>
        this.setSource(String(event.detail.source), { keep: false }),
      ),
    );
  }

  get isEdited() {
    return this.source !== this.builtSource;
  }

  get isBusy() {
    return this.state === "running" || this.state === "queued";
  }

  // ---- what the reader sees of the state

  setState(state, note = NOTES[state]) {
    this.state = state;
    this.element.dataset.livecellState = state;
    this.element.toggleAttribute("data-livecell-edited", this.isEdited);
    const hadStop = document.activeElement === this.buttons.stop;
    const hadReset = document.activeElement === this.buttons.reset;
    this.buttons.run.setAttribute("aria-disabled", String(this.isBusy));
    this.buttons.stop.hidden = !this.isBusy;
    this.buttons.reset.hidden = this.isBusy || (state === "built" && !this.isEdited);
    this.buttons.share.hidden = !this.isEdited;
    // A control that goes away must not take the keyboard's place on the page with it.
    if (
      (hadStop && this.buttons.stop.hidden) ||
      (hadReset && this.buttons.reset.hidden)
    ) {
      this.buttons.run.focus({ preventScroll: true });
    }
    this.setNote(note);
  }

  setNote(text) {
    this.note.textContent = `${this.label} · ${text}`;
  }

  /** Settle the state of a cell at rest: does its output belong to its code? */
  #rest() {
    if (this.lastRun?.source === this.source) this.setState(this.lastRun.state);
    else this.setState(this.isEdited || this.lastRun ? "edited" : "built");
  }

  #addToolbar() {
    const { page, number } = this;
    const control = (name, text, action, label = `${text} cell ${number}`) =>
      button(`livecell-${name}`, text, page.guard(action), label);
    const share = `Share link to cell ${number}`;
    this.buttons = {
      run: control("run", "Run", () => {
        if (!this.isBusy) return page.run(this);
      }),
      stop: control("stop", "Stop", () => page.stop(this)),
      edit: control("edit", "Edit", () =>
        this.editor ? this.closeEditor() : this.openEditor(),
      ),
      reset: control("reset", "Reset", () => this.reset()),
      share: control("share", "Share link", () => page.links.share(this), share),
    };
    this.buttons.edit.setAttribute("aria-expanded", "false");
    this.note = make("span", { className: "livecell-note" });
    this.toolbar = make(
      "div",
      { className: "livecell-toolbar", role: "group", "aria-label": this.label },
      ...Object.values(this.buttons),
      this.note,
    );
    this.input.append(this.toolbar);
    this.messages = make("div", { className: "livecell-messages" });
    this.input.after(this.messages);
  }

  /** Show a line below the cell's code; one a kind. Null takes it away. */
  message(kind, text, ...controls) {
    this.messages.querySelector(`[data-kind="${kind}"]`)?.remove();
    if (text === null) return;
    this.messages.append(
      make(
        "div",
        { className: "livecell-message", "data-kind": kind },
        make("p", {}, text),
        ...controls,
      ),
    );
  }

  /** A button of a message, which goes with it: the keyboard's place is then at Run. */
  choice(name, text, action) {
    const act = this.page.guard(() => {
      action();
      this.buttons.run.focus({ preventScroll: true });
    });
    return button(`livecell-${name}`, text, act, `${text} of cell ${this.number}`);
  }

  // ---- source

  /** Show `source` as this cell's code; `keep` remembers it for this tab. */
  setSource(source, { keep = true, fromEditor = false } = {}) {
    if (source === this.source) return;
    this.source = source;
    this.markLine(null);
    if (!this.isEdited) this.pre.replaceChildren(...this.builtNodes);
    else this.pre.replaceChildren(`${source}\n`);
    if (fromEditor)
      this.page.links.settle(this); // an edit of a linked edit is one's own
    else this.editor?.setSource(source);
    this.colour();
    if (keep) this.keep();
    if (!this.isBusy) this.#rest();
  }

  keep() {
    keepEdit(this.id, this.built, this.isEdited ? this.source : null);
  }

  /** Show the edit of an earlier visit; one of an earlier edition is offered. */
  recall() {
    const kept = keptEdit(this.id);
    if (!kept) return;
    if (kept.built === this.built) {
      this.setSource(kept.source);
      return;
    }
    const choice = (name, text, action) =>
      this.choice(name, text, () => {
        this.message("earlier", null);
        action();
      });
    this.message(
      "earlier",
      "You once edited this cell, and the book has changed it since.",
      choice("show-earlier", "Show my edit", () => this.setSource(kept.source)),
      choice("forget-earlier", "Forget my edit", () => keepEdit(this.id, "", null)),
    );
  }

  /** Colour an edited source, if the part that can is loaded. */
  colour() {
    const { highlight } = this.page;
    if (!highlight || !this.isEdited || this.editor) return;
    this.pre.replaceChildren(...highlight(this.source), "\n");
    if (this.marked) this.markLine(this.marked);
  }

  // ---- editor

  async openEditor() {
    const { edit } = this.buttons;
    if (this.opening) return;
    this.opening = true;
    this.setNote("loading the editor");
    const host = make("div", { className: "livecell-editor" });
    // Sphinx takes "/" and the arrows for itself wherever focus is not in a form field.
    host.addEventListener("keydown", (event) => event.stopPropagation());
    const hint = make(
      "p",
      { className: "livecell-hint", id: `livecell-hint-${this.id}` },
      make("kbd", {}, "Shift+Enter"),
      " runs, ",
      make("kbd", {}, "Tab"),
      " indents, ",
      make("kbd", {}, "Escape"),
      " leaves the editor",
    );
    try {
      const look = getComputedStyle(this.pre);
      for (const name of ["padding", "fontFamily", "fontSize", "lineHeight"]) {
        host.style[name] = look[name];
      }
      this.pre.before(host);
      this.input.insertBefore(hint, this.toolbar);
      this.editor = await this.page.openEditor(this, {
        parent: host,
        source: this.source,
        label: `Code of cell ${this.number}`,
        hint: hint.id,
        onChange: (source) => this.setSource(source, { fromEditor: true }),
        onRun: () => !this.isBusy && this.page.run(this),
        onLeave: () => this.buttons.run.focus(),
        complete: (before) => this.page.complete(this, before),
      });
      this.editor.setSource(this.source); // set while the editor was loading
    } finally {
      this.opening = false;
      this.setState(this.state);
      if (!this.editor) {
        host.remove();
        hint.remove();
      }
    }
    this.host = host;
    this.hint = hint;
    this.element.toggleAttribute("data-livecell-editing", true);
    edit.textContent = "Done";
    edit.setAttribute("aria-label", `Done editing cell ${this.number}`);
    edit.setAttribute("aria-expanded", "true");
    if (this.marked) this.markLine(this.marked);
    // A reader who has gone on meanwhile is left where they are.
    if (document.activeElement === edit || document.activeElement === document.body) {
      this.editor.focus();
    }
  }

  closeEditor() {
    if (!this.editor) return;
    const { edit } = this.buttons;
    const hadFocus = this.host.contains(document.activeElement);
    this.editor.close();
    this.editor = null;
    this.host.remove();
    this.hint.remove();
    this.message("editor", null);
    this.element.toggleAttribute("data-livecell-editing", false);
    edit.textContent = "Edit";
    edit.setAttribute("aria-label", `Edit cell ${this.number}`);
    edit.setAttribute("aria-expanded", "false");
    if (hadFocus) edit.focus({ preventScroll: true });
    this.colour();
  }

  /** Mark the line an error came from; null takes the mark away. */
  markLine(line) {
    this.pre.querySelector(".livecell-errline")?.remove();
    if (this.marked || line) this.editor?.markLine(line);
    this.marked = line;
    if (!line || line > this.source.split("\n").length) return;
    const bar = make("span", { className: "livecell-errline", "data-line": line });
    bar.style.setProperty("--livecell-line", line - 1);
    bar.style.setProperty("--livecell-top", getComputedStyle(this.pre).paddingTop);
    this.pre.append(bar);
    unfold(this.pre); // a line that is hidden is no help
  }

  // ---- output

  begin() {
    this.output = new Output(this.page.loadSanitiser, this.page.spent);
    this.markLine(null);
    this.message("failed", null);
    this.ranSource = this.source;
    this.setState("running");
  }

  /** Take one output of the run that goes on. */
  add(output) {
    if (!this.output) return;
    // The old output stays until there is a new one, so that the page does not jump.
    this.#show(this.output.element);
    this.output.add(output);
    // A task that has outlived its cell prints where the cell did.
    if (!this.isBusy) this.output.finish();
  }

  /** Whatever was to run has ended: a cell that did not run is what it was before. */
  async settle() {
    if (this.state === "queued") this.#rest();
    else if (this.state === "running") await this.end("stopped"); // the worker died
  }

  async end(status) {
    const { output } = this;
    if (!output || this.state !== "running") return;
    // A stopped run without output leaves what is there; one that went through shows
    // that there is none.
    if (!output.isEmpty || (this.shown && status !== "stopped"))
      this.#show(output.element);
    await output.finish();
    if (this.output !== output) return; // run again, or reset, meanwhile
    if (output.isCut) this.#sayCut();
    this.lastRun = { source: this.ranSource, state: status === "ok" ? "ran" : status };
    this.#rest(); // an edit made during the run has not been run
  }

  #show(next) {
    if (this.shown === next) return;
    this.cutLine?.remove();
    if (this.shown) {
      // Out of the document, not hidden: the figures of both carry the same ids.
      this.shown.replaceWith(next);
    } else {
      const fold = this.input.closest("details.above-input");
      if (fold && this.element.classList.contains("tag_hide-input")) fold.after(next);
      else this.messages.after(next);
    }
    this.shown = next;
  }

  #sayCut() {
    this.cutLine = make(
      "p",
      { className: "livecell-message", "data-kind": "cut" },
      "Output cut: the cell printed more than the page shows.",
    );
    this.shown.after(this.cutLine);
  }

  /** Back to the built source and the built output. */
  reset() {
    if (this.isBusy) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.page.links.settle(this);
    this.markLine(null);
    this.closeEditor();
    for (const kind of ["link", "share", "failed", "earlier"]) this.message(kind, null);
    this.output = null;
    this.lastRun = null;
    this.setSource(this.builtSource);
    this.keep();
    this.pre.replaceChildren(...this.builtNodes);
    this.cutLine?.remove();
    if (this.shown && this.shown !== this.builtOutput) {
      if (this.builtOutput) this.shown.replaceWith(this.builtOutput);
      else this.shown.remove();
    }
    this.shown = this.builtOutput;
    this.setState("built");
    if (hadFocus) this.buttons.run.focus({ preventScroll: true });
    this.page.forget(this);
  }
}
