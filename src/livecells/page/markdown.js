// Markdown that a run returns, as HTML; loaded when there is some.

import { Marked } from "marked";

const marked = new Marked({ gfm: true, async: false });
// A long address that many links name would be written out for each of them.
marked.use({ tokenizer: { def() {} } });

// Some texts take time that grows with the square of their length, or faster.
const LONG = 50_000; // characters
const LINES = 2_000;
const SIGNS = 2_000; // of emphasis
const FIELDS = 20_000; // of tables, whose short rows are filled up
const DEEP = 10; // signs of lists and quotes at the beginning of a line …
const INDENT = 60; // … and columns before its first word

const OPENING = /^(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))+/;

/** Why `text` is not parsed, in words; "" where it is. */
function refusal(text) {
  if (text.length > LONG) return `it has more than ${LONG} characters`;
  const lines = text.split(/\r\n?|\n/);
  if (lines.length > LINES) return `it has more than ${LINES} lines`;
  if (count(text, /[*_~]/g) > SIGNS) return "it has too many signs of emphasis";
  const fields = Math.max(...lines.map((line) => count(line, /\|/g)));
  if (fields * lines.length > FIELDS) return "its tables are too large";
  for (const line of lines) {
    const opening = OPENING.exec(line)?.[0] ?? "";
    const columns = opening.replaceAll("\t", "    ").length;
    if (columns > INDENT || count(opening, /[^ \t]+/g) > DEEP)
      return "its lists or quotes lie too deep in one another";
  }
  return "";
}

const count = (text, sign) => text.match(sign)?.length ?? 0;

/**
 * The HTML of some Markdown.
 *
 * Throws a RangeError where parsing it could hold up the page.
 */
export function toHtml(text) {
  const reason = refusal(text);
  if (reason) throw new RangeError(reason);
  return marked.parse(text);
}
