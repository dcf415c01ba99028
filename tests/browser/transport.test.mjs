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

test("while panels play, what is counted is told once a second and no more often", async (t) => {
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
    assert.equal(await one.find(".sentence-text").getAttribute("aria-live"), "polite", "a step is told whole");
    await one.find('[data-act="play"]').click();
  }
  await page.waitForFunction(() => window.told.length >= 4);
  const told = await page.evaluate(() => window.told);
  for (const [, text] of told) assert.match(text, /^Tick \d+: .*\d/);
  const gaps = told.slice(1).map(([time], before) => time - told[before][0]);
  assert.ok(Math.min(...gaps) > 900, `${JSON.stringify(told)}`);
  for (const one of shown) {
    await one.find('[data-act="play"]').click();
    assert.equal(await one.find('[role="status"]').first().innerText(), "", "and nothing of a panel that stands");
  }
});
