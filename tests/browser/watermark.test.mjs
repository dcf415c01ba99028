// The commit watermark as a reader uses it: what DESIGN calls its facts, seen through the page.

import assert from "node:assert/strict";
import test from "node:test";

import { bring, open, panel, scenario, swipe } from "./harness/index.mjs";

const UNFINISHED = "nothing below the committed offset is unfinished";
const ORDERED = "committed <= watermark <= position";

// Opens the page at the panel.
async function watermark(t, options) {
  const page = await open(t, options);
  const shown = panel(page, "watermark");
  await shown.root.waitFor();
  return Object.assign(shown, { touch: Boolean(options?.touch) });
}

const cell = (shown, offset) => shown.find(`.wm-grid [data-offset="${offset}"]`);
const state = (shown, offset) => cell(shown, offset).getAttribute("data-state");

// Taps cells one after the other; each tap is a tick.
async function tap(shown, ...offsets) {
  for (const offset of offsets) {
    const tick = (await shown.tick()) + 1;
    await (shown.touch ? cell(shown, offset).tap() : cell(shown, offset).click());
    await shown.until((now) => now === tick, `tapping ${offset} executes tick ${tick}`);
  }
}

// The offsets of the cells that carry a mark.
const marked = (shown, mark) =>
  shown.find(`.wm-grid [${mark}]`).evaluateAll((found) => found.map((chip) => Number(chip.dataset.offset)));

const promised = async (shown) => ({
  again: await shown.counter("crash-again"),
  done: await shown.counter("crash-done"),
  lost: await shown.counter("crash-lost"),
  line: await shown.find(".wm-promise").innerText(),
});

const flag = (shown, name) => shown.find(`[data-flag="${name}"]`);
const sentence = (shown) => shown.find(".sentence-text").innerText();

// Where watermark and committed offset are: by the flags, which agree with the counters.
async function marks(shown) {
  const at = {};
  for (const name of ["watermark", "committed"]) {
    at[name] = Number(await flag(shown, name).getAttribute("data-at"));
    assert.equal(at[name], await shown.counter(name), `flag and counter agree on ${name}`);
    assert.match(await flag(shown, name).innerText(), new RegExp(`^${name} ${at[name]}$`));
  }
  return at;
}

test("cells tapped out of order: watermark and committed offset follow, and one left open pins them", async (t) => {
  const shown = await watermark(t);
  assert.deepEqual(await marks(shown), { watermark: 0, committed: 0 });
  assert.equal(await shown.counter("position"), 12);
  assert.equal(await shown.counter("in-flight"), 12);
  await tap(shown, 3, 1, 2);
  assert.deepEqual(await marks(shown), { watermark: 0, committed: 0 });
  assert.equal(await shown.counter("completed"), 3);
  await tap(shown, 0);
  assert.deepEqual(await marks(shown), { watermark: 4, committed: 4 });
  await shown.act("finish-others");
  assert.deepEqual(await marks(shown), { watermark: 4, committed: 4 });
  assert.deepEqual([await state(shown, 3), await state(shown, 4), await state(shown, 5)], ["done", "running", "done"]);
  assert.deepEqual(await shown.broken(), []);
});

test("a crash brings again exactly what the line under the grid had promised", async (t) => {
  const shown = await watermark(t);
  await tap(shown, 0, 2, 5, 3, 9, 1, 7);
  const before = await promised(shown);
  const coming = await marked(shown, "data-again");
  assert.deepEqual(coming, Array.from({ length: 20 }, (_, i) => i + 4));
  assert.match(before.line, /^Crash now: 20 come again, 3 of them already done\.$/);
  await shown.act("crash");
  assert.deepEqual(await marked(shown, "data-redelivered"), coming);
  assert.deepEqual(await marked(shown, "data-flash"), coming);
  assert.equal(await shown.counter("redelivered"), before.again);
  assert.equal(await shown.counter("duplicates"), before.done);
  assert.equal(await shown.counter("lost"), 0);
  assert.match(await shown.find(".wm-promise").innerText(), /^A is down\. From 4 on, 20 come again, 3 of them already done\.$/);
  assert.equal(await flag(shown, "watermark").getAttribute("data-gone"), "", "the watermark died with its process");
  await shown.act("restart-a");
  assert.deepEqual(await marked(shown, "data-redelivered"), coming, "what came again stays marked");
  assert.deepEqual(await marked(shown, "data-flash"), []);
  assert.deepEqual(await marked(shown, "data-redone"), [5, 7, 9]);
  assert.deepEqual(await marks(shown), { watermark: 4, committed: 4 });
  await tap(shown, 4, 5);
  assert.deepEqual(await marks(shown), { watermark: 6, committed: 6 });
  assert.deepEqual(await shown.broken(), []);
});

test("a poisoned cell pins the watermark until its quarantine", async (t) => {
  const shown = await watermark(t);
  const quarantine = Number(await shown.knob("quarantine"));
  await shown.act("poison");
  await tap(shown, 0);
  assert.equal(await shown.find('[data-act="poison"]').getAttribute("aria-pressed"), "false");
  await tap(shown, 1, 2);
  assert.match(await cell(shown, 0).innerText(), /failed \d×/);
  for (let waited = 2; waited < quarantine; waited += 1) {
    assert.deepEqual(await marks(shown), { watermark: 0, committed: 0 });
    await shown.step();
  }
  assert.equal(await state(shown, 0), "quarantined");
  assert.deepEqual(await marks(shown), { watermark: 3, committed: 3 });
  assert.equal(await shown.counter("quarantined"), 1);
  assert.match(await sentence(shown), /Offset 0 was quarantined/);
});

test("committing the highest offset: a crash loses records, and two badges break", async (t) => {
  const shown = await watermark(t);
  assert.equal(await shown.find("[data-bad]").count(), 0, "nothing is red while nothing is wrong");
  await shown.set("commit", "highest");
  await tap(shown, 3);
  assert.deepEqual(await marks(shown), { watermark: 0, committed: 4 });
  assert.deepEqual(await marked(shown, "data-risk"), [0, 1, 2]);
  const badges = await shown.invariants();
  assert.deepEqual(badges[UNFINISHED], { state: "broken", since: 1 });
  assert.deepEqual(badges[ORDERED], { state: "broken", since: 1 });
  await tap(shown, 0);
  const before = await promised(shown);
  assert.match(before.line, /^Crash now: 8 come again, none of them done, and 2 are lost\.$/);
  await shown.act("crash");
  assert.equal(await shown.counter("lost"), before.lost);
  assert.equal(await shown.counter("redelivered"), before.again);
  for (const offset of [1, 2]) {
    assert.equal(await state(shown, offset), "lost");
    assert.match(await cell(shown, offset).innerText(), /lost/);
  }
  await shown.act("restart-a");
  await tap(shown, 1);
  assert.match(await sentence(shown), /Offset 1 is lost/);
  assert.equal((await shown.broken()).length, 2);
});

test("with the acknowledgement map a crash redoes nothing that was done", async (t) => {
  const shown = await watermark(t);
  const metadata = shown.find(".wm-map");
  assert.match(await metadata.innerText(), /empty/);
  await shown.set("ack-map", true);
  await tap(shown, 4, 2, 7);
  assert.deepEqual(await marked(shown, "data-spared"), [2, 4, 7]);
  const bytes = Number(await metadata.getAttribute("data-map-bytes"));
  assert.ok(bytes > 0 && bytes <= 4096);
  assert.match(await metadata.innerText(), new RegExp(`${bytes} of 4,096 bytes`));
  const before = await promised(shown);
  assert.deepEqual([before.again, before.done], [9, 0]);
  await shown.act("crash");
  await shown.act("restart-a");
  assert.equal(await shown.counter("redelivered"), 9);
  assert.equal(await shown.counter("duplicates"), 0);
  for (const offset of [2, 4, 7]) assert.equal(await state(shown, offset), "done");
  assert.deepEqual(await marked(shown, "data-redone"), []);
});

test("a commit that comes less often lags behind the watermark, and more comes again", async (t) => {
  const shown = await watermark(t);
  await shown.set("commit-every", 10);
  await tap(shown, 0, 1, 2);
  assert.deepEqual(await marks(shown), { watermark: 3, committed: 0 });
  assert.match((await promised(shown)).line, /3 of them already done/);
  await shown.step(7);
  assert.deepEqual(await marks(shown), { watermark: 3, committed: 3 });
});

test("double taps and taps on cells that do not run are harmless, and say so", async (t) => {
  const shown = await watermark(t);
  await cell(shown, 5).dblclick();
  await shown.until((now) => now === 2, "two taps are two ticks");
  assert.match(await sentence(shown), /Offset 5 is done already/);
  await tap(shown, 40);
  assert.match(await sentence(shown), /Offset 40 is not polled yet/);
  assert.equal(await shown.counter("completed"), 1);
  assert.equal(await shown.counter("in-flight"), 11);
  await shown.act("crash");
  await tap(shown, 6);
  assert.match(await sentence(shown), /A is down/);
  const tick = await shown.tick();
  await shown.find('[data-act="crash"]').click({ force: true });
  assert.equal(await shown.tick(), tick, "what is down cannot crash");
  assert.deepEqual(await shown.broken(), []);
});

test("the grid by keyboard: one tab stop, arrows, Enter, Space; Escape leaves poisoning", async (t) => {
  const shown = await watermark(t);
  const { page } = shown;
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-offset"));
  assert.equal(await shown.find('.wm-grid [tabindex="0"]').count(), 1);
  await cell(shown, 0).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "2");
  await page.keyboard.press("Enter");
  assert.equal(await state(shown, 2), "done");
  assert.equal(await focused(), "2", "the focus stays on the cell");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Space");
  assert.equal(await state(shown, 1), "done");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "13");
  await page.keyboard.press("End");
  assert.equal(await focused(), "23");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  assert.equal(await focused(), "0");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), "0", "there is an edge");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-act")), "crash");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "0");
  await shown.act("poison");
  await page.keyboard.press("Escape");
  assert.equal(await shown.find('[data-act="poison"]').getAttribute("aria-pressed"), "false");
  await tap(shown, 0);
  assert.equal(await state(shown, 0), "done");
});

test("on a phone: taps, six to a row, nothing too wide", async (t) => {
  const shown = await watermark(t, { width: 320, height: 700, touch: true });
  const { page } = shown;
  await tap(shown, 1, 2, 0);
  assert.deepEqual(await marks(shown), { watermark: 3, committed: 3 });
  const top = async (offset) => (await cell(shown, offset).boundingBox()).y;
  assert.equal(await top(5), await top(0));
  assert.ok((await top(6)) > (await top(0)));
  const { width, height } = await cell(shown, 0).boundingBox();
  assert.ok(height >= 44 && width >= 36, `a cell is ${width} by ${height}`);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
  await shown.act("crash", { touch: true });
  await shown.act("restart-a", { touch: true });
  assert.equal(await shown.counter("redelivered"), 9);
});

for (const [where, knob] of [["a slider", "quarantine"], ["the timeline", "timeline"]]) {
  test(`a finger along ${where} drags it, and one across it scrolls the page`, async (t) => {
    const shown = await watermark(t, { width: 360, height: 700, touch: true });
    const { page } = shown;
    await tap(shown, 0, 1, 2);
    const slider = shown.find(`[data-knob="${knob}"]`);
    const scrolled = () => page.evaluate(() => scrollY);
    const value = async () => Number(await slider.inputValue());
    await slider.evaluate((input) => input.scrollIntoView({ block: "center", behavior: "instant" }));
    const { x, y, width, height } = await slider.boundingBox();
    const middle = y + height / 2;
    const [before, at] = [await value(), await scrolled()];
    await swipe(page, [x + width / 4, middle], [x + width / 4, middle - 200]);
    await page.waitForTimeout(500);
    assert.equal(await value(), before, "swiped across");
    assert.ok((await scrolled()) > at + 100, "the page scrolled");
    await page.evaluate((top) => scrollTo({ top, behavior: "instant" }), at);
    await swipe(page, [x + width / 2, middle], [x + width - 20, middle]);
    assert.ok((await value()) > 9, "dragged along");
    assert.equal(await scrolled(), at);
    await page.touchscreen.tap(x + 6, middle);
    assert.equal(await value(), Number(await slider.getAttribute("min")), "tapped at its beginning");
  });
}

test("the flags slide, also across rows, and never jump", async (t) => {
  const shown = await watermark(t, { motion: "no-preference" });
  const { page } = shown;
  await shown.act("finish-others");
  await page.waitForTimeout(500);
  await flag(shown, "watermark").scrollIntoViewIfNeeded();
  const place = () => flag(shown, "watermark").boundingBox();
  const from = await place();
  const seen = await page.evaluate(async () => {
    const root = document.querySelector('[data-panel="watermark"] .wm');
    const flag = root.querySelector('[data-flag="watermark"]');
    const places = [];
    root.querySelector('.wm-grid [data-offset="0"]').click();
    const end = performance.now() + 600;
    while (performance.now() < end) {
      await new Promise(requestAnimationFrame);
      const { x, y } = flag.getBoundingClientRect();
      places.push({ x: x + scrollX, y });
    }
    return places;
  });
  const to = await place();
  assert.ok(to.y > from.y + 20, "it moved down a row");
  const between = seen.filter(({ y }) => y > from.y + 1 && y < to.y - 1);
  assert.ok(between.length >= 2, `seen on its way in ${between.length} frames`);
});

test("played, it taps by itself, pins, leaps, and ends with the grid finished", async (t) => {
  const shown = await watermark(t);
  await shown.set("speed", "5");
  await shown.act("play");
  await shown.until((now) => now >= 47, "it plays on", 10_000);
  await shown.page.waitForFunction(() => document.querySelector('[data-panel="watermark"] [data-act="play"]').ariaPressed === "false");
  assert.deepEqual(await marks(shown), { watermark: 48, committed: 48 });
  assert.equal(await shown.counter("in-flight"), 0);
  assert.equal(await shown.counter("completed"), 48);
  await shown.set("timeline", 20);
  const states = () => shown.find(".wm-grid .chip").evaluateAll((found) => found.map((chip) => chip.dataset.state));
  const then = await states();
  await shown.step(2);
  await shown.back(2);
  assert.deepEqual(await states(), then, "going back is exact");
  await shown.playUntil(25);
  await shown.set("timeline", 20);
  assert.deepEqual(await states(), then);
  assert.deepEqual(await shown.broken(), []);
});

test("the article's words light up the drawing", async (t) => {
  const shown = await watermark(t);
  const { page } = shown;
  const parts = await page
    .locator('.term[data-panel="watermark"]')
    .evaluateAll((terms) => terms.map((term) => term.dataset.part));
  assert.deepEqual(parts, ["committed", "in-flight", "watermark", "redelivered", "done", "quarantined", "ack-map"]);
  for (const part of parts) {
    await page.locator(`.term[data-panel="watermark"][data-part="${part}"]`).focus();
    const lit = await shown.find(`[data-part="${part}"]`).evaluateAll((found) =>
      found.filter((element) => getComputedStyle(element).outlineWidth === "2px" && element.getClientRects().length).length,
    );
    assert.ok(lit > 0, `${part} lights something`);
  }
});

test("any control in any order leaves no error", async (t) => {
  const shown = await watermark(t);
  let random = 20240607;
  const draw = (below) => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return Math.floor((random / 2 ** 32) * below);
  };
  const end = Date.now() + 2500;
  while (Date.now() < end) {
    await shown.root.evaluate((root, [which, value]) => {
      const controls = root.querySelectorAll('button:not([data-act="keys"]), input:not([type=file]), select');
      const control = controls[which % controls.length];
      if (control.type === "range") {
        control.value = String(Number(control.min) + (value % (Number(control.max) - Number(control.min) + 1)));
        control.dispatchEvent(new InputEvent("input", { bubbles: true }));
      } else if (control.tagName === "SELECT") {
        control.selectedIndex = value % control.options.length;
        control.dispatchEvent(new Event("change", { bubbles: true }));
      } else if (!control.disabled) {
        control.click();
      }
    }, [draw(1 << 20), draw(1 << 20)]);
  }
  assert.ok((await shown.tick()) >= 0);
  await shown.restart();
  assert.equal(await shown.tick(), 0);
});

test("a scenario without quarantine says never, and it can be had again", async (t) => {
  const shown = await bring(await open(t), await scenario(14));
  assert.equal(shown.name, "watermark");
  const slider = shown.find('[data-knob="quarantine"]');
  const said = async () => [await slider.getAttribute("aria-valuetext"), await shown.find("label:has([data-knob=quarantine]) .knob-value").innerText()];
  assert.deepEqual(await said(), ["never", "never"]);
  await shown.set("timeline", 1);
  await shown.set("quarantine", 12);
  await shown.step(1);
  assert.deepEqual(await said(), ["12 ticks", "12 ticks"]);
  await shown.set("quarantine", 13);
  await shown.step(1);
  assert.deepEqual(await said(), ["never", "never"]);
  assert.equal(await panel(await open(t), "watermark").find('[data-knob="quarantine"]').getAttribute("max"), "12");
});
