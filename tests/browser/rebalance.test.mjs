// The rebalance panel: what the drain window lets through, what the guard stops, and the handle that is dragged.
//
// Its markup, besides the panel's own:
//   [data-handle=drain]                the end of the window, a slider by aria-valuenow
//   .bar[data-offset][data-state]      an attempt: ahead, running, done; data-late past the handover
//   [data-row=FUND] data-version data-highest
//   [data-write=OFFSET] data-result="accepted|rejected|overwrote" data-leaked

import assert from "node:assert/strict";
import test from "node:test";

import { bring, open, panel, scenario } from "./harness/index.mjs";

const LAST = 23;
const REVOKE = 10;
const LANDS = "no write lands after the handover";
const BACK = "a row's version never goes back";
const CLOSED = "a partition is paused only while its owner's gate is closed";
const STAYS = "what stays with its owner is not revoked";
const FENCE = "nothing after the fence changes tracker or commit";

async function rebalance(t, options) {
  const page = await open(t, options);
  const shown = panel(page, "rebalance");
  await shown.root.scrollIntoViewIfNeeded();
  return { page, shown };
}

// To the last tick, as fast as the panel plays.
async function playOut(shown) {
  await shown.set("speed", "7");
  await shown.playUntil(LAST);
}

// Waits until a counter has a value: a control has acted and the panel is drawn again.
async function counted(shown, name, value) {
  await shown.find(`[data-counter="${name}"][data-value="${value}"]`).waitFor();
}

function handle(shown) {
  return shown.find("[data-handle=drain]");
}

async function windowIs(shown, ticks) {
  await shown.find(`[data-handle=drain][aria-valuenow="${ticks}"]`).waitFor({ state: "attached" });
}

// The middle of the grip, and what a tick is long on the screen, along and across.
async function grip(shown) {
  await handle(shown).locator(".grip").scrollIntoViewIfNeeded();
  const box = await handle(shown).locator(".grip").boundingBox();
  const chart = await shown.find(".swim-over").boundingBox();
  const edge = await handle(shown).boundingBox();
  const tick = edge.width < edge.height ? { x: chart.width / (LAST + 1), y: 0 } : { x: 0, y: chart.height / (LAST + 1) };
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, tick };
}

async function table(shown) {
  return shown.find("[data-write]").evaluateAll((rows) => rows.map((row) => row.innerText));
}

async function leakedWrites(shown) {
  return shown.find("[data-write][data-leaked]").evaluateAll((rows) =>
    rows.map((row) => [row.dataset.write, row.dataset.result]),
  );
}

test("with 7 ticks everything in flight finishes, nothing leaks, and nothing is red", async (t) => {
  const { page, shown } = await rebalance(t);
  assert.equal(await shown.knob("drain"), "7");
  assert.equal(await shown.knob("guard"), "newer");
  await playOut(shown);
  const counters = await shown.counters();
  assert.equal(counters.leaked, 0);
  assert.equal(counters["rows-back"], 0);
  assert.equal(counters["handover-ticks"], 7);
  assert.deepEqual(await shown.broken(), []);
  assert.equal(await shown.find("[data-bad], [data-late]").count(), 0);
  assert.equal(await page.locator('[data-live="rebalance.drain"]').innerText(), "7");
  assert.equal(await page.locator('[data-live="rebalance.leaks"]').innerText(), "0");
});

test("a new write adds its row, and makes no other one anew", async (t) => {
  const { shown } = await rebalance(t);
  await shown.step(12);
  const rows = shown.find("[data-write]");
  const before = await rows.evaluateAll((all) => all.map((row) => (row.isOld = true)).length);
  await shown.step(6);
  const after = await rows.evaluateAll((all) => [all.length, all.filter((row) => row.isOld).length]);
  assert.ok(before > 0 && after[0] > before, `${before}, then ${after[0]}`);
  assert.equal(after[1], before);
});

test("with 2 ticks exactly three writes leak, to three rows, and the guard rejects them", async (t) => {
  const { page, shown } = await rebalance(t);
  await shown.set("drain", 2);
  assert.equal(await page.locator('[data-live="rebalance.leaks"]').innerText(), "3", "told before it happens");
  await playOut(shown);
  await counted(shown, "leaked", 3);
  assert.deepEqual(await leakedWrites(shown), [["115", "rejected"], ["110", "rejected"], ["111", "rejected"]]);
  assert.equal(await shown.find(".bar[data-late]").count(), 3);
  assert.equal(await shown.counter("rows-back"), 0);
  assert.deepEqual(await shown.broken(), [], "what is rejected does not land");
  assert.match(await shown.find(".sentence").innerText(), /3 writes leaked, all 3 were rejected, no row went back/);
});

test("without the guard a row goes back, and its card shows both versions", async (t) => {
  const { shown } = await rebalance(t);
  await playOut(shown);
  await shown.set("drain", 2);
  await shown.set("guard", "off");
  await counted(shown, "rows-back", 1);
  assert.equal(await shown.tick(), LAST, "the same moment under the other settings");
  const back = shown.find("[data-row][data-bad]");
  assert.equal(await back.count(), 1);
  assert.match(await back.innerText(), /ALPS\s+111\s+by A, tick 17\s+was 113/);
  assert.deepEqual(await shown.find('[data-result="overwrote"]').evaluateAll((rows) => rows.map((r) => r.dataset.write)), ["111"]);
  const badges = await shown.invariants();
  assert.deepEqual(badges[LANDS], { state: "broken", since: 15 });
  assert.deepEqual(badges[BACK], { state: "broken", since: 17 });

  await shown.set("guard", "newer");
  await counted(shown, "rows-back", 0);
  assert.equal(await shown.counter("leaked"), 3);
  assert.equal(await shown.find("[data-row][data-bad]").count(), 0);
  assert.deepEqual(await shown.broken(), []);
});

test("late commits are counted, and pass the fence", async (t) => {
  const { page, shown } = await rebalance(t);
  await shown.set("drain", 2);
  assert.equal(await shown.find('[data-counter="late-commits"]').count(), 0);
  await shown.set("late-commit", true);
  await playOut(shown);
  assert.ok((await shown.counter("late-commits")) > 0);
  const { [FENCE]: fence } = await shown.invariants();
  assert.equal(fence.state, "broken");
  assert.match(await page.evaluate(() => location.hash), /late=sent/);
});

test("a pause that is kept comes back with the partition, and nothing is read", async (t) => {
  const { page, shown } = await rebalance(t);
  await shown.set("keep-pauses", true);
  await playOut(shown);
  const { [CLOSED]: closed } = await shown.invariants();
  assert.equal(closed.state, "broken");
  assert.match(await page.evaluate(() => location.hash), /pauses=kept/);
});

test("under the eager protocol what stays is revoked, and comes again", async (t) => {
  const { page, shown } = await rebalance(t);
  await playOut(shown);
  const redelivered = await shown.counter("redelivered");
  const duplicates = await shown.counter("duplicates");
  await shown.set("protocol", "eager");
  await counted(shown, "duplicates", duplicates + 1);
  assert.ok((await shown.counter("redelivered")) > redelivered);
  assert.deepEqual(await shown.broken(), [STAYS]);
  assert.equal(await shown.counter("rows-back"), 0);
  assert.match(await page.evaluate(() => location.hash), /protocol=eager/);
  await shown.set("protocol", "cooperative");
  await counted(shown, "duplicates", duplicates);
  assert.deepEqual(await shown.broken(), []);
});

test("a guard that lets the same version through keeps rows from going back", async (t) => {
  const { shown } = await rebalance(t);
  await playOut(shown);
  await shown.set("drain", 2);
  await shown.set("guard", "not-older");
  await shown.find('[data-write="110"][data-leaked][data-result="accepted"]').waitFor();
  assert.equal(await shown.counter("rows-back"), 0);
  assert.deepEqual(await shown.broken(), [LANDS]);
});

test("the window is dragged by its end with the mouse", async (t) => {
  const { page, shown } = await rebalance(t);
  await playOut(shown);
  const { x, y, tick } = await grip(shown);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let back = 1; back <= 5; back += 1) await page.mouse.move(x - back * tick.x, y, { steps: 3 });
  await windowIs(shown, 2);
  await page.mouse.move(x - 30 * tick.x, y, { steps: 3 });
  await windowIs(shown, 0);
  await page.mouse.move(x - 5 * tick.x, y + 200, { steps: 3 });
  await page.mouse.up();
  await windowIs(shown, 2);
  await page.mouse.move(x, y);
  await counted(shown, "leaked", 3);
  assert.equal(await shown.knob("drain"), "2", "the slider follows");
  assert.equal(await handle(shown).getAttribute("aria-valuetext"), "2 ticks");
});

test("the window's end listens to the keyboard and keeps the focus", async (t) => {
  const { page, shown } = await rebalance(t);
  await shown.step(3);
  await handle(shown).focus();
  const scrolled = await page.evaluate(() => window.scrollY);
  for (const [key, ticks] of [["ArrowLeft", 6], ["ArrowDown", 5], ["ArrowRight", 6], ["Home", 0], ["ArrowLeft", 0], ["End", 10], ["ArrowUp", 10], ["PageDown", 7]]) {
    await page.keyboard.press(key);
    await windowIs(shown, ticks);
  }
  assert.ok(await handle(shown).evaluate((found) => found === document.activeElement));
  assert.equal(await page.evaluate(() => window.scrollY), scrolled, "the page stays");
  assert.equal(await shown.tick(), 3);
});

test("a window longer than needed ends when nothing runs any more", async (t) => {
  const { shown } = await rebalance(t);
  await shown.set("drain", 10);
  await playOut(shown);
  await counted(shown, "handover-ticks", 7);
  assert.equal(await shown.find('[data-line="handover"]').getAttribute("data-tick-at"), String(REVOKE + 7));
  assert.equal(await shown.find(".window-spare").count(), 1);
  assert.deepEqual(await shown.broken(), []);
});

test("the write log shows whole rows, at the width of a desk and of a phone", async (t) => {
  for (const width of [360, 1280]) {
    const { shown } = await rebalance(t, { width });
    await shown.set("drain", 2);
    await playOut(shown);
    const cut = await shown.find(".write-log").evaluate((log) => {
      const head = log.querySelector("thead tr").getBoundingClientRect().bottom;
      const rows = [...log.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect());
      return rows.filter((row) => row.top < head - 1.5 && row.bottom > head + 1.5).length;
    });
    assert.equal(cut, 0, `${width} px`);
  }
});

test("back and forth over the timeline shows the same table", async (t) => {
  const { shown } = await rebalance(t);
  await shown.set("drain", 2);
  await shown.set("guard", "off");
  const seen = new Map();
  for (const tick of [LAST, 5, 17, 12, LAST, 17, 5, 12]) {
    await shown.set("timeline", tick);
    await shown.until((now) => now === tick, `the timeline leads to ${tick}`);
    const now = [await table(shown), await shown.find("[data-row]").allInnerTexts(), await shown.counters()];
    if (seen.has(tick)) assert.deepEqual(now, seen.get(tick), `tick ${tick}`);
    seen.set(tick, now);
  }
  await shown.set("timeline", 17);
  await shown.back(2);
  assert.equal(await shown.find("[data-leaked]").count(), 1);
});

test("bars grow from tick to tick", async (t) => {
  const { page, shown } = await rebalance(t, { motion: "no-preference" });
  await shown.step(8);
  await page.waitForTimeout(500);
  const present = () => shown.find(".swim-now").evaluate((line) => line.getBoundingClientRect().left);
  const cover = () => shown.find('.bar[data-offset="111"] .bar-body').evaluate((body) => getComputedStyle(body).clipPath);
  const before = [await present(), await cover()];
  const samples = shown.root.evaluate(async (root) => {
    const seen = [];
    const end = performance.now() + 500;
    while (performance.now() < end) {
      await new Promise(requestAnimationFrame);
      seen.push([
        root.querySelector(".swim-now").getBoundingClientRect().left,
        getComputedStyle(root.querySelector('.bar[data-offset="111"] .bar-body')).clipPath,
      ]);
    }
    return seen;
  });
  await shown.act("step");
  const between = await samples;
  await page.waitForTimeout(300);
  const after = [await present(), await cover()];
  assert.ok(before[0] < after[0]);
  assert.ok(between.some(([left]) => left > before[0] + 1 && left < after[0] - 1), "the present moves");
  assert.notEqual(before[1], after[1]);
  assert.ok(between.some(([, clip]) => clip !== before[1] && clip !== after[1]), "the bar grows");
});

test("the words of the text light up their parts", async (t) => {
  const { page, shown } = await rebalance(t);
  await shown.set("drain", 2);
  await playOut(shown);
  for (const part of ["new-owner", "drain-window", "old-owner", "handover", "leaked", "row", "write-log", "guard", "late-commit", "kept-pause", "protocol"]) {
    await page.locator(`.term[data-panel=rebalance][data-part=${part}]`).first().hover();
    const lit = shown.find(`[data-part="${part}"]`).first();
    assert.equal(await lit.evaluate((found) => getComputedStyle(found).outlineWidth), "2px", part);
    await page.mouse.move(0, 0);
  }
});

test("on a phone the chart runs down, fits, and is dragged without scrolling the page", async (t) => {
  const { page, shown } = await rebalance(t, { width: 360, height: 780, touch: true });
  await shown.act("step", { touch: true });
  await shown.find("label:has([data-knob=guard][value=off])").tap();
  await shown.find("[data-knob=guard][value=off]:checked").waitFor({ state: "attached" });
  const finger = await touch(page);

  let { x, y, tick } = await grip(shown);
  assert.equal(tick.x, 0, "time runs down");
  let scrolled = await page.evaluate(() => window.scrollY);
  await finger(x, y, 0, -5 * tick.y);
  await windowIs(shown, 2);
  assert.equal(await page.evaluate(() => window.scrollY), scrolled, "the page stays while the handle is dragged");

  // Elsewhere on the chart a finger scrolls the page and changes nothing.
  const lanes = await shown.find('.swim-lanes[data-side="A"]').boundingBox();
  await finger(lanes.x + lanes.width / 2, lanes.y + lanes.height / 2, 0, -120);
  await page.waitForFunction((before) => window.scrollY > before + 40, scrolled);
  await windowIs(shown, 2);
});

test("a drag along the slider turns it, a tap too; a swipe across it scrolls", async (t) => {
  const { page, shown } = await rebalance(t, { width: 360, height: 780, touch: true });
  const slider = shown.find("input[data-knob=drain]");
  await slider.evaluate((found) => found.scrollIntoView({ block: "center", behavior: "instant" }));
  const finger = await touch(page);
  const { x, y, width, height } = await slider.boundingBox();
  const scrolled = await page.evaluate(() => window.scrollY);
  await finger(x + 0.7 * width, y + height / 2, -0.5 * width, 3);
  await windowIs(shown, 2);
  await page.touchscreen.tap(x + width - 8, y + height / 2);
  await windowIs(shown, 10);
  assert.equal(await shown.knob("drain"), "10");
  assert.equal(await page.evaluate(() => window.scrollY), scrolled);

  await finger(x + 0.3 * width, y + height / 2, 0, -150);
  await page.waitForFunction((before) => window.scrollY > before + 40, scrolled);
  await windowIs(shown, 10);
  assert.equal(await shown.knob("drain"), "10");
});

test("nothing is wider than a small phone", async (t) => {
  const { page, shown } = await rebalance(t, { width: 320, height: 640, touch: true });
  await shown.set("drain", 2);
  await playOut(shown);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), 0);
});

test("any control in any order leaves the console silent", async (t) => {
  const { page, shown } = await rebalance(t, { motion: "no-preference" });
  let state = 4;
  const draw = (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const acts = [
    () => shown.set("drain", draw(11)),
    () => shown.set("guard", ["off", "newer", "not-older"][draw(3)]),
    () => shown.set("timeline", draw(LAST + 1)),
    () => shown.set("speed", String(draw(8))),
    () => shown.act("play"),
    () => shown.act("restart"),
    () => shown.find("[data-act=step]").click({ force: true }),
    () => shown.find("[data-act=back]").click({ force: true }),
    () => handle(shown).press(["ArrowLeft", "ArrowRight", "Home", "End"][draw(4)]),
    async () => {
      const { x, y } = await grip(shown);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + draw(600) - 300, y + draw(100) - 50, { steps: 4 });
      await page.mouse.up();
    },
  ];
  const end = Date.now() + 4_000;
  while (Date.now() < end) await acts[draw(acts.length)]();
  await shown.restart();
  await shown.set("drain", 7);
  await windowIs(shown, 7);
});

// A finger that goes down at a place, moves by so much, and lifts.
async function touch(page) {
  const session = await page.context().newCDPSession(page);
  return async (x, y, dx, dy) => {
    const send = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await send("touchStart", [{ x, y }]);
    for (let step = 1; step <= 10; step += 1) await send("touchMove", [{ x: x + (dx * step) / 10, y: y + (dy * step) / 10 }]);
    await send("touchEnd", []);
  };
}

test("of a drain it says what comes of it, and nothing that was not computed", async (t) => {
  const page = await open(t);
  const note = (shown) => shown.find('label:has([data-knob="drain"]) .knob-note').innerText();
  const killed = await bring(page, await scenario(36));
  assert.equal(killed.name, "rebalance");
  assert.equal(await note(killed), "A, revoked at tick 1, may still finish what runs, but dies at tick 4.");
  await killed.set("timeline", 6);
  assert.match(await killed.find('.swim-head[data-side="A"]').innerText(), /is down/);

  const long = `members = ["A", "B"]
ticks = 6000
[log]
records = ["0:A*5000", "1:B*1"]
[consumer]
drain = 4000
[[at]]
tick = 2
do = { revoke = { from = "A", to = "B" } }
`;
  const unplayed = await bring(await open(t), long);
  assert.equal(await note(unplayed), "A, revoked at tick 2, may still finish what runs.");
});

test("bars that outlast the run end with the chart", async (t) => {
  const shown = await bring(await open(t), await scenario(50));
  await shown.set("timeline", 8);
  const chart = await shown.find(".swim-axis").boundingBox();
  const ends = await shown.find(".bar").evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().right));
  assert.ok(ends.length > 0);
  for (const end of ends) assert.ok(end <= chart.x + chart.width + 1, `${end} beyond ${chart.x + chart.width}`);
});
