// One reader's first and second visit, in a browser with a fresh profile.
//
// Arguments: a JSON object {browser, path, args, host, ready, ...} from measure.py.
// Prints one JSON object: for each visit when the page was loaded (milliseconds since
// 1970, to attribute what the server sent) and the seconds from the click to the output.

import puppeteer from "puppeteer-core";

const options = JSON.parse(process.argv[2]);
const browser = await puppeteer.launch({
  browser: options.browser,
  executablePath: options.path,
  args: options.args,
  headless: true,
  protocolTimeout: 1000 * options.limit,
});
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/** In the page: seconds from the click on a button until `done` says so. */
function clocked(selector, done) {
  const test = new Function(`return (${done})()`);
  window.clocked = new Promise((resolve) => {
    document.querySelector(selector).addEventListener(
      "click",
      () => {
        const start = performance.now();
        const look = () => {
          if (test()) resolve((performance.now() - start) / 1000);
          else setTimeout(look, 10);
        };
        look();
      },
      { capture: true, once: true },
    );
  });
}

async function visit() {
  const opened = Date.now();
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(options.url, { waitUntil: "load" });
  await page.waitForSelector(options.button);
  await sleep(1); // whatever the page still loads of itself
  const loaded = Date.now();
  await page.evaluate(clocked, options.button, options.done);
  await page.click(options.button);
  const seconds = await page.evaluate(() => window.clocked);
  await sleep(options.settle); // a snapshot may still be stored
  const answer = { opened, loaded, seconds, left: Date.now() };
  if (options.loop) Object.assign(answer, await stopped(page));
  await page.close();
  return answer;
}

/** Edit the cell to an endless loop, run it, stop it, run the built cell again. */
async function stopped(page) {
  const { edit, reset, run, stop, busy, idle } = options.loop;
  await page.click(edit);
  await page.waitForSelector(`${options.loop.editor}`);
  await page.click(options.loop.editor);
  const key = process.platform === "darwin" ? "Meta" : "Control";
  await page.keyboard.down(key);
  await page.keyboard.press("a");
  await page.keyboard.up(key);
  await page.keyboard.type("while True: pass");
  await page.click(run);
  await page.waitForFunction(busy, { timeout: 30_000 });
  await sleep(1);
  await page.evaluate(clocked, stop, idle);
  await page.click(stop);
  const stopSeconds = await page.evaluate(() => window.clocked);
  await page.click(reset);
  await page.evaluate(clocked, run, options.done);
  await page.click(run);
  return { stop: stopSeconds, again: await page.evaluate(() => window.clocked) };
}

try {
  const visits = [];
  for (let turn = 0; turn < 2; turn++) visits.push(await visit());
  process.stdout.write(JSON.stringify({ version: await browser.version(), visits }));
} finally {
  await browser.close();
}
