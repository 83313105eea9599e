// The page as an instrument: predictions, and the loop that moves.

import { Book } from "../book.mjs";

const CHAPTERS = [
  "01_callbacks",
  "02_cpu_models",
  "03_task_cost",
  "04_late_heartbeat",
  "05_backpressure",
  "06_spinning_loop",
  "07_priority",
  "08_your_program",
].map((name) => `book/${name}.html`);
const SCREENS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];

/**
 * In the page: where the value that a question asks for is stated in sight of it, that is
 * on a screen on which it can stand, or on the first one. What the answer says comes from
 * what the cell printed, the table, or the folded answer.
 */
function givenAway(height) {
  const UNSAID = ".cell_input, pre code, script, style, .lp-k, .looplab-tl .k"; // axes, too
  const SCALE = { s: 1, ms: 1e-3, µs: 1e-6 };
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const article = document.querySelector("article");
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const blocks = new Map(); // of a paragraph, a row or a picture: what is seen of it
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest(UNSAID)) continue;
    range.selectNodeContents(node);
    const { top, bottom, height: tall } = range.getBoundingClientRect();
    if (!tall || !parent.checkVisibility({ visibilityProperty: true })) continue;
    const block = parent.closest("p, li, tr, pre, figcaption, text, h1, h2, summary") ?? parent;
    if (!blocks.has(block)) blocks.set(block, { block, text: "", top, bottom });
    const seen = blocks.get(block);
    seen.text += node.data;
    seen.bottom = Math.max(seen.bottom, bottom);
  }
  const lines = [...blocks.values()];
  return [...document.querySelectorAll("details.predict")].flatMap((question) => {
    const { asks, results } = question.prediction;
    const place = question.getBoundingClientRect();
    const form = question.nextElementSibling;
    const near = lines.filter(
      ({ block, top, bottom }) =>
        !question.contains(block) &&
        !form.contains(block) &&
        (top + scrollY < height || (bottom > place.bottom - height && top < place.top + height)),
    );
    const name = question.querySelector(".sd-summary-text").textContent;
    const all = results();
    const asked = all.length > 3 ? [all.sort((a, b) => b - a)[0]] : all; // the most
    if (asks.number && !asked.length) return [`${name}: nothing comes out`];
    const unit = asks.number?.[2];
    const states = (text) => {
      if (asks.number)
        return [...text.matchAll(/(?<![\w.,])(\d[\d,]*(?:\.\d+)?)(?:\s*(\p{L}+))?/gu)].some(
          ([, digits, after]) => {
            const number = Number(digits.replaceAll(",", ""));
            const same = (value) => Math.abs(number * (SCALE[after] ?? 1) - value) < 1e-9;
            const hasUnit = after === unit || (after in SCALE && unit in SCALE);
            return asked
              .map((value) => Number.parseFloat(value.replaceAll(",", "")))
              .some((value) => same(value) && (hasUnit || (!(after in SCALE) && String(value).length > 2)));
          },
        );
      const words = asks.right ?? asked.join(", ");
      const isTelling = /\d/.test(words) || words.split(" ").length > 3;
      const pattern = escaped(words).replace(/[\s,]+/g, "[\\s,]+");
      return isTelling && new RegExp(`(?<![\\w.,])${pattern}(?![\\w])`, "i").test(text);
    };
    return near
      .filter(({ text }) => states(text))
      .map(({ text }) => `${name.trim()} | ${text.replace(/\s+/g, " ").trim().slice(0, 150)}`);
  });
}

/** What answers a question is out of sight until a guess; the guess stays, and counts. */
export async function predictions(t) {
  let asked = 0;
  const wrong = [];
  for (const screen of SCREENS)
    for (const path of CHAPTERS) {
      const book = await Book.open(t, path, screen);
      asked += await book.page.$$eval("details.predict", (all) => all.length);
      for (const line of await book.page.evaluate(givenAway, screen.height))
        wrong.push(`${path}, ${screen.width} px: ${line}`);
      await book.page.close();
    }
  t.check(!wrong.length, `${wrong.length} answers in sight of their question:\n${wrong.join("\n")}`);
  t.notes.asked = asked;
  t.check(asked >= 2 * 40, `the chapters ask ${asked} times`);

  const book = await Book.open(t, CHAPTERS[3]);
  const { page } = book;
  const told = () => page.$$eval(".foretold.told", (all) => all.length);
  t.equal(await told(), 0, "what is told before a guess");
  await page.focus(".prediction input");
  await page.keyboard.press("End"); // of the axis
  await book.click(".prediction [type=submit]"); // Enter is not everybody's key for it
  t.check((await told()) > 0, "a guess told nothing");
  const words = () => page.$eval(".prediction-kept p", (line) => line.textContent);
  t.check(/You said 0.1 s. It came out as 0 s./.test(await words()), `beside: ${await words()}`);
  const count = () => page.$eval(".prediction-count", (line) => line.textContent);
  t.check(/made 1 of \d+ predictions/.test(await count()), `the count: ${await count()}`);
  // What a reader's own run brings is laid beside the guess, too.
  const late = (await book.source("cell-heartbeat")).replace("sleep(1)", "sleep(1.05)");
  await book.edit("cell-heartbeat", late);
  await book.runs("cell-heartbeat", "the cell that answers");
  t.check(/as 0.05 s/.test(await words()), `beside the run: ${await words()}`);
  const marks = await page.$$eval(".guess-mark", (all) => all.map((one) => one.textContent));
  t.equal(marks, ["you: 0.1 s", "0.05 s"], "the marks on the axis");

  // The first choice of a question counts, and the right one is marked as such.
  const choose = (number) =>
    book.until(
      "one choice of the question alone to be open, and marked",
      (number) => {
        const all = [...document.querySelectorAll("details.quiz-choice")].slice(0, 2);
        all[number].open = true;
        const isMarked = all.some((one) => /is-(right|wrong)/.test(one.className));
        return isMarked && !all[1 - number].open;
      },
      number,
    );
  await choose(0);
  await choose(1);

  // Kept in this browser, and forgotten on demand.
  await book.go();
  t.check(/You said 0.1 s/.test(await words()), "the guess after a reload");
  t.check((await told()) > 0, "what was told is hidden again");
  await Promise.all([page.waitForNavigation(), page.click(".prediction-count button")]);
  t.equal(await told(), 0, "what is told after forgetting");

  // An order is pressed together; a guess of a moment is marked in the loop that moves.
  const first = await Book.open(t, CHAPTERS[0]);
  const guessed = await first.page.evaluate(() => {
    const order = document.querySelector(".guess-order");
    for (const word of ["hello", "world", "later"])
      [...order.children].find((part) => part.textContent === word).click();
    order.closest("form").requestSubmit();
    const moment = document.querySelector(".guess-axis input");
    moment.value = 0.04;
    moment.dispatchEvent(new Event("input"));
    moment.form.requestSubmit();
    document.getElementById("cell-wake").scrollIntoView({ behavior: "instant" });
    return document.querySelector(".prediction-kept .is-right")?.textContent;
  });
  t.equal(guessed, "hello, world, later", "the order");
  await first.until("the guess in the player", () =>
    document.querySelector("#cell-wake .lp-moving .lp-guess") !== null,
  );
}

/** A recorded loop moves: as built, by keys, in step, and after a reader's own run. */
export async function player(t) {
  const book = await Book.open(t, CHAPTERS[3]);
  const { page } = book;
  await book.until("two players in step", () =>
    document.querySelectorAll(".on-time-hero .lp-moving").length === 2,
  );
  const words = () =>
    page.$$eval(".on-time-hero .lp-moving > svg", (all) =>
      all.map((one) => one.getAttribute("aria-label")),
    );
  await page.focus(".on-time-hero .lp-moving input");
  await page.keyboard.press("Home");
  const [storm, queue] = await words();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  const [later, inStep] = await words();
  t.check(later !== storm, `a step says ${later}`);
  t.check(inStep !== queue, "the other player stands still");
  const { x, y } = await page.$eval(".on-time-hero .lp-moving circle", (due) =>
    due.getBoundingClientRect().toJSON(),
  );
  await page.mouse.click(x + 60, y + 4); // in the timeline
  t.check(!(await words()).includes(later), "a click in the timeline moves nothing");
  const still = await page.$eval(".on-time-hero .looplab-timeline", (one) =>
    one.getClientRects().length,
  );
  t.equal(still, 0, "the still beside a player that moves");

  const cell = "cell-three";
  await book.edit(cell, (await book.source(cell)).replace("end=3.05", "end=3.03"));
  await book.runs(cell, "a cell with a player");
  await book.until(
    "a player of the reader's own run",
    (id) => document.querySelector(`#${id} .livecell-live .lp-moving button`) !== null,
    cell,
  );
}
