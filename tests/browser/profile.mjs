// What the page costs: until it can be used, while it plays, and while it does not. A table, each figure beside what
// it is to be.
//
// Raw DevTools protocol over a pipe, because a driver that keeps every tab visible can never have a hidden one. Times
// are the machine's of the moment: compare figures of one run with each other, and run it on a machine at rest.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { PANELS } from "./harness/panel.mjs";
import { serve } from "./harness/server.mjs";

const { values: options } = parseArgs({
  options: { dist: { type: "string" }, runs: { type: "string", default: "3" } },
});
const RUNS = Number(options.runs);
const RATES = [1, 4];
// Milliseconds: until the page is at rest after loading, what is measured of each state, and before that.
const LOAD = 5_000;
const LOOK = 4_000;
const SETTLE = 700;
// Until V8 has collected what loading and playing left, which it does once, some seconds after a page falls quiet.
const COLLECTED = 12_000;

// Name, unit, and what it is to be at 1x and at 4x CPU throttle; nothing where nothing is said.
const FIGURES = [
  ["first paint", "ms", null, 500],
  ["total blocking time", "ms", null, 150],
  ["one playing", "ms/s", 80, null],
  ["four playing", "ms/s", 300, null],
  ["four playing, frames", "1/s", null, -55],
  ["paused", "ms/s", 1, 1],
  ["playing, scrolled away", "ms/s", 5, 5],
  ["playing, hidden tab", "ms/s", 1, 1],
];

// Before any script of the page: what it notes about itself.
const NOTES = `(() => {
  const notes = (window.notes = { long: [], paint: null, frames: 0 });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) notes.long.push([startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") notes.paint = startTime;
  }).observe({ type: "paint", buffered: true });
  const count = () => { notes.frames += 1; requestAnimationFrame(count); };
  window.countFrames = () => requestAnimationFrame(count);
})()`;

class Browser {
  #waiting = new Map();
  #last = 0;

  static async start(host) {
    const browser = new Browser();
    browser.profile = await mkdtemp(path.join(os.tmpdir(), "kwp-profile-"));
    browser.process = spawn(
      process.env.CHROME || "/usr/bin/chromium",
      [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"],
        ...["--disable-component-update", "--disable-extensions", "--no-first-run", "--mute-audio"],
        ...[`--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${host}`, "--remote-debugging-pipe"],
        ...[`--user-data-dir=${browser.profile}`, "about:blank"],
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    let text = "";
    browser.process.stdio[4].setEncoding("utf8").on("data", (more) => {
      const messages = (text + more).split("\0");
      text = messages.pop();
      for (const message of messages) browser.#hear(JSON.parse(message));
    });
    return browser;
  }

  #hear({ id, result, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  send(method, params = {}, sessionId = undefined) {
    this.#last += 1;
    const id = this.#last;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    await this.send("Browser.close");
    await ended;
    await rm(this.profile, { recursive: true, force: true });
  }
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// One tab from its opening to its end; what was measured of it, by the figures' names.
async function measure(browser, url, rate) {
  const { browserContextId } = await browser.send("Target.createBrowserContext");
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId, newWindow: true });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method, params) => browser.send(method, params, sessionId);
  const ask = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
    return result.value;
  };
  const size = (height) =>
    send("Emulation.setDeviceMetricsOverride", { width: 1280, height, deviceScaleFactor: 1, mobile: false });
  // Milliseconds a second that the main thread is busy.
  const busy = async () => {
    await sleep(SETTLE);
    const read = async () => {
      const { metrics } = await send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value * 1_000;
    };
    const [before, from] = [await read(), performance.now()];
    await sleep(LOOK);
    return ((await read()) - before) / ((performance.now() - from) / 1_000);
  };
  const press = (panel) => ask(`document.querySelector('[data-panel="${panel}"] [data-act="play"]').click()`);
  // A panel that has come to its end plays on from its beginning.
  const keep = (panels) =>
    ask(`clearInterval(window.keeper); window.keeper = setInterval(() => {
      for (const panel of ${JSON.stringify(panels)}) {
        const play = document.querySelector(\`[data-panel="\${panel}"] [data-act="play"]\`);
        if (play.getAttribute("aria-pressed") === "false") play.click();
      }
    }, 500), null`);

  for (const domain of ["Page", "Runtime", "Network"]) await send(`${domain}.enable`);
  // The thread's own time, whatever else the machine does; a throttled thread is held up, and that counts.
  await send("Performance.enable", { timeDomain: rate === 1 ? "threadTicks" : "timeTicks" });
  await send("Network.setCacheDisabled", { cacheDisabled: true });
  await send("Page.addScriptToEvaluateOnNewDocument", { source: NOTES });
  await size(800);
  await send("Emulation.setCPUThrottlingRate", { rate });
  await send("Page.navigate", { url });
  await sleep(LOAD);

  const figures = {};
  const { paint, long } = await ask("({ paint: notes.paint, long: notes.long })");
  figures["first paint"] = paint;
  figures["total blocking time"] = long.reduce((sum, [, duration]) => sum + Math.max(0, duration - 50), 0);

  await press("dispatch");
  await keep(["dispatch"]);
  figures["one playing"] = await busy();
  await ask("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })");
  figures["playing, scrolled away"] = await busy();
  await ask("scrollTo({ top: 0, behavior: 'instant' })");
  const other = await browser.send("Target.createTarget", { url: "about:blank", browserContextId });
  await browser.send("Target.activateTarget", { targetId: other.targetId });
  await sleep(SETTLE);
  if ((await ask("document.visibilityState")) !== "hidden") throw new Error("the tab does not hide");
  await ask("clearInterval(window.keeper)");
  figures["playing, hidden tab"] = await busy();
  await browser.send("Target.activateTarget", { targetId });
  await browser.send("Target.closeTarget", { targetId: other.targetId });

  // A window as high as the page shows all four.
  await size(await ask("document.documentElement.scrollHeight"));
  await ask(`(async () => { while (document.querySelectorAll("section.panel").length < 4) await new Promise((r) => setTimeout(r, 50)); })()`);
  await keep(PANELS);
  await sleep(SETTLE);
  await ask("countFrames(), null");
  const [frames, from] = [await ask("notes.frames"), performance.now()];
  figures["four playing"] = await busy();
  figures["four playing, frames"] = ((await ask("notes.frames")) - frames) / ((performance.now() - from) / 1_000);

  // A fresh page that plays nothing: counting frames has a price too. In the window of a reader: what a higher one
  // shows is long in coming.
  await size(800);
  await send("Page.navigate", { url });
  await sleep(LOAD);
  await press("dispatch");
  await sleep(1_500);
  await press("dispatch");
  await sleep(COLLECTED);
  figures.paused = await busy();
  await browser.send("Target.disposeBrowserContext", { browserContextId });
  return figures;
}

function median(values) {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}

// Whether a figure is as it is to be; a negative goal is a least one.
function keeps(figure, goal) {
  return goal === null || (goal < 0 ? figure >= -goal : figure <= goal);
}

const site = await serve(path.resolve(options.dist));
const browser = await Browser.start(new URL(site.url).hostname);
try {
  const measured = [];
  for (const rate of RATES) {
    const runs = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await measure(browser, site.url, rate));
    measured.push(runs);
  }
  console.log(`    ${"".padEnd(26)}${RATES.map((rate) => `at ${rate}x`.padStart(10) + "to be".padStart(10)).join("")}`);
  for (const [name, unit, ...goals] of FIGURES) {
    const cells = measured.map((runs, at) => {
      const figure = median(runs.map((figures) => figures[name]));
      const goal = goals[at];
      const said = goal === null ? "" : `${goal < 0 ? ">= " : "<= "}${Math.abs(goal)}${keeps(figure, goal) ? " " : "!"}`;
      return figure.toFixed(figure < 10 ? 1 : 0).padStart(10) + said.padStart(10);
    });
    console.log(`    ${`${name}, ${unit}`.padEnd(26)}${cells.join("")}`);
  }
} finally {
  await browser.stop();
  await site.close();
}
