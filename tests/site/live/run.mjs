// Runs scenarios in one browser. Started by driver.py with the folder of the scenarios, the
// browser's kind, its path, the address of the control, the folder for pictures, the seconds
// after which a scenario hangs, and the arguments of the browser.
//
// Reads the name of a scenario, a line each, and answers with a line of JSON,
// {"ok", "notes", "message", "step", "console", "picture"}.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { Trial } from "./harness.mjs";

const [folder, kind, executablePath, control, pictures, limit, ...args] =
  process.argv.slice(2);
const scenarios = {};
for (const name of readdirSync(folder))
  Object.assign(scenarios, await import(pathToFileURL(join(folder, name))));

const browser = await puppeteer.launch({
  browser: kind,
  executablePath,
  args,
  headless: true,
  timeout: 0,
  protocolTimeout: 120_000, // ms: longer than any step
  extraPrefsFirefox: {
    "network.captive-portal-service.enabled": false,
    "network.connectivity-service.enabled": false,
    "dom.max_script_run_time": 0, // no dialogue: the test must see a frozen page itself
    "ui.prefersReducedMotion": 1,
  },
});

async function run(name) {
  const trial = new Trial({ browser, kind, control, pictures, name });
  const answer = { ok: true, notes: trial.notes };
  let timer;
  try {
    const late = new Promise((_, reject) => {
      const hangs = new Error(`not done after ${limit} s`);
      timer = setTimeout(reject, 1000 * limit, hangs);
    });
    await Promise.race([scenarios[name](trial), late]);
  } catch (error) {
    answer.ok = false;
    answer.message = error.name === "Wrong" ? error.message : error.stack;
    answer.step = trial.step;
    answer.picture = await trial.picture();
    answer.console = trial.lines.slice(-40);
  } finally {
    clearTimeout(timer);
    await trial.close();
  }
  return answer;
}

for await (const name of createInterface({ input: process.stdin }))
  process.stdout.write(JSON.stringify(await run(name)) + "\n");
await browser.close();
process.exit(0); // not later: a connection that is kept open would hold it up
