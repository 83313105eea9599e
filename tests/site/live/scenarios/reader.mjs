// Readers: with a keyboard, with a screen reader, on a phone, in the dark.

import { Book, chord } from "../book.mjs";
import { clip } from "../harness.mjs";

/** Tab to Edit, type, leave with Escape, run with Shift+Enter; the status tells. */
export async function keyboard(t) {
  const { book, cell } = await Book.sample(t);
  const { page } = book;
  await book.listen();
  const heard = async () => (await book.heard()).join(" | ");
  const focus = () =>
    page.evaluate(() => {
      const one = document.activeElement;
      const inCell = one.closest(".livecell")?.id ?? "";
      const editor = one.closest(".cm-editor") ? "editor" : "";
      const parts = ["livecell-run", "livecell-edit", "livecell-stop"];
      const part = parts.find((name) => one.classList.contains(name));
      return `${inCell} ${editor || part || one.tagName.toLowerCase()}`;
    });
  /** Press Tab until the focus is there, from where it is. */
  async function tabTo(target, most = 40) {
    const passed = [];
    for (let step = 0; step < most; step++) {
      const now = await focus();
      if (now === target) return;
      passed.push(now);
      await page.keyboard.press("Tab");
    }
    t.check(false, `Tab does not reach ${target}; it passed ${clip(passed.join(", "))}`);
  }

  // From the bar down to the cell: nothing in between may keep the focus.
  await page.focus(".livecells-runall");
  await tabTo(`${cell} livecell-run`, 400);
  t.check(await ringed(page), "the focus cannot be seen on Run");
  await page.keyboard.press("Enter");
  t.equal(await book.ended(cell), "ran", "a run by Enter on the button");
  t.equal(await focus(), `${cell} livecell-run`, "the focus after a run");
  let words = await heard();
  t.check(/load/i.test(words), `loading was not announced: ${words}`);
  t.check(/has run|ran|done|finished/i.test(words), `the end was not announced: ${words}`);

  await tabTo(`${cell} livecell-edit`);
  await page.keyboard.press("Enter");
  await book.until("the editor to have the focus", () =>
    Boolean(document.activeElement.closest(".cm-editor")),
  );
  await chord(page, "Control", "a");
  await page.keyboard.type("if True:");
  await page.keyboard.press("Enter"); // the next line is indented
  await page.keyboard.type("print(6 * 7)");
  t.equal(await book.source(cell), "if True:\n    print(6 * 7)", "the typed text");
  await page.keyboard.press("Tab"); // in the editor Tab indents
  t.equal(await focus(), `${cell} editor`, "the focus after Tab in the editor");
  await chord(page, "Control", "z");
  await page.keyboard.press("Escape");
  t.equal(await focus(), `${cell} livecell-run`, "the focus after Escape");
  for (let back = 0; back < 3; back++) {
    // The theme has a button for copying between the code and its toolbar.
    await chord(page, "Shift", "Tab");
    if ((await focus()).endsWith("editor")) break;
  }
  t.equal(await focus(), `${cell} editor`, "Shift+Tab from Run");
  await chord(page, "Shift", "Enter");
  await book.until(
    "42",
    (id) => document.querySelector(`[id="${id}"] .cell_output`)?.textContent.includes("42"),
    cell,
  );
  t.equal(await book.ended(cell), "ran", "a run by Shift+Enter");
  await heard();

  await chord(page, "Control", "a");
  await page.keyboard.type("1 / 0");
  await chord(page, "Shift", "Enter");
  t.equal(await book.ended(cell), "error", "a run that fails");
  words = await heard();
  t.check(/ZeroDivisionError|error/i.test(words), `the error was not said: ${words}`);

  await chord(page, "Control", "a");
  await page.keyboard.type("while True: pass");
  await chord(page, "Shift", "Enter");
  await book.reaches("running", cell);
  await page.keyboard.press("Escape");
  await tabTo(`${cell} livecell-stop`);
  await page.keyboard.press("Enter");
  t.equal(await book.ended(cell), "stopped", "a run that is stopped by keyboard");
  words = await heard();
  t.check(/stopped/i.test(words), `the stop was not announced: ${words}`);
  t.check(!/ body$/.test(await focus()), "the focus is lost after Stop");
}

const ringed = (page) =>
  page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return outline || style.boxShadow !== "none";
  });

/** In light and dark, wide and narrow: axe finds nothing, and all can be reached. */
export async function all_screens(t) {
  const wrong = [];
  const screens = [1280, 390].flatMap((width) => [
    { width, dark: false },
    { width, dark: true },
  ]);
  for (const { width, dark } of screens) {
    // Loaded at this width: what the theme's scripts do for it they do on load.
    const look = { dark, width, keeps: true };
    const { book, cell, other } = await Book.sample(t, look);
    const { page } = book;
    const mode = dark ? "dark" : "light";
    const shown = await page.evaluate(() => document.documentElement.dataset.theme);
    t.equal(shown, mode, "the colours of the page");
    await book.tries(cell, "def half(n):\n    return 1 / n\n\nhalf(0)", /Error/, "error");
    await book.stored(); // each screen stops a Python; the others start from it
    await book.begins(other, "while True: pass");
    const where = `${mode}, ${width} px`;
    for (const found of await axe(t, page)) wrong.push(`${where}: ${found}`);
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth);
    if (wide > width) wrong.push(`${where}: the page is ${wide} px wide`);
    wrong.push(...(await toolbars(page, width)).map((one) => `${where}: ${one}`));
    await book.stop(other);
    await page.evaluate(() => {
      for (const name of Object.keys(localStorage)) // the next page has no edits
        if (name.startsWith("livecells edit ")) localStorage.removeItem(name);
    });
    await page.close();
  }
  t.check(!wrong.length, wrong.join("\n"));
}

/** Buttons of the toolbars that cannot be seen, or pressed with a finger. */
const toolbars = (page, width) =>
  page.evaluate((width) => {
    const found = [];
    for (const one of document.querySelectorAll(
      ".livecell-toolbar button, .livecells-bar button",
    )) {
      if (!one.getClientRects().length) continue;
      const box = one.getBoundingClientRect();
      const name = one.getAttribute("aria-label") || one.textContent.trim();
      if (!name) found.push(`a button has no name: ${one.outerHTML.slice(0, 80)}`);
      if (box.left < 0 || box.right > width + 1) found.push(`${name} is off the screen`);
      if (box.width < 24 || box.height < 24)
        found.push(`${name} is ${box.width.toFixed(0)} × ${box.height.toFixed(0)} px`);
    }
    return found.slice(0, 5);
  }, width);

/** Serious and critical findings of axe-core. */
async function axe(t, page) {
  await page.evaluate(await t.axe());
  const { violations } = await page.evaluate(() =>
    window.axe.run(document, { resultTypes: ["violations"] }),
  );
  return violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => {
      const first = one.nodes[0].html.replace(/\s+/g, " ").slice(0, 160);
      return `${one.id} (${one.nodes.length} times): ${one.help}: ${first}`;
    });
}

/** In the page: wait until what a script has asked to draw is drawn. */
const drawn = () =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

/** What a page may fetch of the live cells before a click: its script and its style. */
const isFirst = (address) => /\/(livecells|explorable|player-\w+)\.(js|css)/.test(address);

/** A slider changes its figure by keyboard, without Python, with one request. */
export async function explorables(t) {
  const site = await t.site();
  const pages = (await t.ask({ do: "pages" })).filter((page) => page.explorables);
  // A browser asks for an icon by itself, when it likes.
  const requests = async () =>
    (await site.requests()).filter((one) => !one.includes("/favicon"));
  for (const { path } of pages) {
    // A figure may stand on two pages, and its pictures must not come from the cache.
    const page = await t.page({ context: await t.context() });
    const opened = (await requests()).length;
    await page.goto(site.url(path), { waitUntil: "load" });
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.waitForNetworkIdle();
    const early = (await requests())
      .slice(opened)
      .filter((one) => one.includes("/_static/livecells/") && !isFirst(one));
    t.equal(early, [], `fetched of ${path} before a click`);
    const figures = await page.$$eval(".explorable", (all) => all.map((one) => one.id));
    for (const id of figures) {
      const before = (await requests()).length;
      const read = () =>
        page.$eval(`[id="${id}"]`, (figure) => {
          const slider = figure.querySelector("input[type=range]");
          return {
            value: slider.value,
            text: figure.querySelector("output").textContent,
            spoken: slider.getAttribute("aria-valuetext"),
            name: (slider.labels[0] ?? slider).textContent.trim(),
            picture: figure.querySelector(".explorable-picture").innerHTML,
            named: [...figure.querySelectorAll("[role=img]")].some((one) => {
              const by = document.getElementById(one.getAttribute("aria-labelledby"));
              return (one.getAttribute("aria-label") ?? by?.textContent ?? "").trim();
            }),
          };
        });
      const first = await read();
      t.check(first.name || first.spoken, `${id}: the slider has no name`);
      t.check(first.named, `${id}: the figure has no text alternative`);
      await page.focus(`[id="${id}"] input[type=range]`);
      const seen = [first];
      // Arrows in both directions: the first figure may stand at an end.
      for (const key of ["ArrowRight", "ArrowLeft", "ArrowLeft", "End", "Home"]) {
        await page.keyboard.press(key);
        await t.until(
          page,
          `${id} to follow ${key}`,
          (id) => {
            const figure = document.getElementById(id);
            const slider = figure.querySelector("input[type=range]");
            return figure.dataset.explorableState !== "loading" && slider.value !== "";
          },
          id,
        );
        await page.evaluate(drawn);
        seen.push(await read());
      }
      const values = new Set(seen.map((one) => one.value));
      t.check(values.size > 2, `${id}: the keys move the slider to ${[...values]}`);
      for (const part of ["text", "spoken", "picture"]) {
        const by = new Map(seen.slice(1).map((one) => [one.value, one[part]]));
        const kinds = new Set(by.values());
        t.check(kinds.size > 1, `${id}: ${part} does not follow the slider`);
      }
      const asked = (await requests())
        .slice(before)
        .filter((one) => !/\/player-\w+\.js$/.test(one)); // for another figure
      t.check(asked.length === 1, `${id}: asked for ${asked.join(", ")}`);
      t.check(asked[0].includes(".json"), `${id}: asked for ${asked[0]}`);
    }
  }
  t.equal(t.errors, [], "the console");
}

/** On slides: the first cell, of the page, and the last, of a lab most of which is unseen. */
export async function slides(t) {
  const site = await t.serve({ sub: true });
  const book = await Book.open(t, "slides/04_late_heartbeat.html", { site });
  await book.until(
    "the slides to be there",
    () => document.documentElement.dataset.deck === "ready",
  );
  const ids = await book.page.$$eval(".slide-body .livecell", (all) =>
    all.map((one) => one.id),
  );
  const tried = [ids[0], ids.at(-1)];
  for (const id of tried) {
    await book.page.evaluate((name) => {
      const slide = document.getElementById(name).closest("section");
      window.deck.slide(window.deck.getIndices(slide).h);
    }, id);
    await book.runs(id, `${id} on its slide`);
  }
  await book.isBuilt(...tried);
  // In a small window the same slides are a page, and their cells go on.
  await book.page.setViewport({ width: 390, height: 844 });
  await book.until("the page of slides", () => window.deck === null);
  await book.runs(ids[0], `${ids[0]} on the page of slides`);
}
