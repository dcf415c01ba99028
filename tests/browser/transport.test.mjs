// What every panel's transport does, whatever the panel: it stays in sight, keeps the focus, and rests when nobody
// can see it.

import assert from "node:assert/strict";
import test from "node:test";

import { PANELS, open, panel } from "./harness/index.mjs";

// Counts the frames that the page asks for.
function countFrames(page) {
  return page.addInitScript(() => {
    const ask = window.requestAnimationFrame.bind(window);
    window.framesAsked = 0;
    window.requestAnimationFrame = (callback) => {
      window.framesAsked += 1;
      return ask(callback);
    };
  });
}

async function framesIn(page, milliseconds) {
  const before = await page.evaluate(() => window.framesAsked);
  await page.waitForTimeout(milliseconds);
  return (await page.evaluate(() => window.framesAsked)) - before;
}

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

test("a panel that plays out of sight, or in a hidden tab, asks for no frames", async (t) => {
  const page = await open(t, { before: countFrames });
  const dispatch = panel(page, "dispatch");
  await dispatch.act("play");
  assert.ok((await framesIn(page, 400)) > 5, "playing in sight asks for frames");

  const hide = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  await page.waitForTimeout(100);
  assert.equal(await framesIn(page, 400), 0, "none in a hidden tab");
  await hide(false);
  assert.ok((await framesIn(page, 400)) > 5, "and again once it is in front");

  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await page.waitForTimeout(300);
  assert.equal(await framesIn(page, 400), 0, "none out of sight");
  assert.equal(await dispatch.playing(), true, "it is still the reader's wish to play");
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
