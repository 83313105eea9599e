// What a run prints and shows, in the very structure that myst-nb writes at build time,
// so that text and figures of a run can be compared with the built ones.

import { plain } from "./ansi.js";
import { move } from "./figures.js";
import { tellSize } from "./texts.js";

// The worker cuts a cell's output; this second bound holds even if it does not.
const TEXT_LIMIT = 400_000;
const BLOCK_LIMIT = 500;
const RICH_LIMIT = 4_000_000; // characters of HTML, SVG and pictures
const TAG_LIMIT = 21_000; // their tags
// Of all outputs of one run, of however many cells, or of what passes for them:
const RUN_TAG_LIMIT = 100_000;
const RUN_MARKDOWN_LIMIT = 100_000; // characters, for it is parsed before it is cleaned
const EXCERPT = 50_000; // characters of what cannot be shown as a figure
const TALL = 50; // lines; a taller text scrolls in its own box

let copied = 0; // texts that have got a button to copy them
let boxes = 0; // outputs, each of which is the scope of its own styles

/** What the outputs of one run have taken together of what a page can take. */
export class Spent {
  tags = 0;
  markdown = 0;
}

/** The output of one run of one cell. */
export class Output {
  /**
   * `loadSanitiser` returns a promise of the function that makes HTML safe; `spent` is
   * that of the run.
   */
  constructor(loadSanitiser, spent) {
    this.spent = spent;
    this.element = document.createElement("div");
    this.element.className = "cell_output docutils container livecell-live";
    this.element.append("\n");
    boxes += 1;
    this.element.dataset.livecellBox = boxes;
    this.scope = `[data-livecell-box="${boxes}"]`;
    this.rich = 0;
    this.tags = 0;
    this.loadSanitiser = loadSanitiser;
    this.streams = new Map(); // name -> {block, pre, pieces}
    this.last = null; // the stream that the last output went to
    this.length = 0;
    this.blocks = 0;
    this.waiting = [];
    this.isCut = false;
  }

  get isEmpty() {
    return this.blocks === 0;
  }

  /** Add one output as the worker sent it. */
  add(output) {
    if (output.kind === "cut") {
      this.isCut = true;
    } else if (output.kind === "stream") {
      const when = output.late ? "late " : "";
      this.#addText(when + output.name, String(output.text));
    } else if (output.kind === "display") {
      this.last = null;
      this.#addDisplay(output.data);
    } else if (output.kind === "error") {
      this.last = null;
      this.#addTraceback(String(output.text));
    }
  }

  /** Bring the text into its last form; resolves when every figure is there. */
  async finish() {
    for (const { block, pre, pieces } of this.streams.values()) {
      // The build joins what a cell printed before and after a display, each part
      // without the white space at its end.
      const parts = pieces.map((piece) => piece.join("").trimEnd());
      const text = parts.filter((part, i) => i === 0 || part).join("\n") + "\n";
      fill(pre, text.replace(/.*\r(?=[^\n])/g, ""));
      tellSize(block, pre.textContent);
    }
    this.last = null;
    await Promise.all(this.waiting);
    await move(this.element);
    this.#boundHeight();
    this.#addCopyButtons();
  }

  #addText(name, text) {
    if (this.length > TEXT_LIMIT) {
      this.isCut = true;
      return;
    }
    this.length += text.length;
    let stream = this.streams.get(name);
    if (!stream) {
      const kind = name.endsWith("stderr") ? "stderr" : "stream";
      const block = this.#addBlock(
        `output ${kind} highlight-myst-ansi notranslate`,
        null,
        // The build puts standard output before an error stream right above it.
        name === "stdout" && this.last?.name === "stderr" ? this.last.block : null,
      );
      if (!block) return;
      block.classList.toggle("livecell-late", name.startsWith("late "));
      stream = { name, block, pre: block.querySelector("pre"), pieces: [], lines: 0 };
      this.streams.set(name, stream);
    }
    if (this.last !== stream) {
      // Something else came between: the build trims the two parts one by one.
      stream.pieces.push([]);
      this.last = stream;
    }
    stream.pieces.at(-1).push(text);
    stream.pre.append(plain(text));
    stream.lines += lineEnds(text);
    if (stream.lines > TALL) {
      stream.pre.classList.add("livecell-tall");
      stream.pre.scrollTop = stream.pre.scrollHeight; // follow what is printed
    }
  }

  #addDisplay(data) {
    const text = String(data?.["text/plain"] ?? "");
    const html = htmlOf(data);
    const markdown = html === undefined ? markdownOf(data) : undefined;
    const rich = html ?? markdown;
    if (rich === undefined) {
      this.length += text.length;
      if (this.length > TEXT_LIMIT) this.isCut = true;
      else this.#addBlock("output text_plain highlight-myst-ansi notranslate", text);
      return;
    }
    this.rich += rich.length;
    this.spent.markdown += markdown?.length ?? 0;
    if (
      this.rich > RICH_LIMIT ||
      (html !== undefined && !this.#takesTags(html)) ||
      !this.#room()
    ) {
      this.isCut = true;
      return;
    }
    const holder = document.createElement("div");
    holder.className = "output text_html";
    this.element.append(holder);
    const made = html ?? this.#fromMarkdown(markdown);
    const filled = Promise.all([this.loadSanitiser(), made])
      .then(([clean, html]) => holder.replaceChildren(clean(html, this.scope)))
      .catch((error) => {
        holder.className = "output text_plain";
        const pre = document.createElement("pre");
        const why = error instanceof RangeError ? ` (${error.message})` : "";
        const what = markdown === undefined ? "a figure" : "Markdown";
        const words = (markdown ?? text).slice(0, EXCERPT);
        fill(pre, `This could not be shown as ${what}${why}. As text:\n${words}`);
        holder.replaceChildren(pre);
      });
    this.waiting.push(filled);
  }

  /** The HTML of some Markdown; rejects with a RangeError where there is too much. */
  async #fromMarkdown(text) {
    if (this.spent.markdown > RUN_MARKDOWN_LIMIT)
      throw new RangeError("the run has shown more of it than a page can take");
    const { toHtml } = await import("./markdown.js");
    const html = toHtml(text);
    this.rich += html.length - text.length;
    if (this.rich > RICH_LIMIT || !this.#takesTags(html))
      throw new RangeError("it makes more elements than a page can take");
    return html;
  }

  /** Count the tags of some HTML; returns whether the page can take them. */
  #takesTags(html) {
    const tags = html.split("<").length;
    this.tags += tags;
    this.spent.tags += tags;
    return this.tags <= TAG_LIMIT && this.spent.tags <= RUN_TAG_LIMIT;
  }

  #addTraceback(text) {
    const look = "output traceback highlight-none notranslate";
    const pre = this.#addBlock(look, text)?.querySelector("pre");
    if (!pre) return;
    // The runtime points an arrow at the line that failed: let it stand out.
    const parts = pre.textContent.split(/^(→.*)$/m);
    const nodes = parts.map((part, i) => {
      if (i % 2 === 0) return part;
      const line = document.createElement("strong");
      line.textContent = part;
      return line;
    });
    pre.replaceChildren(...nodes);
  }

  #addBlock(className, text, before = null) {
    if (!this.#room()) return null;
    const block = document.createElement("div");
    block.className = className;
    const frame = document.createElement("div");
    frame.className = "highlight";
    const pre = document.createElement("pre");
    pre.append(document.createElement("span"));
    frame.append(pre);
    block.append(frame, "\n");
    if (text !== null) {
      fill(pre, text);
      tellSize(block, pre.textContent);
    }
    if (before) before.before(block, "\n");
    else this.element.append(block, "\n");
    return block;
  }

  #room() {
    this.blocks += 1;
    if (this.blocks > BLOCK_LIMIT) this.isCut = true;
    return this.blocks <= BLOCK_LIMIT;
  }

  /** As the theme's script gave the built outputs, which listens for all of them. */
  #addCopyButtons() {
    const model = document.querySelector(".cell_input button.copybtn");
    if (!model) return;
    for (const pre of this.element.querySelectorAll("pre")) {
      if (pre.id.startsWith("codecell-live-")) continue; // of a text that has grown
      copied += 1;
      pre.id = `codecell-live-${copied}`;
      const button = model.cloneNode(true);
      button.dataset.clipboardTarget = `#${pre.id}`;
      pre.after(button);
    }
  }

  #boundHeight() {
    for (const pre of this.element.querySelectorAll("pre")) {
      if (lineEnds(pre.textContent) <= TALL) continue;
      pre.classList.add("livecell-tall");
      pre.tabIndex = 0; // to be scrolled with the keyboard
      pre.setAttribute("role", "region");
      pre.setAttribute("aria-label", "Output that scrolls");
    }
  }
}

/** A display as HTML: as it came, or around a picture. */
function htmlOf(data) {
  for (const kind of ["text/html", "image/svg+xml"]) {
    if (typeof data?.[kind] === "string") return data[kind];
  }
  for (const kind of ["image/png", "image/jpeg"]) {
    if (typeof data?.[kind] !== "string") continue;
    const picture = document.createElement("img");
    picture.alt = String(data["text/plain"] ?? "");
    picture.src = `data:${kind};base64,${data[kind].trim()}`;
    return picture.outerHTML;
  }
  return undefined;
}

/** A display as Markdown, where it has no better form. */
function markdownOf(data) {
  const text = data?.["text/markdown"];
  return typeof text === "string" ? text : undefined;
}

function lineEnds(text) {
  return text.split("\n").length - 1;
}

function fill(pre, text) {
  const lines = plain(text)
    .replace(/\r\n?/g, "\n")
    .replace(/^\n+|\n+$/g, "");
  pre.replaceChildren(document.createElement("span"), `${lines}\n`);
}
