// Help while typing, and what a value is shown as.

import { Book } from "../../../../site/live/book.mjs";

const LAB = "lab.html";
const NAMES = "cell-names";

const SIGNATURE = ".livecell-signature";

/** Type at the end of the cell until the labels that are offered, or the signature, match. */
async function offers(book, text, pattern, selector = ".cm-completionLabel") {
  await book.edit(NAMES, "import json");
  await book.page.keyboard.press("Enter");
  await book.page.keyboard.type(text);
  // For the first letters others may be offered, until an answer comes for all of them.
  await book.until(
    `${pattern} to be offered after ${text}`,
    (selector, pattern) => {
      const all = [...document.querySelectorAll(selector)];
      return new RegExp(pattern).test(all.map((one) => one.textContent).join());
    },
    selector,
    pattern.source,
  );
}

/** Before Python is there, names come from the index of the build. */
export async function help_without_python(t) {
  const book = await Book.open(t, LAB);
  const both = /^load,loads$/;
  await offers(book, "json.lo", both);
  await offers(book, "json.loads(", /^loads\(s, \*/, SIGNATURE);
  const asked = (await book.site.requests()).filter((one) => /pyodide|wheels/.test(one));
  t.equal(asked, [], "fetched of Python");
  // Enter is a new line while names are offered.
  await offers(book, "json.lo", both);
  await book.page.keyboard.press("Enter");
  t.check((await book.source(NAMES)).startsWith("import json\njson.lo\n"), "Enter");
}

/** Once Python is there, it knows what the names of the reader are. */
export async function help_from_python(t) {
  const book = await Book.open(t, LAB, { patient: true });
  await book.edit(
    NAMES,
    "class Mine:\n    def speak(self, word: str) -> None:\n        'Say it.'\n" +
      "    @property\n    def trap(self):\n        1 / 0\nmine = Mine()",
  );
  await book.runs(NAMES, "the definitions");
  await offers(book, "mine.s", /^speak$/);
  await offers(book, "mine.tr", /^trap$/);
  // Python 3.14 quotes nothing here.
  await offers(book, "mine.speak(", /^speak\(word: str\) -> NoneSay it\.$/, SIGNATURE);
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
  const book = await Book.open(t, LAB);
  await book.edit(NAMES, RICH);
  await book.runs(NAMES, "the rich cell");
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
  const command = /%pip is a command of notebooks/;
  await book.tries(NAMES, "x = 1\n%pip install numpy", command, "error");
  await book.tries(
    NAMES,
    "print('\\x1b]8;;http://x.invalid\\x1b\\\\link\\x1b]8;;\\x1b\\\\ \\x1b[31mred\\x1b[0m')",
    "link red", // is left of the codes of a terminal
  );
  const connect = "import socket\nsocket.create_connection(('127.0.0.1', 9))";
  await book.tries(NAMES, connect, /Error/, "error");
}
