// Runs scenarios in one browser. Started by driver.py with the folder of the scenarios, the
// browser's kind, its path, the address of the control, the folder for pictures and the
// arguments of the browser.
//
// Reads one JSON line a scenario, {"name": "stop", "limit": 60}, and answers one line,
// {"name", "ok", "seconds", "notes", "message", "console", "picture"}.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { Trial } from "./harness.mjs";

const [folder, kind, executablePath, control, pictures, ...args] = process.argv.slice(2);
const scenarios = {};
for (const name of readdirSync(folder))
  Object.assign(scenarios, await import(pathToFileURL(join(folder, name))));

const browser = await puppeteer.launch({
  browser: kind,
  executablePath,
  args,
  headless: true,
  timeout: 300_000,
  protocolTimeout: 300_000,
  extraPrefsFirefox: {
    "network.captive-portal-service.enabled": false,
    "network.connectivity-service.enabled": false,
    "dom.max_script_run_time": 0, // no dialogue: the test must see a frozen page itself
    "ui.prefersReducedMotion": 1,
  },
});
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
say({ ready: await browser.version(), pid: browser.process()?.pid });

async function run({ name, limit }) {
  const trial = new Trial({ browser, kind, control, pictures, name });
  const started = performance.now();
  const answer = { name, ok: true };
  let timer;
  try {
    const late = new Promise((_, reject) => {
      const fail = () =>
        reject(new Error(`not done after ${limit} s: ${trial.step ?? "at the start"}`));
      timer = setTimeout(fail, 1000 * limit);
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
  answer.notes = trial.notes;
  answer.seconds = (performance.now() - started) / 1000;
  return answer;
}

for await (const line of createInterface({ input: process.stdin })) {
  say(await run(JSON.parse(line)));
}
await browser.close();
process.exit(0); // not later: a connection that is kept open would hold it up
