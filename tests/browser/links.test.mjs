// Links: what they restore, in another browser and after a reload; the browser's back and forward; links that are
// broken, too long, from a later version or hostile; what is taken away from the page, and brought back.

import assert from "node:assert/strict";
import { readFile, writeFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

import { PANELS, baseUrl, kwp, open, panel } from "./harness/index.mjs";

// Everything of a panel that a link must restore.
async function seen(shown) {
  const drawing = await shown.find('[data-future="new"]').innerText();
  return { tick: await shown.tick(), counters: await shown.counters(), invariants: await shown.invariants(), drawing };
}

// A run with a past, of each panel.
const RUNS = {
  dispatch: async (shown) => {
    await shown.set("workers", 7);
    await shown.step(4);
    await shown.set("workers", 2);
    await shown.step(9);
  },
  watermark: async (shown) => {
    for (const offset of [4, 0, 9, 2]) await shown.find(`[data-offset="${offset}"]`).click();
    await shown.set("ack-map", true);
    await shown.act("crash");
    await shown.act("restart-a");
    await shown.step(3);
  },
  backpressure: async (shown) => {
    await shown.set("mode", "block");
    await shown.set("fetch", 20);
    await shown.set("timeline", 40);
  },
  rebalance: async (shown) => {
    await shown.set("drain", 3);
    await shown.set("guard", "off");
    await shown.set("timeline", 19);
  },
};

// The address once it says what the panel shows; it is written a moment later.
async function address(page, contains) {
  await page.waitForFunction((text) => location.hash.includes(text), contains);
  return page.url();
}

const hash = (url) => new URL(url).hash;

for (const name of PANELS) {
  test(`a link to ${name} shows the same in another browser`, async (t) => {
    const page = await open(t);
    const shown = panel(page, name);
    await RUNS[name](shown);
    const before = await seen(shown);
    const link = hash(await address(page, `panel=${name}`));
    await page.waitForFunction((tick) => location.hash.includes(`tick=${tick}`), before.tick);
    assert.ok(link.length < 300, `${link.length} characters: ${link}`);

    const other = await open(t, { path: hash(page.url()) });
    const again = panel(other, name);
    assert.deepEqual(await seen(again), before);
    assert.equal(await other.locator("#page-notice").count(), 0);
    const top = (await again.root.boundingBox()).y;
    assert.ok(top > -200 && top < 900, `the link leads to its panel, which is at ${top}`);
  });
}

test("the link of one panel is copied, and says nothing of the others", async (t) => {
  const page = await open(t, { before: (page, context) => context.grantPermissions(["clipboard-read", "clipboard-write"]) });
  await panel(page, "dispatch").step(2);
  const rebalance = panel(page, "rebalance");
  await rebalance.set("drain", 2);
  await rebalance.step(12);
  await rebalance.act("copy-link");
  await rebalance.find(".tools-said").waitFor();
  assert.match(await rebalance.find(".tools-said").innerText(), /copied: \d+ characters/);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `${await baseUrl()}#v=1&panel=rebalance&drain=2&tick=12`);
});

test("where nothing can be copied the link is there to be copied by hand", async (t) => {
  const page = await open(t, {
    before: (page) => page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined })),
  });
  const dispatch = panel(page, "dispatch");
  await dispatch.step(2);
  await dispatch.act("copy-link");
  const field = dispatch.find(".tools-answer input");
  assert.match(await field.inputValue(), /#v=1&panel=dispatch&tick=2$/);
});

test("a reload keeps the runs of all panels, and where the reader was", async (t) => {
  const page = await open(t);
  const before = {};
  for (const name of PANELS) {
    const shown = panel(page, name);
    await RUNS[name](shown);
    before[name] = await seen(shown);
  }
  await page.waitForFunction(() => location.hash.split("panel=").length === 5 && location.hash.endsWith("tick=19"));
  await page.evaluate(() => window.scrollTo(0, 700));
  await page.waitForTimeout(100);
  await page.reload();
  await page.locator("html[data-boot=running]").waitFor({ state: "attached" });
  for (const name of PANELS) assert.deepEqual(await seen(panel(page, name)), before[name], name);
  assert.ok(Math.abs((await page.evaluate(() => window.scrollY)) - 700) < 300, "it does not jump to a panel");
});

test("a link plays on if the panel was playing", async (t) => {
  const page = await open(t, { path: "#v=1&panel=backpressure&tick=5&playing=1" });
  const backpressure = panel(page, "backpressure");
  assert.equal(await backpressure.playing(), true);
  await backpressure.until((now) => now > 7, "it plays on");
});

test("back and forward in the browser lead through what was done, not through every tick", async (t) => {
  const page = await open(t);
  const rebalance = panel(page, "rebalance");
  await rebalance.set("drain", 2);
  await address(page, "drain=2");
  await rebalance.step(3);
  await address(page, "tick=3");
  await rebalance.set("guard", "off");
  await address(page, "guard=off");
  await page.goBack();
  await rebalance.find('[data-knob="guard"][value="newer"]:checked').waitFor({ state: "attached" });
  assert.equal(await rebalance.tick(), 3);
  assert.equal(await rebalance.knob("drain"), "2");
  await page.goBack();
  await rebalance.until((now) => now === 0, "the opening");
  assert.equal(await rebalance.knob("drain"), "7");
  assert.equal(hash(page.url()), "");
  await page.goForward();
  await page.goForward();
  await rebalance.find('[data-knob="guard"][value="off"]:checked').waitFor({ state: "attached" });
});

test("a place of the article in the address changes no panel, and the address remembers them again", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.step(5);
  await address(page, "tick=5");
  await page.locator('.contents a[href="#rebalance"]').click();
  await page.waitForFunction(() => document.querySelector("#rebalance").getBoundingClientRect().top < 300);
  await address(page, "tick=5");
  assert.equal(await dispatch.tick(), 5);
});

test("two futures are in the link", async (t) => {
  const page = await open(t);
  const watermark = panel(page, "watermark");
  for (const offset of [3, 1, 2]) await watermark.find(`[data-offset="${offset}"]`).click();
  await watermark.set("timeline", 1);
  await watermark.act("compare");
  await watermark.find('[data-future="new"] [data-offset="7"]').click();
  await watermark.set("timeline", 8);
  const before = await watermark.find(".futures").innerText();
  await address(page, "fork=2");
  await address(page, "tick=8");
  const other = await open(t, { path: hash(page.url()) });
  assert.equal(await panel(other, "watermark").find(".futures").innerText(), before);
});

for (const [what, link, sentence] of [
  ["cut off", "#v=1&panel=watermark&tick=9&acts=EAIQ", /cut off/],
  ["from a later version", "#v=7&panel=dispatch", /version 7, and this page reads up to version 1/],
  ["too long", `#v=1&panel=watermark&acts=${"A".repeat(70_000)}`, /longer than 60,000 characters/],
  ["out of range", "#v=1&panel=dispatch&workers=900", /`workers` is 900, and that goes from 1 to 8/],
  ["of no panel", "#v=1&panel=<script>alert(1)</script>", /names the panel/],
  ["without sense", "#%00%ff=%&&&==", /version/],
  ["past the end", "#v=1&panel=rebalance&tick=99999999999999999999", /`tick`/],
]) {
  test(`a link that is ${what} opens the page as it opens, and a sentence says why`, async (t) => {
    const page = await open(t, { path: link });
    const notice = page.locator("#page-notice");
    await notice.waitFor();
    assert.match(await notice.innerText(), sentence);
    for (const name of PANELS) assert.equal(await panel(page, name).tick(), 0);
    await panel(page, "dispatch").step(2);
    await notice.getByRole("button").click();
    await notice.waitFor({ state: "detached" });
  });
}

test("an address that is broken by hand leaves the page usable", async (t) => {
  const page = await open(t);
  await panel(page, "dispatch").step(3);
  await address(page, "tick=3");
  await page.evaluate(() => (location.hash = "#v=1&panel=dispatch&tick=abc"));
  await page.locator("#page-notice").waitFor();
  assert.equal(await panel(page, "dispatch").tick(), 0);
  await page.goBack();
  await panel(page, "dispatch").until((now) => now === 3, "back to what was");
  assert.equal(await page.locator("#page-notice").count(), 0);
});

// Takes something away through the panel's menu; resolves to the file's name and content.
async function take(page, shown, what) {
  const menu = shown.find(".menu");
  if ((await menu.getAttribute("open")) === null) await menu.locator("summary").click();
  const [download] = await Promise.all([page.waitForEvent("download"), shown.find(`[data-take="${what}"]`).click()]);
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
}

async function folder() {
  return mkdtemp(path.join(tmpdir(), "kwp-"));
}

for (const name of PANELS) {
  test(`what is taken away from ${name} is the run, and kwp runs it to the last event`, async (t) => {
    const page = await open(t);
    const shown = panel(page, name);
    await RUNS[name](shown);
    const tick = await shown.tick();
    const scenario = await take(page, shown, "toml");
    const lines = await take(page, shown, "jsonl");
    const table = await take(page, shown, "csv");
    assert.match(scenario.name, new RegExp(`^${name}.*-tick-${tick}\\.toml$`));
    const file = path.join(await folder(), scenario.name);
    await writeFile(file, scenario.content);

    const run = await kwp("run", "--events", "jsonl", file);
    assert.equal(run.stderr, "");
    assert.equal(lines.content.toString(), run.stdout, "byte for byte");
    assert.equal(table.content.toString(), (await kwp("run", "--events", "csv", file)).stdout);
    const events = Number((await shown.find(".fold summary").innerText()).match(/\d+/)[0]);
    assert.equal(lines.content.toString().trim().split("\n").length, events);

    const svg = (await take(page, shown, "svg")).content.toString();
    assert.match(svg, /^<svg[\s\S]*<text[\s\S]*<\/svg>\s*$/);
    const png = (await take(page, shown, "png")).content;
    assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  });

  test(`a scenario taken from ${name} opens on the page again`, async (t) => {
    const page = await open(t);
    const shown = panel(page, name);
    await RUNS[name](shown);
    const { content } = await take(page, shown, "toml");
    const other = await open(t);
    await drop(other, "taken.toml", content.toString());
    await other.waitForFunction(() => location.hash.includes("scenario="));
    const opened = panel(other, new URLSearchParams(hash(other.url()).slice(1)).get("panel"));
    await opened.set("timeline", await shown.tick());
    const own = await take(page, shown, "jsonl");
    const again = await take(other, opened, "jsonl");
    assert.equal(again.content.toString(), own.content.toString(), "the same events, byte for byte");
  });
}

// Drops a file on the page, as a browser does.
async function drop(page, name, text) {
  await page.evaluate(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name, { type: "text/plain" }));
      for (const type of ["dragenter", "dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
      }
    },
    [name, text],
  );
}

test("a scenario with a fault is refused with its line, as kwp says it, and nothing is lost", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.step(3);
  await drop(page, "odd.toml", '[log]\nrecords = ["0:A*3"]\n[consumer]\nwrokers = 3\n');
  const notice = page.locator("#page-notice");
  await notice.waitFor();
  const said = await notice.innerText();
  assert.match(said, /odd\.toml:4:1/);
  assert.match(said, /did you mean `workers`/);
  assert.equal(await dispatch.tick(), 3);
});

test("a scenario is chosen from the menu, plays, and is in the link", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.find(".menu summary").click();
  const text = 'title = "Seven before five"\n[log]\nrecords = ["5:A*4", "7:A*1", "9:B*2"]\n[consumer]\nrouting = "shared"\nworkers = 2\n';
  await dispatch.find('[data-act="open-scenario"]').setInputFiles({ name: "seven.toml", mimeType: "text/plain", buffer: Buffer.from(text) });
  await dispatch.find(".panel-hint", { hasText: "Seven before five" }).waitFor();
  await page.waitForFunction(() => document.querySelector('[data-panel="dispatch"] .panel-hint').innerText.includes("Seven before five"));
  await dispatch.set("timeline", 4);
  assert.equal(await dispatch.counter("order-breaks"), 1);
  await address(page, "tick=4");
  const other = await open(t, { path: hash(page.url()) });
  assert.equal(await panel(other, "dispatch").counter("order-breaks"), 1);
  await panel(other, "dispatch").find('.sentence [data-act="why"]').click();
  await panel(other, "dispatch").find(".why-chain li").first().waitFor();
  assert.match(await panel(other, "dispatch").find(".why").innerText(), /routing = shared/);
});

test("what was done just before the page was left is kept", async (t) => {
  const page = await open(t);
  const watermark = panel(page, "watermark");
  await watermark.find('[data-offset="3"]').click();
  await page.reload();
  await page.locator("html[data-boot=running]").waitFor({ state: "attached" });
  assert.equal(await panel(page, "watermark").counter("completed"), 1);
});

test("a scenario that is brought loses nothing: back in the browser, or the panel's own run again", async (t) => {
  const page = await open(t);
  const watermark = panel(page, "watermark");
  for (const offset of [4, 5, 6]) await watermark.find(`[data-offset="${offset}"]`).click();
  await drop(page, "tap.toml", 'ticks = 9\n[log]\nrecords = ["0:A*tap", "1:B*tap"]\n[[at]]\ntick = 1\ndo = { complete = 1 }\n');
  await watermark.find('[data-act="own"]').waitFor();
  await address(page, "scenario=");
  await page.goBack();
  await watermark.until((now) => now === 3, "what was done is there again");
  assert.equal(await watermark.counter("completed"), 3);
  await page.goForward();
  await watermark.act("own");
  await watermark.find('[data-act="own"]').waitFor({ state: "detached" });
  assert.equal(await watermark.find('[data-offset]').count(), 48);
});

test("a link that a mail program encoded is read all the same", async (t) => {
  const page = await open(t, { path: `#${encodeURIComponent("v=1&panel=rebalance&drain=2&tick=15")}` });
  assert.equal(await panel(page, "rebalance").tick(), 15);
  assert.equal(await page.locator("#page-notice").count(), 0);
});

test("files that are no scenario are refused in a sentence", async (t) => {
  const page = await open(t);
  const notice = page.locator("#page-notice");
  await drop(page, "trace.csv", "time,key,work\n0,A,3\n");
  await notice.waitFor();
  assert.match(await notice.innerText(), /is a trace, not a scenario/);
  await drop(page, "picture.png", "\u0089PNG\u0000\u0000");
  await notice.filter({ hasText: "no text in UTF-8" }).waitFor();
});

test("a run of 60,000 ticks is gone through without a frame that freezes, and scrubs at once when it is known", async (t) => {
  const page = await open(t, { before: (page) => page.addInitScript(() => {
    window.longest = 0;
    const look = (before) => requestAnimationFrame((now) => {
      window.longest = Math.max(window.longest, now - before);
      look(now);
    });
    requestAnimationFrame(look);
  }) });
  const text = "ticks = 60000\n[log]\ngenerate = { count = 40000, keys = 20, work = [1, 6] }\n[consumer]\nworkers = 2\n[store]\nguard = \"off\"\n";
  await drop(page, "long.toml", text);
  await page.waitForFunction(() => document.querySelector('[data-act="own"]'));
  const shown = panel(page, await page.locator('[data-act="own"]').locator("xpath=ancestor::section[1]").getAttribute("data-panel"));
  await shown.root.focus();
  await page.evaluate(() => (window.longest = 0));
  await page.keyboard.press("End");
  await shown.until((now) => now === 60_000, "the end", 60_000);
  const longest = await page.evaluate(() => window.longest);
  // A frame stops after some milliseconds of work and draws; a whole run at once takes many times as long.
  assert.ok(longest < 2_000, `a frame took ${longest} ms`);
  await address(page, "tick=60000");
  for (const tick of [123, 59_000, 30_000]) {
    await shown.set("timeline", tick);
    await shown.until((now) => now === tick, `tick ${tick}`);
  }
});
