// Text as a terminal would show it, without its colours.

// Operating-system commands such as links, then colours and cursor moves, then the rest.
const CODES =
  // eslint-disable-next-line no-control-regex
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-9;:?<=>]*[ -/]*[@-~]?|\x1b[P^_X][^\x1b]*(?:\x1b\\)?|\x1b[@-Z\\^_]?/g;

/** `text` as the build's highlighter leaves it. */
export function plain(text) {
  return text.replace(CODES, "");
}
