// What a reader may write into a cell, and what must not happen then.

import { Book } from "../../../../site/live/book.mjs";

const LAB = "lab.html";

/** What each program prints, one Run all for all: the test compares it with ipykernel's. */
export async function programs(t) {
  const book = await Book.open(t, "programs.html");
  await book.runAll();
  const printed = {};
  for (const cell of await book.cells()) {
    printed[cell.replace(/^cell-/, "")] = await book.shown(cell);
  }
  t.notes.printed = printed;
}

/** What a task prints when its cell has ended stands with its cell, and forges nothing. */
export async function outlives(t) {
  const book = await Book.open(t, LAB);
  await book.tries(
    "cell-second",
    "import asyncio\nasync def late():\n    await asyncio.sleep(0.3)\n" +
      "    print('late')\ntask = asyncio.create_task(late())\nprint('first')",
    /^first/,
  );
  await book.until("what the task prints", () =>
    /first[\s\S]*late/.test(document.querySelector("#cell-second .cell_output").textContent),
  );
  // What an error says gives the bar no command of a terminal and turns no text round.
  const raising = "raise ValueError('\\x1b]8;;https://e.test\\x07\\u202egnorw')";
  await book.tries("cell-third", raising, /ValueError/, "error");
  t.check(/^ValueError.*: gnorw$/.test(await book.status()), await book.status());
  // What has not run in this Python is out of its reach, and a figure is never late.
  await book.click(".livecells-restart");
  await book.reaches("idle");
  await book.runs("cell-figure");
  await book.edit(
    "cell-third",
    `import json, sys
emit = sys.stdout._writer._emit.__globals__["emit"]
forged = {"kind": "display", "data": {"text/html": "<b>forged</b>"}}
emit(json.dumps({"late": "figure", **forged}))
emit(json.dumps({"late": "second", "kind": "stream", "text": "forged"}))`,
  );
  await book.runs("cell-third", "a cell that writes into others");
  const forged = await book.page.$$eval(".cell_output", (all) =>
    all.filter((one) => one.textContent.includes("forged")).length,
  );
  t.equal(forged, 0, "outputs that are forged");
}

/** A cell that takes all memory ends with a line that says so; the next Run works. */
export async function no_memory(t) {
  const book = await Book.open(t, LAB);
  const greedy = "hoard = []\nwhile True:\n    hoard.append(bytearray(50_000_000))";
  await book.tries("cell-third", greedy, /memory/i, "error");
  // Python does not give memory back: one that has taken too much starts again.
  const large = "hoard = [bytearray(50_000_000) for _ in range(45)]\nprint(len(hoard))";
  await book.tries("cell-third", large, /45[^]*2\.\d GB of memory[^]*starts again/);
  await book.tries("cell-third", "print(6 * 7)", "42");
}

const FATAL = [
  "import os\nprint('so far')\nos._exit(0)",
  "import os\nos.abort()",
  "import asyncio\nasyncio.current_task().cancel()\nawait asyncio.sleep(0)",
  "import builtins\nbuiltins.len = builtins.print = None\n1 / 0",
];

/** What ends Python itself is told, and the next Run works. */
export async function fatal(t) {
  const book = await Book.open(t, LAB);
  for (const program of FATAL)
    await book.tries("cell-third", program, /broke off|Error/, "error");
  // Where the stack is large enough, the error of a repr is shown in its place.
  await book.edit("cell-third", "class Odd:\n    def __repr__(self):\n        return repr(self)\nOdd()");
  t.check(["error", "ran"].includes(await book.run("cell-third")), "a repr without end");
  t.check(/broke off|Error/.test(await book.shown("cell-third")), "it says nothing");
  await book.press("cell-third", "reset");
  await book.runs("cell-third", "the run after all that");
  await book.isBuilt("cell-third");
}
