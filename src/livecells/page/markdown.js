// Markdown that a run returns, as HTML; loaded when there is some.

import { Marked } from "marked";

const marked = new Marked({ gfm: true, async: false });

export function toHtml(text) {
  return marked.parse(text);
}
