// Help while typing, and what a value is shown as.

import { Book, RUN } from "../../../../site/live/book.mjs";

const LAB = "lab.html";
const NAMES = "cell-names";

/** Type at the end of the cell; the labels that are offered, or the signature. */
async function type(t, book, text, what) {
  const { page } = book;
  await book.edit(NAMES, "import json");
  await page.keyboard.press("Enter");
  await page.keyboard.type(text);
  const selector = what === "signature" ? ".livecell-signature" : ".cm-completionLabel";
  return t.until(
    page,
    `${what} after ${text}`,
    1,
    (selector) => {
      const all = [...document.querySelectorAll(selector)];
      return all.length ? all.map((one) => one.textContent) : null;
    },
    selector,
  );
}

/**
 * Type as often as it takes until this is offered: an editor shows names for the first
 * letters until it knows those for all of them.
 */
async function typeFor(t, book, text, what, isWanted) {
  for (let left = 20; ; left -= 1) {
    const found = await type(t, book, text, what).catch((error) => [error.message]);
    if (isWanted(found)) return;
    t.check(left, `${what} after ${text}: ${JSON.stringify(found)}`);
  }
}

/** Before Python is there, names come from the index of the build. */
export async function help_without_python(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  const both = (found) => found.join() === "load,loads";
  await typeFor(t, book, "json.lo", "completions", both);
  const isOfLoads = ([text]) => /^loads\(s, \*/.test(text);
  await typeFor(t, book, "json.loads(", "signature", isOfLoads);
  const asked = (await site.requests()).filter((one) => /pyodide|wheels/.test(one));
  t.equal(asked, [], "fetched of Python");
  // Enter is a new line while names are offered.
  await typeFor(t, book, "json.lo", "completions", both);
  await book.page.keyboard.press("Enter");
  t.check((await book.source(NAMES)).startsWith("import json\njson.lo\n"), "Enter");
}

/** Once Python is there, it knows what the names of the reader are. */
export async function help_from_python(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  await book.edit(
    NAMES,
    "class Mine:\n    def speak(self, word: str) -> None:\n        'Say it.'\n" +
      "    @property\n    def trap(self):\n        1 / 0\nmine = Mine()",
  );
  t.equal(await book.run(NAMES), "ran", "the definitions");
  const only = (name) => (found) => found.length === 1 && found[0] === name;
  await typeFor(t, book, "mine.s", "completions", only("speak"));
  await typeFor(t, book, "mine.tr", "completions", only("trap"));
  // Python 3.14 quotes nothing here.
  await typeFor(t, book, "mine.speak(", "signature", ([text]) =>
    /^speak\(word: str\) -> NoneSay it\.$/.test(text),
  );
}

const RICH = `
import base64
class Picture:
    def _repr_png_(self):
        return base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        )
    def __repr__(self):
        return "a dot"
class Words:
    def _repr_markdown_(self):
        return "Some **bold** words\\n\\n- one\\n- two\\n\\n<script>window.hostile = 1</script>"
class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": "<i>from a bundle</i>", "text/plain": "plain"}
display(Picture(), Words(), Bundle())`;

/** Pictures, Markdown and bundles are shown, the first line that fails is marked. */
export async function rich_outputs(t) {
  const site = await t.serve();
  const book = await Book.open(t, site, LAB);
  await book.edit(NAMES, RICH);
  t.equal(await book.run(NAMES), "ran", "the rich cell");
  const seen = await book.page.$eval(`#${NAMES} .livecell-live`, async (box) => {
    const picture = box.querySelector("img");
    await picture?.decode();
    return {
      width: picture?.naturalWidth,
      alt: picture?.alt,
      bold: box.querySelector("strong")?.textContent,
      items: box.querySelectorAll("li").length,
      italic: box.querySelector("i")?.textContent,
      scripts: box.querySelectorAll("script").length + (window.hostile ?? 0),
    };
  });
  t.equal(
    seen,
    { width: 1, alt: "a dot", bold: "bold", items: 2, italic: "from a bundle", scripts: 0 },
    "what is shown",
  );
  await book.edit(NAMES, "x = 1\n%pip install numpy");
  t.equal(await book.run(NAMES, RUN), "error", "a command of notebooks");
  const shown = await book.shown(NAMES);
  t.check(/%pip is a command of notebooks/.test(shown), `it shows ${shown}`);
  await book.edit(NAMES, "print('\\x1b]8;;http://x.invalid\\x1b\\\\link\\x1b]8;;\\x1b\\\\ \\x1b[31mred\\x1b[0m')");
  t.equal(await book.run(NAMES, RUN), "ran", "codes of a terminal");
  t.equal((await book.shown(NAMES)).trim(), "link red", "what is left of them");
  await book.edit(NAMES, "import socket\nsocket.create_connection(('127.0.0.1', 9))");
  t.equal(await book.run(NAMES, RUN), "error", "a socket");
}
