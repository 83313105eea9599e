// What a reader may write into a cell, and what must not happen then.

import { Book, RUN } from "../book.mjs";

/** An endless loop is stopped, and the built cell runs as if nothing had been. */
export async function endless_loop(t) {
  const site = await t.serve();
  const { path, cell } = await t.sample();
  const book = await Book.open(t, site, path);
  await book.edit(cell, "print('before')\nwhile True:\n    pass");
  await book.listen();
  await book.press(cell, "run");
  await book.running(cell);
  await t.until(book.page, "the first line", RUN, shows, cell, "before");
  await book.stop(cell);
  t.equal(await book.ended(cell), "stopped", "the cell after Stop");
  await book.idle();
  // Another Python starts by itself, which the reader did not ask for.
  const said = await book.heard();
  const end = said.slice(said.findLastIndex((text) => /stopped/i.test(text)));
  t.equal(end, ["Stopped."], `said in the end, of ${said}`);
  t.check((await book.shown(cell)).includes("before"), "Stop lost the output so far");
  // The next Run works at once, and starts a new Python by itself.
  const source = await book.source(cell);
  await book.press(cell, "reset");
  t.equal(await book.state(cell), "built", "the cell after Reset");
  t.check((await book.source(cell)) !== source, "Reset kept the edited source");
  t.equal(await book.run(cell), "ran", "the run after Stop and Reset");
  t.equal(await book.differences([cell]), [], "the output after Stop and Reset");
}

/** Errors are readable, and the line of the reader's code is marked. */
export async function errors(t) {
  const site = await t.serve();
  const { path, cell, other } = await t.sample();
  const book = await Book.open(t, site, path);

  await book.edit(cell, "first = 1\nsecond = = 2");
  t.equal(await book.run(cell), "error", "a cell with a syntax error");
  let shown = await book.shown(cell);
  t.check(shown.includes("SyntaxError"), `a syntax error shows ${shown}`);
  t.check(/line 2\b/.test(shown), `a syntax error names no line: ${shown}`);
  t.equal(await lines(book, cell), [2], "the marked line of a syntax error");
  t.check(/error/i.test(await book.status()), `said: ${await book.status()}`);

  await book.edit(cell, "def half(number):\n    return 1 / number");
  t.equal(await book.run(cell, RUN), "ran", "the corrected cell");
  t.equal(await lines(book, cell), [], "the marked lines of a corrected cell");

  await book.edit(other, "print('so far')\n\nhalf(0)");
  t.equal(await book.run(other, RUN), "error", "a cell whose call fails");
  shown = await book.shown(other);
  for (const part of ["so far", "ZeroDivisionError", "line 3", "half", "line 2"])
    t.check(shown.includes(part), `the traceback lacks ${part}: ${shown}`);
  t.check(!/runtime\.py|\/lib\/python|<exec>/.test(shown), `not only ours: ${shown}`);
  t.equal(
    [await lines(book, cell), await lines(book, other)],
    [[2], []],
    "the line of an earlier cell is marked for an error in its function",
  );
  // An error leaves the page in order.
  await book.press(other, "reset");
  await book.press(cell, "reset");
  t.equal(await book.run(other, RUN), "ran", "the built cell after the error");
  t.equal(await book.differences([other]), [], "the output after the error");
}

/** The marked lines, in the open editor or in the static source. */
async function lines(book, cell) {
  const inEditor = await book.page.$$eval(book.at(cell, ".cm-line"), (all) =>
    all.flatMap((one, at) =>
      one.classList.contains("livecell-errline") ? [at + 1] : [],
    ),
  );
  return inEditor.length ? inEditor : book.marked(cell);
}

/** A cell that takes all memory ends with a line that says so; the next Run works. */
export async function no_memory(t) {
  const site = await t.serve();
  const { path, cell, other } = await t.sample();
  const book = await Book.open(t, site, path);
  const greedy = "hoard = []\nwhile True:\n    hoard.append(bytearray(50_000_000))";
  await book.edit(cell, greedy);
  const state = await book.run(cell);
  t.check(["error", "stopped"].includes(state), `out of memory ended with ${state}`);
  const shown = await book.page.$eval(`[id="${cell}"]`, (one) => one.textContent);
  const said = `${shown}\n${await book.status()}`;
  t.check(/memory/i.test(said), `nothing names the memory: ${said.slice(-500)}`);
  await book.press(cell, "reset");
  t.equal(await book.run(cell), "ran", "the run after the memory ran out");
  t.equal(await book.differences([cell]), [], "the output after it");

  // Python does not give memory back: one that has taken too much starts again.
  const large = "hoard = [bytearray(50_000_000) for _ in range(45)]\nprint(len(hoard))";
  await book.edit(cell, large);
  t.equal(await book.run(cell), "ran", "a cell that takes more than 2 GiB");
  const told = await book.shown(cell);
  t.check(/45[^]*2\.\d GB of memory[^]*starts again/.test(told), `it shows ${told}`);
  await book.edit(other, "print(6 * 7)");
  t.equal(await book.run(other), "ran", "the run after it");
  t.equal((await book.shown(other)).trim(), "42", "its output");
}

/** What ends Python itself is told, and the next Run works. */
export async function fatal(t) {
  const site = await t.serve();
  const { path, cell } = await t.sample();
  const book = await Book.open(t, site, path);
  const programs = [
    "import os\nprint('so far')\nos._exit(0)",
    "import os\nos.abort()",
    "class Odd:\n    def __repr__(self):\n        return repr(self)\nOdd()",
    "import asyncio\nasyncio.current_task().cancel()\nawait asyncio.sleep(0)",
    "import builtins\nbuiltins.len = builtins.print = None\n1 / 0",
  ];
  for (const program of programs) {
    await book.edit(cell, program);
    // Where the stack is large enough, the error of a repr is shown in its place.
    const states = program.includes("repr") ? ["error", "ran"] : ["error"];
    const state = await book.run(cell);
    t.check(states.includes(state), `${state} after ${program}`);
    const shown = await book.shown(cell);
    t.check(/broke off|Error/.test(shown), `${program} shows ${shown}`);
  }
  await book.press(cell, "reset");
  t.equal(await book.run(cell), "ran", "the run after all that");
  t.equal(await book.differences([cell]), [], "the output after it");
}

const shows = (id, text) =>
  document.getElementById(id).querySelector(".cell_output")?.textContent.includes(text);
