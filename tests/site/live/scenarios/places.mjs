// Where and how the site is served and visited.

import { Book, RUN } from "../book.mjs";

const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval' blob: {inline}",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
].join("; ");
const STATIC = "_static/livecells/";

/** After the first run the server is not needed any more. */
export async function offline(t) {
  const site = await t.serve();
  const { path, cell, other } = await t.sample();
  const book = await Book.open(t, site, path);
  t.equal(await book.run(cell), "ran", "the first run");
  await book.open(cell); // the editor is there too
  await book.built();
  await site.down();
  t.equal(await book.run(other, RUN), "ran", "a run without the server");
  t.equal(await book.differences([cell, other]), [], "the output without the server");
  await book.edit(cell, "while True: pass");
  await book.press(cell, "run");
  await book.running(cell);
  await book.stop(cell);
  await book.edit(cell, "print(6 * 7)");
  t.equal(await book.run(cell), "ran", "a run after Stop without the server");
  t.equal((await book.shown(cell)).trim(), "42", "its output");
}

/** Below a sub-path everything is asked for below that path. */
export async function sub_path(t) {
  const site = await t.serve({ sub: true });
  const { path, cell } = await t.sample();
  const book = await Book.open(t, site, path);
  await book.open(cell);
  t.equal(await book.run(cell), "ran", "a run below a sub-path");
  t.equal(await book.differences([cell]), [], "its output");
  const { pathname } = new URL(site.base);
  const outside = (await site.requests()).filter((one) => !one.startsWith(pathname));
  t.equal(outside.filter((one) => one !== "/favicon.ico"), [], "asked outside it");
  t.equal(t.errors, [], "the console");
}

/** A strict content policy is never violated, not even by a figure or the editor. */
export async function content_policy(t) {
  const site = await t.serve({ policy: POLICY });
  const { live } = await t.pagesOfTheBook();
  const { path, cell } = await t.sample();
  const book = await Book.open(t, site, path);
  // A handler in an attribute is the theme's, for its menu on narrow screens.
  const serious = () =>
    book.page.evaluate(() =>
      window.violations.filter((one) => !one.startsWith("script-src-attr")),
    );
  t.equal(await serious(), [], "violations before the first click");
  await book.edit(cell, "print(6 * 7)");
  t.equal(await book.run(cell), "ran", "a run under the policy");
  const figure = live
    .find((one) => one.path === path)
    .cells.find((one) => one.svg && !one.folded);
  await book.press(cell, "reset"); // the figure may need the cell as it was built
  if (figure) t.equal(await book.run(figure.id, RUN), "ran", "a figure under the policy");
  t.equal(await book.run(cell, RUN), "ran", "the built cell under the policy");
  t.equal(await book.differences([cell]), [], "its output");
  t.equal(await serious(), [], "violations");
  const refused = t.lines.filter((one) => /content.security.policy/i.test(one));
  const ours = refused.filter((one) => !/script-src-attr|event handler/i.test(one));
  t.equal(ours, [], "the console's refusals");

  // One that does not allow the frame's script is named, and nothing hangs.
  const closed = await t.serve({ policy: "script-src 'self' 'wasm-unsafe-eval'" });
  const last = await Book.open(t, closed, path);
  await last.press(cell, "run");
  await t.until(last.page, "the failure", 120, () =>
    document.querySelector(".livecells-bar").dataset.livecellsState === "failed",
  );
  t.check(/content policy/.test(await last.status()), `said: ${await last.status()}`);
}

/** A page that comes back from the history can run, whether it was kept or not. */
export async function from_history(t) {
  const { path, cell } = await t.sample();
  for (const kept of [true, false]) {
    const site = await t.serve({ no_store: !kept });
    const book = await Book.open(t, site, path, { keeps: true });
    await book.edit(cell, "print(6 * 7)");
    t.equal(await book.run(cell), "ran", "the first run");
    await book.stored(); // a page that still works on it would not be kept
    await book.page.evaluate(() => void (window.restored = undefined));
    await book.page.goto(site.url("index.html"), { waitUntil: "load" });
    // Chromium has another target for a page that is kept; the answer may get lost.
    await t.sleep(0.5);
    const leave = (end) => {
      if (location.pathname.endsWith(end)) return; // it has been left already
      window.leaving ??= setTimeout(() => history.back(), 100);
    };
    for (let tries = 0; tries < 5; tries++) {
      const asked = book.page.evaluate(leave, path).then(() => true, () => false);
      if (await asked) break;
      await t.sleep(0.5);
    }
    await t.until(
      book.page,
      "the page to come back",
      20,
      (end) => location.pathname.endsWith(end),
      path,
    );
    await book.ready();
    const how = await t.until(
      book.page,
      "the page to know how it came back",
      20,
      () => window.restored !== undefined && (window.restored ? "kept" : "new"),
    );
    t.notes[kept ? "storable" : "not storable"] = how;
    if (kept) t.equal(how, "kept", "a page that the browser may keep");
    t.equal(await book.source(cell), "print(6 * 7)", `the edit on a ${how} page`);
    t.equal(await book.run(cell), "ran", `a run on a ${how} page from the history`);
    t.equal((await book.shown(cell)).trim(), "42", `its output on a ${how} page`);
    await book.press(cell, "reset");
    t.equal(await book.run(cell, RUN), "ran", "the built cell");
    t.equal(await book.differences([cell]), [], "its output");
    await book.page.close();
  }
}

/** Before the first click nothing but the page's own script and style is fetched. */
export async function nothing_before_a_click(t) {
  const site = await t.serve();
  const { live, explorables } = await t.pagesOfTheBook();
  const asked = [];
  const page = await t.page();
  page.on("request", (request) => asked.push(request.url()));
  const some = [...live, ...explorables].filter((_, number) => number % 4 === 0);
  for (const { path } of some) {
    await page.goto(site.url(path), { waitUntil: "load" });
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.waitForNetworkIdle();
  }
  const foreign = asked.filter((one) => !/^(data|blob|about):/.test(one))
    .filter((one) => !one.startsWith(site.origin));
  t.equal(foreign, [], "requests to other hosts");
  const early = (await site.requests())
    .map((one) => one.split("?")[0])
    .filter((one) => one.includes(`/${STATIC}`))
    .filter((one) => !/\/(livecells|explorable|player-\w+)\.(js|css)$/.test(one));
  t.equal([...new Set(early)], [], "fetched before the first click");
  t.equal(t.errors, [], "the console");

  // Edit fetches an editor, and no Python.
  const { path, cell } = await t.sample();
  const book = await Book.open(t, site, path);
  const isOpen = () => Boolean(document.querySelector('iframe[title="Python"]'));
  await t.until(book.page, "a sandbox for Python, which waits", 30, isOpen);
  await book.edit(cell, "print('edited')");
  await book.page.waitForNetworkIdle();
  const files = /pyodide|worker\.js|runtime\.zip/;
  const python = (await site.requests()).filter((one) => files.test(one));
  t.equal(python, [], "fetched by Edit");
  t.equal(await book.python(), "off", "Python's state");
}

/** On slides: the first cell, of the page, and the last, of a lab most of which is unseen. */
export async function slides(t) {
  const site = await t.serve({ sub: true });
  const book = await Book.open(t, site, "slides/04_late_heartbeat.html");
  await t.until(
    book.page,
    "the slides to be there",
    20,
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
    t.equal(await book.run(id), "ran", `${id} on its slide`);
  }
  t.equal(await book.differences(tried), [], "the outputs on slides");
  // In a small window the same slides are a page, and their cells go on.
  await book.page.setViewport({ width: 390, height: 844 });
  await t.until(book.page, "the page of slides", 20, () => window.deck === null);
  t.equal(await book.run(ids[0]), "ran", `${ids[0]} on the page of slides`);
}
