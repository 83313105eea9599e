// Draw recordings in Node: node player.mjs FRAME < films; what is wrong goes to stdout.

import { readFileSync } from "node:fs";

const { decode, frame } = await import(process.argv[2]);
const films = JSON.parse(readFileSync(0, "utf8"));
const result = { compared: 0, wrong: [], refused: 0, drawn: 0, markup: 0 };

films.forEach(({ data, truth }, film) => {
  const decoded = decode(structuredClone(data));
  decoded.recs.forEach((record, i) => {
    const [now, next, timers] = frame(decoded, record.s + 0.01, 390).queued;
    const [ready, heap] = truth[i];
    result.compared += 1;
    if (now + next !== ready || timers !== heap)
      result.wrong.push([film, i, now + next, ready, timers, heap]);
  });
  for (let moment = 0; moment < decoded.last; moment += 0.37) {
    const shown = frame(decoded, moment, 320);
    const isFit = shown.words && !/NaN|undefined|Infinity/.test(JSON.stringify(shown));
    if (!isFit) result.wrong.push([film, moment]);
  }
});

const JUNK = [NaN, -1, 1e308, "<img>", null, {}, [], 0, 3, "constructor", -1e9, 2 ** 40];
let seed = 1;
const random = (below) => (seed = (seed * 16807) % 2147483647) % below;
for (let round = 0; round < 2000; round++) {
  const data = structuredClone(films[0].data);
  for (let change = 0; change < 3; change++) {
    const junk = JUNK[random(JUNK.length)];
    const columns = [data.r, data.t][random(2)];
    const column = columns[random(columns.length)];
    const kind = random(3);
    if (kind === 0) data[["u", "zero", "end"][random(3)]] = junk;
    else if (kind === 1) column[random(column.length)] = junk;
    else data.names[random(data.names.length)] = [junk, junk, junk];
  }
  try {
    const decoded = decode(data);
    for (let moment = 0; moment < 5; moment++) {
      const shown = frame(decoded, random(30) + 0.5, 358);
      result.drawn += 1;
      if (/<img/.test(JSON.stringify(shown))) result.markup += 1;
    }
  } catch {
    result.refused += 1;
  }
}
process.stdout.write(JSON.stringify(result));
