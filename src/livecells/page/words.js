// What the page says of its cells and runs, in words.

import { plain } from "./ansi.js";

/** At the beginning: how many cells can run, and what the first Run fetches. */
export function offered(count, weight) {
  const cells = count === 1 ? "1 cell" : `${count} cells`;
  const cost = weight ? `; the first Run fetches ${megabytes(weight)} MB` : "";
  return `${cells} can run in this page${cost}.`;
}

/** Before a run of `count` cells, of `target` and those that it needs or of all. */
export function planned(count, target) {
  if (!target) return `Running ${count} cells …`;
  const first = count - 1;
  if (!first) return "";
  const above = first === 1 ? "the cell" : `the ${first} cells`;
  return `Running cell ${target.number}, and first ${above} above that it needs …`;
}

/** While a cell runs. */
export function begun(cell, place, count, target) {
  let text = `Running cell ${cell.number}`;
  if (count > 1) text += ` (${place} of ${count})`;
  if (target && cell !== target) text += `, which cell ${target.number} needs`;
  return `${text} …`;
}

/** After a cell has run well, or all have. */
export function hasRun(cell, seconds) {
  if (!cell) return "All cells have run.";
  const took = seconds === undefined ? "" : ` (${duration(seconds)})`;
  return `Cell ${cell.number} has run${took}.`;
}

export function megabytes(bytes) {
  return ((bytes ?? 0) / 1e6).toFixed(1);
}

function duration(seconds) {
  return seconds < 0.1 ? "under 0.1 s" : `${seconds.toFixed(1)} s`;
}

// What a terminal obeys, and what turns the direction of a text.
// eslint-disable-next-line no-control-regex
const COMMANDS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function firstLine(text) {
  const line = plain(String(text ?? "").split("\n", 1)[0]).replace(COMMANDS, "");
  return line.length > 200 ? `${line.slice(0, 200)} …` : line;
}
