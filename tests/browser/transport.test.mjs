// What every panel's transport does, whatever the panel: it stays in sight and keeps the focus.

import assert from "node:assert/strict";
import test from "node:test";

import { PANELS, open, panel } from "./harness/index.mjs";

test("on a phone play stays in sight while its drawing is", async (t) => {
  const page = await open(t, { width: 360, height: 740, touch: true });
  for (const name of PANELS) {
    const { root } = panel(page, name);
    await root.locator(".drawing").evaluate((drawing) => drawing.scrollIntoView({ block: "start" }));
    const play = await root.locator('[data-act="play"]').boundingBox();
    assert.ok(play.y >= 0 && play.y + play.height <= 740, `${name}: play is at ${play.y}`);
  }
});

test("at either end of a run the buttons keep the focus and say that they do nothing", async (t) => {
  const page = await open(t);
  const rebalance = panel(page, "rebalance");
  const [back, step] = ["back", "step"].map((act) => rebalance.find(`[data-act="${act}"]`));
  const focused = () => page.evaluate(() => document.activeElement.dataset.act);
  await step.focus();
  await page.keyboard.press("Enter");
  await rebalance.until((now) => now === 1, "one tick forward");
  await back.focus();
  await page.keyboard.press("Enter");
  await rebalance.until((now) => now === 0, "and back");
  assert.equal(await focused(), "back");
  assert.equal(await back.getAttribute("aria-disabled"), "true");
  const end = Number(await rebalance.find('[data-knob="timeline"]').getAttribute("max"));
  await rebalance.set("timeline", end - 1);
  await step.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await rebalance.until((now) => now === end, "the last tick");
  assert.equal(await focused(), "step");
  assert.equal(await step.getAttribute("aria-disabled"), "true");
});

test("while the window is resized nothing glides", async (t) => {
  const page = await open(t, { width: 1200, motion: "no-preference" });
  await page.evaluate(() => {
    window.marked = 0;
    const note = () => (window.marked += document.documentElement.hasAttribute("data-resizing") ? 1 : 0);
    new MutationObserver(note).observe(document.documentElement, { attributes: true });
  });
  await page.setViewportSize({ width: 500, height: 800 });
  await page.waitForFunction(() => window.marked > 0);
  await page.waitForFunction(() => !document.documentElement.hasAttribute("data-resizing"));
});

// What a panel says to ears.
const told = (shown) => shown.find('.sentence [role="status"]').innerText();

test("a step is told with its tick, and the end with what it came to", async (t) => {
  const page = await open(t);
  const shown = panel(page, "rebalance");
  assert.equal(await told(shown), "", "nobody has asked yet");
  await shown.step(1);
  assert.match(await told(shown), /^Tick 1: ./);
  await shown.set("drain", 2);
  await shown.set("speed", "8");
  await shown.act("play");
  await page.waitForFunction(() => document.querySelector('[data-panel="rebalance"] [data-act="play"][aria-pressed="false"]'));
  assert.match(await told(shown), /^Tick \d+: At the end: .*leaked/);
});

test("while panels play, what is counted is told every five seconds and no more often", async (t) => {
  const page = await open(t, { width: 1280, height: 2400 });
  const shown = ["dispatch", "watermark"].map((name) => panel(page, name));
  await page.evaluate(() => {
    window.told = [];
    const tell = (changes) => {
      for (const { target } of changes) {
        const status = (target.closest ? target : target.parentElement)?.closest('[role="status"]');
        if (status?.textContent) window.told.push([performance.now(), status.textContent]);
      }
    };
    new MutationObserver(tell).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  for (const one of shown) {
    await one.find('[data-act="play"]').click();
  }
  await page.waitForFunction(() => window.told.length >= 3, null, { timeout: 30_000 });
  const all = await page.evaluate(() => window.told);
  for (const [, text] of all) assert.match(text, /^Tick \d+: ./);
  const gaps = all.slice(1).map(([time], before) => time - all[before][0]);
  assert.ok(Math.min(...gaps) > 4_500, `${JSON.stringify(all)}`);
  for (const one of shown) {
    await one.find('[data-act="play"]').click();
    assert.match(await told(one), new RegExp(`^Tick ${await one.tick()}: .`), "and of a panel that stands, its tick");
  }
});
