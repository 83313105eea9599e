// What a reader sees where something does not work: the build, and a line that says why.

import { Book } from "../book.mjs";

/** Without scripts the pages show the build, and one line says that cells do not run. */
export async function scripts_off(t) {
  const site = await t.serve({ policy: "sandbox allow-same-origin" });
  const { path, cell } = await t.sample();
  const page = await t.page();
  await page.goto(site.url(path), { waitUntil: "load" });
  const found = await page.evaluate((id) => {
    const seen = (one) => one.getClientRects().length > 0;
    const output = document.getElementById(id).querySelector(".cell_output");
    const text = document.body.innerText;
    return {
      shown: seen(output) && output.textContent.trim().length > 0,
      line: /scripts are off/i.test(text),
      buttons: [...document.querySelectorAll(".livecell-run")].filter(seen).length,
    };
  }, cell);
  t.equal(found, { shown: true, line: true, buttons: 0 }, "without scripts");
}

const BROKEN = {
  "without the worker": ["worker.js", { status: 404 }],
  "without the wasm": ["pyodide/pyodide.asm.wasm.bin", { status: 404 }],
  "with half of the wasm": ["pyodide/pyodide.asm.wasm.bin", { keep: 1_500_000 }],
  "without the library": ["pyodide/python_stdlib.zip.bin", { status: 404 }],
};

/** Without its worker, or with a broken Python, the build stays and a line says why. */
export async function python_missing(t) {
  const { path, cell } = await t.sample();
  for (const [how, [file, change]] of Object.entries(BROKEN)) {
    const site = await t.serve();
    const { assets } = await settings(site, path);
    await site.alter({ [assets + file]: change });
    const book = await Book.open(t, site, path);
    await book.press(cell, "run");
    const state = await t.until(
      book.page,
      `the failure ${how}`,
      60,
      () =>
        document.querySelector(".livecells-bar").dataset.livecellsState === "failed" &&
        "failed",
    );
    t.equal(state, "failed", how);
    const message = await book.page
      .waitForSelector(`[id="${cell}"] .livecell-message[data-kind=failed]`, {
        visible: true,
      })
      .then((one) => one.evaluate((element) => element.textContent.trim()))
      .catch(() => "");
    t.check(message.length > 20, `${how}: no line says why: ${JSON.stringify(message)}`);
    t.notes[how] = message;
    t.equal(await book.differences([cell]), [], `the output ${how}`);
    // Once the file is there, the next Run works, without a reload.
    await site.alter({ [assets + file]: {} });
    t.equal(await book.run(cell), "ran", `the next Run ${how}`);
    await book.page.close();
  }
}

/** Where the assets of a page are: the path below the site. */
async function settings(site, path) {
  const file = await (await fetch(site.url(path))).text();
  const found = /id="livecells-config"[^>]*>([^<]*)</.exec(file);
  const config = JSON.parse(found[1]);
  const { pathname } = new URL(config.assets, site.url(path));
  return { ...config, assets: pathname.slice(1) };
}
