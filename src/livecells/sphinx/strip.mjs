// Draw four moments of each recording, for paper: node strip.mjs < recordings, a list of
// the texts inside the players. What cannot be drawn gives an empty text.

import { readFileSync } from "node:fs";
import { decode, END, frame, poster } from "../page/player/frame.js";

const WIDTH = 340;
const ICON =
  '<path class="lp-ic" d="M14.5 7.5a5.5 5.5 0 1 0 .01 0M14.5 10v3l2 1.5"/>';

/** Where the latest timer is due, noticed and resolved, and where its task wakes. */
function moments(film) {
  const [worst] = film.timers
    .filter((timer) => timer.woken)
    .sort((a, b) => b.woken.a - b.due - (a.woken.a - a.due));
  if (!worst) return [0.1, 0.4, 0.7, 1].map((part) => Math.floor(part * film.last) + END);
  const { rec, woken } = worst;
  return [poster(film), rec.look + END, rec.s + END, woken.s + 0.5];
}

const chip = ({ x, y, w, cls, label, icon, o }) =>
  `<g class="lp-c ${cls}" transform="translate(${x.toFixed(1)} ${y})" opacity="${o}">` +
  `<rect height="26" width="${w.toFixed(1)}" rx="${icon ? 13 : 6}"/>${icon ? ICON : ""}` +
  `<text y="17" x="${icon ? 25 : 9}">${label}</text></g>`;

function picture(film, moment) {
  const { back, front, chips, words, height } = frame(film, moment, WIDTH);
  return (
    `<svg role="img" aria-label="${words}" viewBox="0 0 ${WIDTH} ${height}">` +
    `${back}${chips.map(chip).join("")}${front}</svg>`
  );
}

function strip(text) {
  try {
    const film = decode(JSON.parse(text));
    const pictures = moments(film).map((moment) => picture(film, moment));
    return `<div class="lp-strip">${pictures.join("")}</div>`;
  } catch {
    return "";
  }
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(strip)));
