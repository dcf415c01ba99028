// Going back: the timeline by mouse, finger and keyboard, its marks, the event list, the answer to "Why?", and
// two futures of one past.

import assert from "node:assert/strict";
import test from "node:test";

import { PANELS, open, panel, swipe } from "./harness/index.mjs";

// What a panel shows that must be the same whenever its moment is the same.
async function seen(shown) {
  const drawing = await shown.find('[data-future="new"]').innerText();
  return { tick: await shown.tick(), counters: await shown.counters(), invariants: await shown.invariants(), drawing };
}

test("back and forth over the timeline, every moment is what it was", async (t) => {
  const page = await open(t);
  for (const name of PANELS) {
    const shown = panel(page, name);
    await shown.playUntil(6);
    await shown.set("timeline", 5);
    const before = await seen(shown);
    const end = Number(await shown.find('[data-knob="timeline"]').getAttribute("max"));
    for (const tick of [end, 0, 12, 3, 5]) await shown.set("timeline", tick);
    assert.deepEqual(await seen(shown), before, name);
    await shown.back(2);
    await shown.step(2);
    assert.deepEqual(await seen(shown), before, `${name}, back and forth by steps`);
  }
});

test("the timeline is dragged by mouse", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  const track = await dispatch.find('[data-knob="timeline"]').boundingBox();
  const y = track.y + track.height / 2;
  await page.mouse.move(track.x + 10, y);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width / 2, y, { steps: 5 });
  await page.mouse.up();
  const end = Number(await dispatch.find('[data-knob="timeline"]').getAttribute("max"));
  assert.ok(Math.abs((await dispatch.tick()) - end / 2) <= 2, `it is at ${await dispatch.tick()} of ${end}`);
});

test("the timeline is dragged by a finger", async (t) => {
  const page = await open(t, { width: 390, height: 800, touch: true });
  const dispatch = panel(page, "dispatch");
  await dispatch.find(".transport").scrollIntoViewIfNeeded();
  const track = await dispatch.find('[data-knob="timeline"]').boundingBox();
  const y = track.y + track.height / 2;
  await swipe(page, [track.x + 12, y], [track.x + track.width * 0.6, y]);
  await dispatch.until((tick) => tick > 10, "a finger leads along the timeline");
});

test("the keyboard plays the panel that has the focus, and no other", async (t) => {
  const page = await open(t);
  const [watermark, dispatch] = ["watermark", "dispatch"].map((name) => panel(page, name));
  await watermark.root.focus();
  const press = async (key, tick) => {
    await page.keyboard.press(key);
    await watermark.until((now) => now === tick, `${key} leads to tick ${tick}`);
  };
  await press("ArrowRight", 1);
  await press("ArrowRight", 2);
  await press("ArrowLeft", 1);
  await press("End", 2);
  await press("End", 119);
  await press("Home", 0);
  await page.keyboard.press("Space");
  await watermark.until((now) => now > 0, "Space plays");
  assert.equal(await watermark.playing(), true);
  await page.keyboard.press("Space");
  assert.equal(await watermark.playing(), false);
  await press("r", 0);
  assert.equal(await dispatch.tick(), 0, "the other panels stay where they are");
  assert.match(await watermark.root.getAttribute("aria-keyshortcuts"), /Space .*R/);
});

test("the list of keys opens with a question mark and closes with Escape", async (t) => {
  const page = await open(t);
  const rebalance = panel(page, "rebalance");
  await rebalance.root.focus();
  await page.keyboard.press("?");
  const dialog = rebalance.find("dialog.keys");
  await dialog.waitFor({ state: "visible" });
  assert.match(await dialog.innerText(), /Space[\s\S]*play, pause/);
  await page.keyboard.press("ArrowRight");
  assert.equal(await rebalance.tick(), 0, "keys belong to the list while it is open");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await rebalance.find('[data-act="keys"]').click();
  await dialog.waitFor({ state: "visible" });
});

test("no key of the panel is taken from who types, or from a control", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.step(3);
  const seed = dispatch.find('[data-knob="seed"]');
  await seed.focus();
  await seed.press("End");
  await page.keyboard.type("r ?");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await dispatch.tick(), 3);
  await seed.fill("223");
  // An arrow key moves the slider, and the panel stays.
  await dispatch.find('[data-knob="workers"]').focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await dispatch.knob("workers"), "5");
  assert.equal(await dispatch.tick(), 3);
  // Space presses the button that has the focus: once.
  await dispatch.find('[data-act="step"]').focus();
  await page.keyboard.press("Space");
  await dispatch.until((now) => now === 4, "Space presses the button");
  assert.equal(await dispatch.playing(), false);
  // An arrow key within the grid moves from cell to cell.
  const watermark = panel(page, "watermark");
  await watermark.find('[data-offset="0"]').focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.offset), "1");
  assert.equal(await watermark.tick(), 0);
});

test("marks tell what they are, by mouse and by keyboard, and stay when the reader goes back", async (t) => {
  const page = await open(t);
  const rebalance = panel(page, "rebalance");
  await rebalance.set("drain", 2);
  await rebalance.set("timeline", 23);
  const marks = rebalance.find(".mark");
  const count = await marks.count();
  assert.ok(count >= 6, `${count} marks`);
  const handover = marks.filter({ hasText: "handed the partition over" });
  await handover.hover();
  assert.ok((await handover.locator(".mark-tip").boundingBox()).width > 100, "the mark tells what it is");
  await handover.click();
  await rebalance.until((now) => now === 12, "the mark leads to its moment");
  assert.equal(await marks.count(), count, "what is known of the future stays on the timeline");
  await page.mouse.move(0, 0);
  await handover.focus();
  await page.keyboard.press("End");
  const focused = await page.evaluate(() => document.activeElement.innerText);
  assert.match(focused, /leaked write/);
  await page.keyboard.press("Enter");
  await rebalance.until((now) => now === 17, "Enter leads there");
  assert.equal(await rebalance.find(".mark[tabindex='0']").count(), 1, "the Tab key stops at one mark");
});

// Each red moment of a panel's run, made and found as a reader would.
const FAULTS = {
  dispatch: async (shown) => shown.set("timeline", 34),
  watermark: async (shown) => {
    await shown.set("commit", "highest");
    await shown.find('[data-offset="5"]').click();
    await shown.act("crash");
  },
  backpressure: async (shown) => {
    await shown.set("mode", "unbounded");
    await shown.set("timeline", 30);
  },
  rebalance: async (shown) => {
    await shown.set("drain", 2);
    await shown.set("guard", "off");
    await shown.set("timeline", 23);
  },
};

for (const name of PANELS) {
  test(`from every red moment of ${name} to its cause in two actions`, async (t) => {
    const page = await open(t);
    const shown = panel(page, name);
    await FAULTS[name](shown);
    const red = shown.find(".mark[data-bad]");
    const count = await red.count();
    assert.ok(count > 0, `${name} has red marks`);
    for (let nth = 0; nth < count; nth += 1) {
      // One: the mark, which is there before the moment comes as well, leads to the moment and its chain.
      await red.nth(nth).focus();
      await page.keyboard.press("Enter");
      const chain = shown.find(".why-chain li");
      await chain.first().waitFor();
      const sentences = await chain.allInnerTexts();
      assert.ok(sentences.length >= 2, `a chain of ${sentences.length}`);
      assert.match(sentences.at(-1), /The decision:/);
      // Two: the decision, or any step before it.
      const jump = shown.find(".why-chain .jump").last();
      const tick = Number(await jump.getAttribute("data-jump"));
      await jump.click();
      await shown.until((now) => now === tick, "the decision's moment");
    }
  });
}

test("the sentence of a red tick has a button that asks why", async (t) => {
  const page = await open(t);
  const backpressure = panel(page, "backpressure");
  await backpressure.set("mode", "block");
  await backpressure.set("timeline", 6);
  const why = backpressure.find('.sentence [data-act="why"]');
  await why.click();
  await backpressure.find('.sentence [data-act="why"][aria-expanded="true"]').waitFor();
  assert.match(await backpressure.find(".why").innerText(), /evicted[\s\S]*The decision: .*block/);
  await backpressure.act("why-close");
  assert.equal(await backpressure.find(".why").count(), 0);
});

test("the event list is filtered, follows the tick, and leads to moments", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.set("timeline", 34);
  await dispatch.set("timeline", 20);
  await dispatch.find(".fold summary").click();
  const list = dispatch.find(".events");
  const rows = list.locator("[data-event]");
  await rows.first().waitFor();
  assert.ok((await rows.count()) > 100);
  const current = await list.locator("[aria-current] .tick").allInnerTexts();
  assert.ok(current.length > 0 && current.every((tick) => tick === "tick 20"), String(current));
  const inSight = await list.locator("[aria-current]").first().evaluate((row) => {
    const [own, around] = [row.getBoundingClientRect(), row.closest(".events").getBoundingClientRect()];
    return own.top >= around.top && own.bottom <= around.bottom;
  });
  assert.ok(inSight, "the current tick is in the list's view");

  await dispatch.set("events-of", "Shared pool");
  await dispatch.set("events-least", "wrong");
  const wrong = await rows.allInnerTexts();
  assert.ok(wrong.length > 20 && wrong.every((text) => /order break|overlap/.test(text)), wrong.join("\n"));
  await dispatch.find('[data-knob="events-text"]').fill("Offset 14 (key A), after");
  assert.equal(await rows.count(), 1);
  await rows.locator(".jump").click();
  const tick = Number((await rows.locator(".tick").innerText()).replace("tick ", ""));
  await dispatch.until((now) => now === tick, "a click leads there");
  await rows.locator('[data-act="why"]').click();
  assert.match(await dispatch.find(".why").innerText(), /The decision: routing = shared/);
  await dispatch.find('[data-knob="events-text"]').fill("nothing like this");
  assert.match(await list.innerText(), /No event/);
});

test("acting in the past drops the old future", async (t) => {
  const page = await open(t);
  const watermark = panel(page, "watermark");
  for (const offset of [3, 1, 2]) await watermark.find(`[data-offset="${offset}"]`).click();
  await watermark.set("timeline", 1);
  await watermark.find('[data-offset="7"]').click();
  await watermark.set("timeline", 10);
  assert.equal(await watermark.counter("completed"), 2);
  assert.equal(await watermark.find('[data-future="old"]').count(), 0);
});

test("compare keeps it: two futures side by side, with what differs between them", async (t) => {
  const page = await open(t);
  const watermark = panel(page, "watermark");
  for (const offset of [3, 1, 2]) await watermark.find(`[data-offset="${offset}"]`).click();
  await watermark.set("timeline", 1);
  await watermark.act("compare");
  await watermark.find('[data-future="new"] [data-offset="7"]').click();
  await watermark.set("timeline", 10);
  const [fresh, old] = ["new", "old"].map((side) => watermark.find(`[data-future="${side}"]`));
  const done = (side) => side.locator('[data-offset][data-state="done"]').evaluateAll((cells) => cells.map((cell) => cell.dataset.offset));
  assert.deepEqual(await done(fresh), ["3", "7"]);
  assert.deepEqual(await done(old), ["1", "2", "3"]);
  const words = await watermark.find(".compare").innerText();
  assert.match(words, /part in tick 2/);
  assert.match(words, /Offset 7 is completed by hand/);
  assert.match(words, /Offset 1 is completed by hand/);
  assert.equal(await watermark.find(".compare-run").getAttribute("data-first"), "2");
  assert.match(await watermark.find('[data-differs="completions"]').innerText(), /3: 3@1, 1@2, 2@3|3@1, 1@2, 2@3[\s\S]*3@1, 7@2/);
  await watermark.act("keep-old");
  await old.waitFor({ state: "detached" });
  assert.deepEqual(await done(fresh), ["1", "2", "3"], "the old future is the run again");
});

test("the drain window before and after, side by side", async (t) => {
  const page = await open(t);
  const rebalance = panel(page, "rebalance");
  await rebalance.act("compare");
  await rebalance.set("timeline", 23);
  await rebalance.set("drain", 2);
  const leaks = rebalance.find('[data-differs="leaked"]');
  assert.match(await leaks.innerText(), /none\s+115@15, 110@16, 111@17/);
  await rebalance.act("keep-new");
  await leaks.waitFor({ state: "detached" });
  assert.equal(await rebalance.knob("drain"), "2");
});

test("as fast as it goes plays a whole run in a moment", async (t) => {
  const page = await open(t);
  const backpressure = panel(page, "backpressure");
  await backpressure.find('[data-knob="speed"]').selectOption({ label: "fastest" });
  await backpressure.act("play");
  await backpressure.until((now) => now === 119, "it plays to the end");
  assert.equal(await backpressure.playing(), false);
});

test("every panel has a seed, and another one is another run", async (t) => {
  const page = await open(t);
  for (const name of PANELS) {
    const shown = panel(page, name);
    await shown.set("timeline", 20);
    const before = (await seen(shown)).drawing;
    const seed = shown.find('[data-knob="seed"]');
    await seed.fill("4711");
    await seed.press("Enter");
    await shown.until((now) => now === 0, "a seed starts over");
    if (name === "watermark") await shown.playUntil(20);
    else await shown.set("timeline", 20);
    assert.notEqual((await seen(shown)).drawing, before, name);
    await shown.act("roll");
    assert.notEqual(await shown.knob("seed"), "4711");
  }
});

test("the focus stays in the panel when what had it is gone", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.set("timeline", 20);
  const where = () => page.evaluate(() => document.activeElement.dataset.act ?? document.activeElement.dataset.panel);
  await dispatch.find('.sentence [data-act="why"]').focus();
  await page.keyboard.press("Enter");
  await dispatch.find(".why-close").waitFor();
  assert.equal(await where(), "why");
  await dispatch.find(".why-close").focus();
  await page.keyboard.press("Enter");
  await dispatch.find(".why-close").waitFor({ state: "detached" });
  assert.equal(await where(), "dispatch");
  await page.keyboard.press("ArrowLeft");
  await dispatch.until((now) => now === 19, "the keys go on");
});

test("marks are those of the mode in front, and every one leads to a cause", async (t) => {
  const page = await open(t);
  const backpressure = panel(page, "backpressure");
  await backpressure.set("timeline", 30);
  await backpressure.set("timeline", 10);
  await backpressure.set("mode", "block");
  await backpressure.set("timeline", 40);
  const ticks = () => backpressure.find(".mark[data-bad]").evaluateAll((marks) => marks.map((mark) => mark.dataset.mark));
  assert.deepEqual(await ticks(), ["6", "12", "18", "24", "30", "36"]);
  await backpressure.set("mode", "unbounded");
  assert.deepEqual(await ticks(), ["7"]);
  const watermark = panel(page, "watermark");
  await watermark.find('[data-offset="5"]').click();
  await watermark.act("crash");
  // A crash alone is a decision; what it made come again can be asked about.
  await watermark.find(".mark[data-bad]").focus();
  await page.keyboard.press("Enter");
  await watermark.find(".why-chain li").first().waitFor();
});

test("what differs is shown from where it begins to differ, with all that was done", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.set("timeline", 20);
  await dispatch.set("timeline", 8);
  await dispatch.act("compare");
  await dispatch.set("workers", 7);
  await dispatch.set("timeline", 16);
  await dispatch.set("workers", 1);
  await dispatch.set("timeline", 20);
  const cells = dispatch.find('[data-differs="completions"]').first().locator("td");
  const [old, fresh] = await cells.allInnerTexts();
  assert.notEqual(old.replace(/^\d+: /, ""), fresh.replace(/^\d+: /, ""));
  assert.match(await dispatch.find(".compare").innerText(), /From then on workers = 7[\s\S]*Tick 17: from then on workers = 1/);
});
