// Backpressure: each mode finds its ceiling, and the chart shows all three at once.

import assert from "node:assert/strict";
import test from "node:test";

import { bring, open, panel } from "./harness/index.mjs";

const POLL = "a poll at least every max.poll.interval";
const HEAP = "in flight never exceeds the heap ceiling";
const MARK = "in flight stays below high + poll";
const BRINGS = "a poll through an open gate brings what there is";

async function opened(t, options) {
  const page = await open(t, options);
  const backpressure = panel(page, "backpressure");
  await backpressure.root.scrollIntoViewIfNeeded();
  return { page, backpressure };
}

// Scrubs to a tick.
async function seek(backpressure, tick) {
  await backpressure.set("timeline", tick);
  await backpressure.until((now) => now === tick, `the timeline leads to tick ${tick}`);
}

// How many pixels of the canvas have exactly each colour, with "#rrggbb" as name.
function pixels(backpressure) {
  return backpressure.find(".chart canvas").evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const colours = {};
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 255) continue;
      const name = `#${[0, 1, 2].map((part) => data[at + part].toString(16).padStart(2, "0")).join("")}`;
      colours[name] = (colours[name] ?? 0) + 1;
    }
    return colours;
  });
}

// A custom property of the page.
function token(page, name) {
  return page.evaluate((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(), name);
}

test("pause saws between the marks, and its session never expires", async (t) => {
  const { backpressure } = await opened(t);
  const depths = [];
  for (let tick = 1; tick <= 20; tick += 1) {
    await backpressure.step();
    depths.push(await backpressure.counter("in-flight"));
  }
  const after = depths.slice(depths.findIndex((depth) => depth >= 24));
  assert.ok(Math.max(...after) < 24 + 12 && Math.min(...after) >= 8 - 2, `between the marks: ${after}`);
  await seek(backpressure, 119);
  const counters = await backpressure.counters();
  assert.ok(counters["peak-in-flight"] >= 24 && counters["peak-in-flight"] < 24 + 12, "the peak is below high + poll");
  assert.ok(counters.pauses >= 4 && counters.resumes >= 4, `${counters.pauses} pauses, ${counters.resumes} resumes`);
  assert.deepEqual([counters.evictions, counters.crashes, counters["ticks-since-poll"]], [0, 0, 0]);
  assert.equal(counters.completed, 119 * 2);
  assert.deepEqual(await backpressure.broken(), []);
});

test("while paused the gate is shut and the polls go on", async (t) => {
  const { backpressure } = await opened(t);
  await backpressure.step(2);
  assert.match(await backpressure.find(".sentence").innerText(), /32 in flight.*paused/is);
  await backpressure.step();
  assert.match(await backpressure.find(".tank-stage").innerText(), /intake paused/);
  assert.match(await backpressure.find(".poll").innerText(), /asked for none/);
  assert.equal(await backpressure.find(".pipe-in[data-flows]").count(), 0);
  assert.equal(await backpressure.find(".drop:not([data-out])").count(), 30);
  assert.equal(await backpressure.find(".drop[data-out]").count(), 2, "what just finished is in the pipe out");
});

test("ring, pipe and sentence agree on the poll of a tick that pauses or resumes", async (t) => {
  const { backpressure } = await opened(t);
  const told = async () => [
    await backpressure.find(".poll").innerText(),
    await backpressure.find(".gate-word").innerText(),
    await backpressure.find(".sentence").innerText(),
  ];
  await backpressure.step(2);
  const [polled, open, brought] = await told();
  assert.match(polled, /12 came\s+pauses from the next poll on/);
  assert.match(open, /intake open/);
  assert.match(brought, /12 came in.*paused/is);
  while ((await backpressure.counter("resumes")) === 0) await backpressure.step();
  const [asked, shut, resumed] = await told();
  assert.match(asked, /asked for none\s+resumes with the next poll/);
  assert.match(shut, /intake paused/);
  assert.match(resumed, /asked for none.*resumed/is);
});

test("a client that refetches after a resume lets the workers run dry", async (t) => {
  const { page, backpressure } = await opened(t);
  assert.match(await backpressure.find(".knobs").innerText(), /the client keeps what it had fetched ahead/);
  await seek(backpressure, 119);
  const kept = await backpressure.counter("completed");
  await backpressure.restart();
  await backpressure.set("refetch", 9);
  assert.match(await backpressure.find(".knobs").innerText(), /the low mark’s 8 have to last/);
  while ((await backpressure.counter("resumes")) === 0) await backpressure.step();
  assert.match(await backpressure.find(".sentence").innerText(), /its client refetches, and polls bring nothing before tick 24/);
  await backpressure.step();
  assert.match(await backpressure.find(".poll").innerText(), /the client refetches\s+records again at tick 24/);
  assert.match(await backpressure.find(".tank-stage").innerText(), /intake open/);
  assert.match(await backpressure.find(".sentence").innerText(), /2 finished, the client refetches until tick 24; 6 in flight\./);
  await backpressure.step(4);
  assert.match(await backpressure.find(".sentence").innerText(), /Nothing finished.*0 in flight, 2 workers idle/);
  assert.deepEqual(await backpressure.broken(), [BRINGS]);
  await seek(backpressure, 119);
  const counters = await backpressure.counters();
  assert.ok(counters["empty-polls"] > 20 && counters.completed < kept, JSON.stringify(counters));
  assert.deepEqual([counters.evictions, counters.crashes], [0, 0]);
  assert.match(await page.evaluate(() => location.hash), /refetch=9/);
  // What never pauses throws nothing away.
  await backpressure.set("mode", "block");
  assert.match(await backpressure.find(".knobs").innerText(), /this mode never pauses/);
  assert.equal(await backpressure.counter("empty-polls"), 0);
});

test("a refetch that the low mark outlasts costs nothing", async (t) => {
  const { backpressure } = await opened(t);
  await seek(backpressure, 119);
  const kept = await backpressure.counter("completed");
  await backpressure.restart();
  await backpressure.set("refetch", 3);
  await seek(backpressure, 119);
  const counters = await backpressure.counters();
  assert.equal(counters.completed, kept);
  assert.equal(counters["empty-polls"], 3 * counters.resumes);
});

test("unbounded passes the ceiling and dies of memory", async (t) => {
  const { page, backpressure } = await opened(t);
  await backpressure.set("mode", "unbounded");
  await backpressure.step(6);
  assert.equal(await backpressure.counter("in-flight"), 72);
  assert.deepEqual(await backpressure.broken(), []);
  assert.equal((await pixels(backpressure))[await token(page, "--danger")], undefined, "no red while nothing is wrong");
  await backpressure.step();
  const counters = await backpressure.counters();
  assert.deepEqual([counters.crashes, counters["peak-in-flight"], counters["in-flight"]], [1, 82, 0]);
  assert.deepEqual((await backpressure.invariants())[HEAP], { state: "broken", since: 7 });
  assert.deepEqual(await backpressure.broken(), [HEAP]);
  assert.match(await backpressure.find(".wreck").innerText(), /out of memory\s+at tick 7/i);
  assert.match(await backpressure.find(".sentence").innerText(), /82 records in flight, and the heap holds 72/);
  assert.ok((await pixels(backpressure))[await token(page, "--danger")] > 10, "the line ends with a red cross");
  await seek(backpressure, 119);
  assert.equal(await backpressure.counter("completed"), 14, "the dead finish nothing");
  assert.equal(await backpressure.counter("ticks-since-poll"), 0, "and their time stands still");
  await backpressure.back(1);
  await seek(backpressure, 6);
  assert.equal(await backpressure.find(".wreck").count(), 0, "before it, it was alive");
});

test("block is evicted once a batch takes the interval, and not when it takes less", async (t) => {
  const { page, backpressure } = await opened(t);
  await backpressure.set("mode", "block");
  await backpressure.step(5);
  assert.equal(await backpressure.counter("ticks-since-poll"), 5);
  assert.equal(await backpressure.find(".poll[data-bad]").count(), 0);
  await backpressure.step();
  assert.equal(await backpressure.counter("evictions"), 1);
  assert.deepEqual((await backpressure.invariants())[POLL], { state: "broken", since: 6 });
  assert.equal(await backpressure.find(".poll-ring[data-bad]").count(), 1);
  assert.match(await backpressure.find(".poll").innerText(), /evicted/i);
  assert.match(await backpressure.find(".sentence").innerText(), /2 uncommitted records come again, 2 of them already done/);
  assert.equal(await backpressure.find(".drop[data-redelivered]").count(), 2);
  assert.ok((await pixels(backpressure))[await token(page, "--danger")] > 10, "a red notch on the axis");
  await backpressure.step();
  assert.equal(await backpressure.find(".poll-ring[data-bad]").count(), 0, "the ring is red at that tick only");
  await seek(backpressure, 119);
  assert.equal(await backpressure.counter("evictions"), 19);

  await backpressure.restart();
  await backpressure.set("drain", 3);
  await seek(backpressure, 119);
  assert.deepEqual([await backpressure.counter("evictions"), await backpressure.broken()], [0, []]);
  assert.ok((await backpressure.counter("peak-in-flight")) <= 12, "block stays shallow");
});

test("lowering fetch on a full tank breaks the bound that its own value sets", async (t) => {
  const { backpressure } = await opened(t);
  await backpressure.step(2);
  await backpressure.set("fetch", 1);
  await backpressure.step();
  assert.deepEqual((await backpressure.invariants())[MARK], { state: "broken", since: 3 });
});

test("the other modes stay in the chart as ghosts, named at their ends", async (t) => {
  const { page, backpressure } = await opened(t);
  await seek(backpressure, 40);
  const names = () => backpressure.find(".line-name[data-ghost]").evaluateAll((all) => all.map((one) => one.dataset.run).sort());
  assert.deepEqual(await names(), ["block", "unbounded"]);
  assert.match(await backpressure.find('.line-name[data-run="unbounded"]').innerText(), /out of memory/);
  assert.ok((await pixels(backpressure))[await token(page, "--line-2")] > 300, "thin lines and the axis");
  await backpressure.set("mode", "block");
  assert.equal(await backpressure.tick(), 40, "another mode in front starts nothing over");
  assert.deepEqual(await names(), ["pause", "unbounded"]);
  const apart = await backpressure.find(".line-name").evaluateAll((all) => {
    const boxes = all.map((one) => one.getBoundingClientRect()).sort((one, other) => one.top - other.top);
    return boxes.every((box, at) => at === 0 || box.top >= boxes[at - 1].bottom - 1);
  });
  assert.ok(apart, "no name lies on another");
});

test("levels stand at the same heights in the tank and in the chart", async (t) => {
  const { page, backpressure } = await opened(t);
  const accent = await token(page, "--accent");
  const heights = await backpressure.root.evaluate((root, accent) => {
    const canvas = root.querySelector(".chart canvas");
    const box = canvas.getBoundingClientRect();
    const { data } = canvas.getContext("2d").getImageData(canvas.width - 60, 0, 1, canvas.height);
    const drawn = [];
    for (let y = 0; y < canvas.height; y += 1) {
      const name = `#${[0, 1, 2].map((part) => data[4 * y + part].toString(16).padStart(2, "0")).join("")}`;
      if (name === accent && data[4 * y + 3] === 255) drawn.push(box.top + (y / canvas.height) * box.height);
    }
    const lines = [...root.querySelectorAll(".level")].filter((one) => /high|low/.test(one.dataset.part));
    return { drawn, shown: lines.map((one) => one.getBoundingClientRect().top) };
  }, accent);
  assert.equal(heights.drawn.length, 2);
  heights.drawn.forEach((height, at) => assert.ok(Math.abs(height - heights.shown[at]) <= 1, JSON.stringify(heights)));
});

test("the canvas is as dense as the screen, and follows size and scheme", async (t) => {
  const { page, backpressure } = await opened(t, { scale: 2 });
  await seek(backpressure, 30);
  const canvas = backpressure.find(".chart canvas");
  const sizes = () => canvas.evaluate((one) => [one.width, Math.round(one.getBoundingClientRect().width * 2), one.height, Math.round(one.getBoundingClientRect().height * 2)]);
  const assertCrisp = async () => {
    const [width, wanted, height, tall] = await sizes();
    assert.deepEqual([width, height], [wanted, tall]);
    return width;
  };
  const wide = await assertCrisp();
  const light = await token(page, "--flow");
  assert.ok((await pixels(backpressure))[light] > 200, "the line is there");

  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await token(page, "--flow");
  assert.notEqual(dark, light);
  await page.waitForTimeout(100);
  const night = await pixels(backpressure);
  assert.ok(night[dark] > 200 && !night[light], "redrawn in the colours of the dark");

  await page.setViewportSize({ width: 800, height: 900 });
  await page.waitForTimeout(150);
  assert.ok((await assertCrisp()) < wide);
  assert.ok((await pixels(backpressure))[dark] > 100);
});

test("going back and scrubbing are exact", async (t) => {
  const { backpressure } = await opened(t);
  const picture = () => backpressure.find(".chart canvas").evaluate((one) => one.toDataURL());
  const drops = () => backpressure.find(".drop").evaluateAll((all) => all.map((one) => [one.dataset.offset, one.dataset.state, one.getAttribute("style")]));
  await seek(backpressure, 20);
  await backpressure.set("fetch", 5);
  await backpressure.step(10);
  const there = [await backpressure.counters(), await picture(), await drops()];
  await backpressure.step(3);
  await backpressure.back(3);
  assert.deepEqual([await backpressure.counters(), await picture(), await drops()], there);
  await seek(backpressure, 4);
  assert.equal(await backpressure.knob("fetch"), "12", "the slider shows what was in force then");
  await seek(backpressure, 30);
  assert.equal(await backpressure.knob("fetch"), "5");
  assert.deepEqual([await backpressure.counters(), await picture(), await drops()], there);
});

test("sliders are dragged by the mouse, and turn all three runs", async (t) => {
  const { page, backpressure } = await opened(t);
  await seek(backpressure, 10);
  const box = await backpressure.find('input[data-knob="fetch"]').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 12 });
  await page.mouse.up();
  assert.equal(await backpressure.knob("fetch"), "24");
  await backpressure.step();
  assert.match(await backpressure.find(".sentence").innerText(), /poll = 24/);
  await backpressure.find(".fold summary").click();
  await backpressure.find(".event").first().waitFor();
  const told = await backpressure.find(".event").allInnerTexts();
  assert.equal(told.filter((text) => /knobs are turned/i.test(text)).length, 1, "a drag within a tick turns the knob once");
  await seek(backpressure, 60);
  await backpressure.set("mode", "block");
  assert.equal(await backpressure.counter("peak-in-flight"), 24);
});

// A finger, as the browser sees one: what it does not take for itself scrolls the page.
async function swipe(page, from, by, steps = 8) {
  const session = await page.context().newCDPSession(page);
  const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [from]);
  for (let step = 1; step <= steps; step += 1) {
    await touch("touchMove", [{ x: from.x + (by.x * step) / steps, y: from.y + (by.y * step) / steps }]);
    await page.waitForTimeout(16);
  }
  await touch("touchEnd", []);
  await page.waitForTimeout(100);
}

test("a finger along a slider drags it, across it scrolls the page", async (t) => {
  const { page, backpressure } = await opened(t, { width: 360, height: 780, touch: true });
  const slider = backpressure.find('input[data-knob="fetch"]');
  await slider.scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollBy(0, 200));
  await page.waitForTimeout(300);
  const scrolled = () => page.evaluate(() => window.scrollY);
  const box = await slider.boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  assert.ok(box.height >= 44, "a target for a finger");

  const before = await scrolled();
  await swipe(page, { x: middle.x - 20, y: middle.y }, { x: 120, y: 4 });
  assert.ok(Number(await backpressure.knob("fetch")) > 16, `dragged to ${await backpressure.knob("fetch")}`);
  assert.equal(await scrolled(), before, "the page stayed");

  const value = await backpressure.knob("fetch");
  const there = await slider.boundingBox();
  await swipe(page, { x: there.x + 40, y: there.y + there.height / 2 }, { x: 2, y: -160 });
  assert.ok((await scrolled()) > before + 60, "the page scrolled");
  assert.equal(await backpressure.knob("fetch"), value, "the slider stayed");
});

test("on a phone: taps, nothing wider than the screen", async (t) => {
  const { page, backpressure } = await opened(t, { width: 320, height: 700, touch: true });
  await backpressure.find('label:has([value="unbounded"])').tap();
  for (let tick = 0; tick < 7; tick += 1) await backpressure.act("step", { touch: true });
  assert.equal(await backpressure.counter("crashes"), 1);
  assert.ok(await backpressure.find(".wreck").isVisible());
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
});

test("records move: into the tank, down in it, and out of it", async (t) => {
  const { page, backpressure } = await opened(t, { motion: "no-preference" });
  // Where an element is in each frame from a click on until it rests.
  const journey = (offset) =>
    backpressure.root.evaluate(
      (root, offset) =>
        new Promise((resolve) => {
          const places = [];
          const look = (since) => (now) => {
            const box = root.querySelector(`.drop[data-offset="${offset}"]`)?.getBoundingClientRect();
            if (box) places.push({ x: box.x, y: box.y });
            if (now - since < 400) requestAnimationFrame(look(since));
            else resolve(places);
          };
          root.querySelector('[data-act="step"]').click();
          requestAnimationFrame((now) => look(now)(now));
        }),
      offset,
    );
  await page.waitForTimeout(400);
  // Offset 20 is polled in tick 1 and falls out of the pipe; 0 ran in tick 0 and leaves; later 20 sinks.
  const fallen = await journey(20);
  const down = fallen.map((place) => place.y);
  assert.ok(down.at(-1) - down[0] > 100, "it falls from the pipe into the tank");
  assert.ok(new Set(down.map(Math.round)).size > 4, "by a path that the eye can follow");
  const leaving = (await journey(2)).map((place) => place.y);
  assert.ok(leaving.some((y) => y > leaving[0] + 1 && y < leaving.at(-1) - 1), "what finishes leaves below, in between on its way");
  const sinking = [];
  for (let tick = 0; tick < 3; tick += 1) sinking.push(...(await journey(20)).map((place) => place.y));
  assert.ok(sinking.at(-1) > sinking[0] + 10, "and the rest sink");
});

test("words of the text light up their part, and its numbers are the panel's", async (t) => {
  const { page, backpressure } = await opened(t);
  const lit = (part) => backpressure.find(`${part === "refetch" ? ".knobs" : ".drawing"} [data-part="${part}"]`).first().evaluate((one) => getComputedStyle(one).outlineWidth);
  const words = page.locator('.term[data-panel="backpressure"]');
  const parts = new Set(await words.evaluateAll((all) => all.map((one) => one.dataset.part)));
  assert.deepEqual([...parts].sort(), ["ceiling", "chart", "drain-rate", "fetch", "high", "low", "poll-timer", "refetch", "tank"]);
  for (const part of parts) {
    assert.equal(await lit(part), "0px", part);
    await page.locator(`.term[data-panel="backpressure"][data-part="${part}"]`).first().focus();
    assert.equal(await lit(part), "2px", part);
  }
  const quoted = (name) => page.locator(`[data-live="backpressure.${name}"]`).innerText();
  assert.deepEqual([await quoted("high"), await quoted("low"), await quoted("ceiling")], ["24", "8", "72"]);
  assert.equal(await backpressure.find('.level[data-part="high"] b').innerText(), await quoted("high"));
});

test("anything in any order leaves the console silent", async (t) => {
  const { page, backpressure } = await opened(t, { motion: "no-preference" });
  await backpressure.root.evaluate(
    (root) =>
      new Promise((resolve) => {
        let seed = 20;
        const below = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
        const once = () => {
          const controls = [...root.querySelectorAll('button:not(:disabled, [data-act="keys"]), input:not([type=file]), select, summary')];
          const control = controls[below(controls.length)];
          if (control.type === "range") {
            control.value = String(Number(control.min) + below(Number(control.max) - Number(control.min) + 1));
            control.dispatchEvent(new InputEvent("input", { bubbles: true }));
          } else if (control.tagName === "SELECT") {
            control.selectedIndex = below(control.options.length);
            control.dispatchEvent(new Event("change", { bubbles: true }));
          } else control.click();
        };
        const end = Date.now() + 3000;
        const more = () => {
          for (let n = 0; n < 3; n += 1) once();
          if (Date.now() < end) setTimeout(more, 8);
          else resolve();
        };
        more();
      }),
  );
  await backpressure.restart();
  assert.ok((await backpressure.find(".drop").count()) <= 96 + 12);
  assert.equal(await page.locator(".boot-notice").count(), 0);
});

test("of a scenario it says what its records take, and that its log has ended", async (t) => {
  const text = `ticks = 30
[log]
records = ["0:A*4", "1:B*7", "2:C*5"]
[consumer]
workers = 1
intake = "unbounded"
`;
  const shown = await bring(await open(t), text);
  assert.equal(shown.name, "backpressure");
  assert.match(await shown.find(".knobs").innerText(), /1 worker, 4 to 7 ticks per record/);
  await shown.set("timeline", 6);
  assert.match(await shown.find(".poll").innerText(), /nothing left to read/);
  assert.match(await shown.find(".sentence").innerText(), /nothing left to read/);
  assert.doesNotMatch(await shown.root.innerText(), /asked for none/);
});

test("large numbers stay in their tank, and their names apart", async (t) => {
  const text = `ticks = 30
[log]
generate = { count = 20000, keys = 50, skew = 1, work = [1, 6] }
[consumer]
poll = 400
workers = 40
heap_ceiling = 3000
intake = { pause = { high = 1000, low = 900 } }
`;
  const shown = await bring(await open(t), text);
  assert.equal(shown.name, "backpressure");
  await seek(shown, 20);
  const box = (selector) => shown.find(selector).first().boundingBox();
  const [stage, tank] = [await box(".tank-stage"), await box(".tank")];
  for (const pipe of [".pipe-in", ".pipe-out"]) assert.ok((await box(pipe)).width <= tank.width, pipe);
  const cells = await shown.find(".drop").evaluateAll((drops) => drops.map((drop) => drop.getBoundingClientRect().top));
  for (const top of cells) assert.ok(top >= stage.y - 1, `a cell at ${top} above ${stage.y}`);
  const names = await shown.find(".level > span").evaluateAll((names) =>
    names.map((name) => name.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })).sort((a, b) => a.top - b.top),
  );
  assert.equal(names.length, 3);
  for (const [upper, lower] of [names.slice(0, 2), names.slice(1)]) assert.ok(upper.bottom <= lower.top + 1, "names apart");
});
