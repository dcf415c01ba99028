// The dispatch panel: what the shared pool does to order, and that mailboxes keep it.

import assert from "node:assert/strict";
import test from "node:test";

import { bring, open, panel, scenario } from "./harness/index.mjs";

const WORKER = "one key, one worker";
const ORDER = "a key's records complete in offset order";
const IDLE = "no worker idles beside a record it may run";
const STATE = "every polled record is in exactly one state";

async function toEnd(dispatch) {
  const end = Number(await dispatch.find('[data-knob="timeline"]').getAttribute("max"));
  await dispatch.set("timeline", end);
  await dispatch.until((now) => now === end, "the timeline leads to its end");
  return end;
}

// The verdict on an invariant in one of the two runs.
function verdict(dispatch, nth, sentence) {
  return dispatch.find(".judged-run").nth(nth).locator(`[data-invariant="${sentence}"]`).getAttribute("data-state");
}

// A key's lane as it is drawn: offsets from left to right.
function lane(dispatch, run, row) {
  return dispatch.find(`[data-run="${run}"] .chip[data-at="lane"]`).evaluateAll(
    (chips, row) =>
      chips
        .filter((chip) => chip.style.getPropertyValue("--r") === String(row))
        .map((chip) => [chip.getBoundingClientRect().x, Number(chip.dataset.offset)])
        .sort(([left], [right]) => left - right)
        .map(([, offset]) => offset),
    row,
  );
}

function quoted(page, name) {
  return page.locator(`[data-live="dispatch.${name}"]`).innerText().then(Number);
}

test("the shared pool breaks order and mailboxes do not", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  assert.equal(await dispatch.find("[data-bad]").count(), 0, "nothing is wrong at the opening");
  assert.deepEqual([await quoted(page, "shared-order-breaks"), await quoted(page, "keyed-order-breaks")], [7, 0]);

  await toEnd(dispatch);
  const counters = await dispatch.counters();
  assert.equal(counters["shared-order-breaks"], 7);
  assert.ok(counters["shared-overlaps"] > 0);
  assert.deepEqual([counters["order-breaks"], counters.overlaps, counters.finished], [0, 0, 40]);
  assert.deepEqual(
    await Promise.all([WORKER, ORDER, IDLE, STATE].map((sentence) => verdict(dispatch, 0, sentence))),
    ["broken", "broken", "kept", "kept"],
  );
  for (const sentence of [WORKER, ORDER, IDLE, STATE]) assert.equal(await verdict(dispatch, 1, sentence), "kept");

  // Drawn where they happened: an arc and a marked chip for each, and the lanes of the mailboxes ascend.
  assert.equal(await dispatch.find('[data-run="shared"] .pool-arc').count(), 7);
  assert.equal(await dispatch.find('[data-run="shared"] [data-broken]').count(), 7);
  assert.equal(await dispatch.find('[data-run="chosen"] .pool-arc').count(), 0);
  for (let row = 0; row < 6; row += 1) {
    const offsets = await lane(dispatch, "chosen", row);
    assert.deepEqual(offsets, [...offsets].sort((a, b) => a - b));
  }
});

test("an order break is told and drawn in the tick in which it happens", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  while ((await dispatch.counter("shared-order-breaks")) === 0) await dispatch.step();
  const sentence = dispatch.find(".sentence");
  const [, earlier, later] = (await sentence.innerText()).match(/Shared pool: .* offset (\d+) .* after offset (\d+) /);
  assert.notEqual(await sentence.getAttribute("data-bad"), null);
  const arc = dispatch.find('[data-run="shared"] .pool-arc');
  assert.equal(await arc.innerText(), `${later} before ${earlier}`);
  // The arc spans the two chips.
  const [box, from, to] = await Promise.all(
    [arc, ...[later, earlier].map((o) => dispatch.find(`[data-run="shared"] .chip[data-offset="${o}"]`))].map((found) =>
      found.boundingBox(),
    ),
  );
  assert.ok(box.x > from.x && box.x < from.x + from.width, "it begins over the later record");
  assert.ok(box.x + box.width > to.x && box.x + box.width < to.x + to.width, "it ends over the earlier one");
});

test("mailboxes keep order whatever the knobs", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  for (const [workers, keys, skew, seed] of [[1, 8, 0, 3], [8, 2, 1, 99], [8, 8, 3, 7], [3, 1, 2, 12345], [8, 5, 2, 0]]) {
    await dispatch.set("workers", workers);
    await dispatch.set("keys", keys);
    await dispatch.set("skew", skew);
    await dispatch.set("seed", seed);
    await dispatch.find('[data-knob="seed"]').press("Enter");
    await toEnd(dispatch);
    const counters = await dispatch.counters();
    assert.deepEqual([counters["order-breaks"], counters.overlaps, counters.finished], [0, 0, 40]);
  }
});

test("serial keeps order and pays with time", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  await toEnd(dispatch);
  const keyed = await dispatch.counter("ticks");
  await dispatch.set("routing", "serial");
  await toEnd(dispatch);
  assert.equal(await dispatch.counter("order-breaks"), 0);
  assert.ok((await dispatch.counter("ticks")) > 3 * keyed);
  assert.equal(await dispatch.find('[data-run="chosen"] .pool-worker').count(), 1);
});

test("ticks taken are told beside their bound, and the bound is spelt out", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  const [shared, chosen] = [0, 1].map((nth) => dispatch.find(".rate").nth(nth));
  const number = async (rate, name) => Number(await rate.getAttribute(`data-${name}`));
  await dispatch.set("timeline", 14);
  assert.match(await chosen.innerText(), /Ticks taken so far, keyed mailboxes\s+\d+ of at least \d+\s/);
  for (const rate of [shared, chosen]) assert.ok((await number(rate, "ticks")) < (await number(rate, "bound")), "mid-run");

  await toEnd(dispatch);
  const [, bound, total, workers, share, hottest] = (await dispatch.find(".bound").innerText()).match(
    /at least (\d+) ticks\. (\d+) ticks of work \/ (\d+) workers = (\d+); hottest key A: (\d+)\./,
  );
  assert.equal(Number(share), Math.ceil(total / workers));
  assert.equal(Number(bound), Math.max(share, hottest));
  const taken = [await dispatch.counter("shared-ticks"), await dispatch.counter("ticks")];
  assert.deepEqual([await number(shared, "ticks"), await number(chosen, "ticks")], taken);
  assert.ok(taken[1] >= Number(bound));
  // The price of order: the shared pool is done sooner, and says by what.
  assert.ok(taken[0] < Number(bound));
  assert.match(await shared.innerText(), new RegExp(`it finished ${bound - taken[0]} sooner by breaking it`));
  // Workers that are taken away have worked: the bound does not rise behind them.
  await dispatch.restart();
  await dispatch.set("timeline", 20);
  await dispatch.set("workers", 1);
  assert.equal(await number(chosen, "bound"), Number(bound));
  // More workers do not make the hottest key faster.
  await dispatch.restart();
  await dispatch.set("skew", 3);
  await dispatch.set("workers", 8);
  await toEnd(dispatch);
  const skewed = await dispatch.counter("ticks");
  await dispatch.set("workers", 3);
  await toEnd(dispatch);
  assert.equal(await dispatch.counter("ticks"), skewed);
});

test("the one consumer is not called by a key's letter", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  for (let tick = 0; tick < 20; tick += 1) {
    await dispatch.step();
    assert.doesNotMatch(await dispatch.find(".sentence-text").innerText(), /: A('s)? /);
  }
});

test("the article's numbers follow the knobs", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  for (const [knob, value] of [["workers", 8], ["skew", 2], ["routing", "lanes"], ["keys", 3]]) {
    await dispatch.set(knob, value);
    const promised = [await quoted(page, "shared-order-breaks"), await quoted(page, "keyed-order-breaks")];
    await toEnd(dispatch);
    assert.deepEqual([await dispatch.counter("shared-order-breaks"), await dispatch.counter("order-breaks")], promised);
    await dispatch.restart();
  }
});

test("a shared pool beside the shared pool breaks the same", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await dispatch.set("routing", "shared");
  await toEnd(dispatch);
  const counters = await dispatch.counters();
  assert.equal(counters["order-breaks"], counters["shared-order-breaks"]);
  assert.deepEqual([await verdict(dispatch, 1, WORKER), await verdict(dispatch, 1, ORDER)], ["broken", "broken"]);
  // The article speaks of mailboxes there.
  assert.equal(await quoted(page, "keyed-order-breaks"), 0);
});

test("another routing shows the same moment as if it had been so from the start", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  await dispatch.set("routing", "shared");
  await dispatch.set("timeline", 20);
  assert.ok((await dispatch.counter("order-breaks")) > 0);
  await dispatch.set("routing", "keyed");
  assert.equal(await dispatch.tick(), 20);
  assert.equal(await dispatch.counter("order-breaks"), 0);
});

test("workers turn live, and going back takes them back", async (t) => {
  const dispatch = panel(await open(t), "dispatch");
  const slots = () => dispatch.find('[data-run="chosen"] .pool-worker').count();
  await dispatch.set("timeline", 8);
  await dispatch.set("workers", 8);
  assert.equal(await dispatch.tick(), 8);
  assert.equal(await slots(), 8);
  await dispatch.step();
  assert.ok((await dispatch.find('[data-run="shared"] .chip[data-at="worker"]').count()) > 4);
  await dispatch.back(4);
  assert.equal(await slots(), 4);
  assert.equal(await dispatch.knob("workers"), "4");
  await dispatch.step(4);
  assert.equal(await dispatch.knob("workers"), "8");
  // The routing turns under it, and what was turned stays where it was.
  await dispatch.set("routing", "lanes");
  await dispatch.back(3);
  assert.equal(await slots(), 4);
});

test("a stack of one key's records stays in its mailbox", async (t) => {
  const page = await open(t, { width: 360, height: 780, touch: true });
  const dispatch = panel(page, "dispatch");
  await dispatch.set("keys", 1);
  await dispatch.set("timeline", 6);
  const run = '[data-run="chosen"]';
  assert.match(await dispatch.find(`${run} .pool-mailbox .pool-more`).innerText(), /^\+\d+$/);
  assert.equal(await dispatch.find(`${run} .chip[data-at="mailbox"]:not([data-hidden])`).count(), 4);
  await toEnd(dispatch);
  // All 40 in one lane: the last ones, and how many came before.
  assert.equal(await dispatch.find(`${run} .pool-lane .pool-more`).innerText(), "+23");
  assert.deepEqual((await lane(dispatch, "chosen", 0)).at(-1), 39);
});

test("chips travel from place to place", async (t) => {
  const page = await open(t, { motion: "no-preference" });
  const dispatch = panel(page, "dispatch");
  const chip = dispatch.find('[data-run="chosen"] .chip[data-offset="4"]');
  const middle = async () => {
    const { x, y, width, height } = await chip.boundingBox();
    return [x + width / 2, y + height / 2];
  };
  const seen = [];
  for (let tick = 0; tick < 12 && (await chip.getAttribute("data-at")) !== "lane"; tick += 1) {
    await page.waitForTimeout(100);
    const [from, before] = [await middle(), await chip.getAttribute("data-at")];
    // Stopped half-way, however slow the machine is.
    const halfway = await chip.evaluate(async (element) => {
      document.querySelector('section[data-panel="dispatch"] [data-act="step"]').click();
      const moves = () => element.getAnimations();
      for (let frame = 0; frame < 10 && !moves().length; frame += 1) await new Promise(requestAnimationFrame);
      const moving = moves();
      for (const move of moving) {
        move.pause();
        move.currentTime = move.effect.getComputedTiming().duration / 2;
      }
      const { x, y, width, height } = element.getBoundingClientRect();
      for (const move of moving) move.finish();
      return [x + width / 2, y + height / 2];
    });
    const [to, after] = [await middle(), await chip.getAttribute("data-at")];
    if (before === after) continue;
    seen.push(after);
    const between = (a, b, c) => (a < b && b < c) || (a > b && b > c);
    assert.ok(
      [0, 1].some((axis) => between(from[axis], halfway[axis], to[axis])),
      `${before} to ${after}: somewhere in between`,
    );
  }
  assert.deepEqual(seen, ["mailbox", "worker", "lane"]);
});

test("rings turn with the ticks while time plays, and everything rests when it does not", async (t) => {
  const page = await open(t, { motion: "no-preference" });
  const dispatch = panel(page, "dispatch");
  const progress = () =>
    dispatch.find('[data-run="chosen"] .pool-worker').evaluateAll((rings) =>
      rings.map((ring) => Number(getComputedStyle(ring).getPropertyValue("--progress"))),
    );
  await dispatch.act("play");
  await dispatch.until((now) => now >= 2, "it plays");
  const samples = [];
  for (let i = 0; i < 12; i += 1) {
    samples.push((await progress()).join());
    await page.waitForTimeout(120);
  }
  assert.ok(new Set(samples).size > 2, "rings turn");
  await dispatch.act("play");
  await page.waitForTimeout(500);
  const [at, rest] = [await dispatch.tick(), await progress()];
  await page.waitForTimeout(500);
  assert.equal(await dispatch.tick(), at);
  assert.deepEqual(await progress(), rest);
});

test("words of the article light up their part", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  await toEnd(dispatch);
  for (const part of ["log", "mailbox", "worker", "lane", "order-break"]) {
    const word = page.locator(`.term[data-panel="dispatch"][data-part="${part}"]`).first();
    const lit = () =>
      dispatch.find(`.drawing [data-part="${part}"]`).evaluateAll((found) =>
        found.filter((element) => parseFloat(getComputedStyle(element).outlineWidth) > 0).length,
      );
    assert.equal(await lit(), 0);
    await word.focus();
    assert.ok((await lit()) > 0, part);
    await word.blur();
    assert.equal(await lit(), 0);
  }
});

test("a phone: taps, drags along a slider, swipes across it", async (t) => {
  const page = await open(t, { width: 360, height: 780, touch: true });
  const dispatch = panel(page, "dispatch");
  await dispatch.find('[data-knob="routing"][value="serial"]').tap();
  assert.equal(await dispatch.knob("routing"), "serial");
  await dispatch.act("step", { touch: true });
  await dispatch.until((now) => now === 1, "a tap steps");

  const slider = dispatch.find('[data-knob="workers"]');
  await slider.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const finger = await page.context().newCDPSession(page);
  const drag = async (dx, dy) => {
    const { x, y, width, height } = await slider.boundingBox();
    const [fromX, fromY] = [x + width / 2, y + height / 2];
    const touch = (type, x, y) =>
      finger.send("Input.dispatchTouchEvent", { type, touchPoints: x === undefined ? [] : [{ x, y }] });
    await touch("touchStart", fromX, fromY);
    for (let i = 1; i <= 10; i += 1) await touch("touchMove", fromX + (dx * i) / 10, fromY + (dy * i) / 10);
    await touch("touchEnd");
    await page.waitForTimeout(200);
  };
  const scrolled = () => page.evaluate(() => Math.round(scrollY));
  const top = await scrolled();
  await drag(60, 0);
  assert.ok(Number(await slider.inputValue()) > 4, "dragging along it turns it");
  assert.equal(await scrolled(), top, "and leaves the page where it is");
  const value = await slider.inputValue();
  await drag(0, -150);
  assert.ok((await scrolled()) > top + 50, "swiping across it scrolls");
  assert.equal(await slider.inputValue(), value, "and leaves it as it is");
});

test("nothing is wider than its place, whatever is chosen", async (t) => {
  const page = await open(t, { width: 320, height: 700, touch: true });
  const dispatch = panel(page, "dispatch");
  await dispatch.set("keys", 8);
  await dispatch.set("workers", 8);
  for (const width of [320, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const routing of ["keyed", "lanes", "serial", "shared"]) {
      await dispatch.set("routing", routing);
      await dispatch.set("timeline", 12);
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(tooWide <= 0, `${width} px, ${routing}: the page`);
      // Chips in mailboxes, on workers and in lanes are within their stage.
      const outside = await dispatch.find(".pool-stage").evaluateAll((stages) =>
        stages.flatMap((stage) => {
          const { left, right, top, bottom } = stage.getBoundingClientRect();
          return [...stage.querySelectorAll('.chip:not([data-at="log"]):not([data-hidden])')]
            .map((chip) => chip.getBoundingClientRect())
            .filter((box) => box.left < left - 1 || box.right > right + 1 || box.top < top - 1 || box.bottom > bottom + 1);
        }),
      );
      assert.deepEqual(outside, [], `${width} px, ${routing}: the chips`);
    }
  }
});

test("it survives a restless visitor", async (t) => {
  const page = await open(t);
  const dispatch = panel(page, "dispatch");
  let state = 20_231;
  const below = (n) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % n;
  const sliders = { workers: [1, 8], keys: [1, 8], skew: [0, 3], timeline: [0, 60] };
  for (const end = Date.now() + 3000; Date.now() < end; ) {
    const [knob, [least, most]] = Object.entries(sliders)[below(4)];
    const act = ["play", "step", "back", "restart", "roll", "step"][below(6)];
    if (below(2)) {
      const button = dispatch.find(`[data-act="${act}"]`).first();
      if (await button.isEnabled()) await button.click();
    } else if (below(3)) {
      const slider = dispatch.find(`[data-knob="${knob}"]`);
      const most_ = knob === "timeline" ? Number(await slider.getAttribute("max")) : most;
      await slider.fill(String(least + below(Math.min(most, most_) - least + 1)));
    } else {
      await dispatch.set("routing", ["keyed", "serial", "lanes", "shared"][below(4)]);
    }
    if (below(8) === 0) await dispatch.set("speed", below(8));
  }
  const records = await dispatch.find('[data-run="chosen"] .chip[data-offset]').count();
  assert.equal(records, 40);
});

test("records without a key have a mailbox and a lane, and no order to break", async (t) => {
  const dispatch = await bring(await open(t), await scenario(3));
  assert.equal(dispatch.name, "dispatch");
  await dispatch.set("timeline", 1);
  assert.equal(await dispatch.find('[data-run="chosen"] .pool-mailbox').innerText().then((text) => text.includes("none")), true);
  await toEnd(dispatch);
  assert.deepEqual(await lane(dispatch, "chosen", 0), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(await dispatch.find('[data-run="chosen"] .pool-lane').innerText(), "no key");
  assert.equal(await dispatch.counter("shared-order-breaks"), 0);
  const said = await dispatch.root.innerText();
  assert.doesNotMatch(said, /by breaking it|by overlapping|hottest key/);
  assert.match(said, /Records without a key share a mailbox: 16/);
});

test("dead letters are counted, and end a run as completions do", async (t) => {
  const dispatch = await bring(await open(t), await scenario(31));
  await toEnd(dispatch);
  assert.equal(await dispatch.counter("finished"), 2);
  assert.equal(await dispatch.counter("dead-letters"), 4);
  assert.equal(await dispatch.find('[data-run="chosen"] .chip[data-state="quarantined"]').count(), 4);
  assert.doesNotMatch(await dispatch.find(".rates").innerText(), /so far, keyed/);
});

test("a scenario's own lanes are on offer", async (t) => {
  const text = 'title = "Lanes"\n[log]\nrecords = ["0:alpha*2", "1:beta*1"]\n[consumer]\nrouting = { lanes = 3 }\n';
  const dispatch = await bring(await open(t), text);
  assert.equal(await dispatch.knob("routing"), "lanes");
  assert.match(await dispatch.find(".segmented").innerText(), /3 lanes/);
  assert.match(await dispatch.find('[data-run="chosen"] .pool-lane').first().innerText(), /al…/);
  await dispatch.set("routing", "keyed");
  assert.match(await dispatch.find(".segmented").innerText(), /3 lanes/);
});
