// What differs between two sources, line by line, so that nothing hides out of sight.

import { make } from "./dom.js";

const MOST = 1500; // lines of either that are compared

/** The lines that only one of two sources has: [{sign: "-" | "+", text}], in order. */
export function changes(before, after) {
  const a = before.split("\n").slice(0, MOST);
  const b = after.split("\n");
  if (b.length > MOST) return b.map((text) => ({ sign: "+", text }));
  // The length of the longest common part of what follows each pair of lines.
  const length = Array.from({ length: a.length + 1 }, () =>
    new Uint16Array(b.length + 1),
  );
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      length[i][j] =
        a[i] === b[j]
          ? length[i + 1][j + 1] + 1
          : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const edits = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || length[i + 1][j] >= length[i][j + 1])) {
      edits.push({ sign: "-", text: a[i] });
      i += 1;
    } else {
      edits.push({ sign: "+", text: b[j] });
      j += 1;
    }
  }
  return edits;
}

/** The changes as a block of wrapped lines; empty lines in a row are counted. */
export function differences(before, after) {
  const block = make("div", {
    className: "livecell-differences",
    role: "group",
    "aria-label": "What differs from the book's cell",
    tabIndex: 0,
  });
  let empty = 0;
  const line = (tag, word, text) =>
    block.append(
      make(
        tag,
        { className: "livecell-line" },
        make("span", { className: "livecell-sign" }, word),
        make("code", {}, text),
      ),
    );
  const flush = () => {
    if (empty) line("div", "added: ", empty === 1 ? "an empty line" : `${empty} empty lines`);
    empty = 0;
  };
  for (const { sign, text } of changes(before, after)) {
    if (sign === "+" && !text.trim()) {
      empty += 1;
      continue;
    }
    flush();
    line(sign === "+" ? "ins" : "del", sign === "+" ? "+ " : "− ", text);
  }
  flush();
  return block;
}
