// What nobody sees costs nothing, and what is played for long costs no more than what is played once. Counts, which
// are the same on every machine; `cargo xtask profile` measures the times.

import assert from "node:assert/strict";
import test from "node:test";

import { PANELS, open, panel } from "./harness/index.mjs";

// Counts what would wake the page up: frames and timers that it asks for.
function countAsked(page) {
  return page.addInitScript(() => {
    window.asked = 0;
    for (const name of ["requestAnimationFrame", "requestIdleCallback", "setTimeout", "setInterval"]) {
      const ask = window[name].bind(window);
      window[name] = (...words) => {
        window.asked += 1;
        return ask(...words);
      };
    }
  });
}

async function askedIn(page, milliseconds) {
  const before = await page.evaluate(() => window.asked);
  await page.waitForTimeout(milliseconds);
  return (await page.evaluate(() => window.asked)) - before;
}

// Longer than the address waits before it is written.
const WRITTEN = 2_000;

test("a page at rest asks for no frame and no timer, before anything was played and after", async (t) => {
  const page = await open(t, { before: countAsked });
  await page.waitForTimeout(WRITTEN);
  assert.equal(await askedIn(page, 1_000), 0, "nothing was played");
  for (const name of PANELS) {
    const shown = panel(page, name);
    await shown.act("play");
    const asked = await askedIn(page, 1_500);
    // Two and a half ticks a second; not every frame.
    assert.ok(asked >= 2 && asked < 30, `${name} plays: it asked ${asked} times`);
    await shown.act("play");
    await page.waitForTimeout(WRITTEN);
    assert.equal(await askedIn(page, 1_000), 0, `${name} is paused`);
  }
});

test("panels that play where nobody sees them ask for nothing", async (t) => {
  const page = await open(t, { before: countAsked });
  for (const name of PANELS) await panel(page, name).act("play");
  await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" }));
  await page.waitForTimeout(WRITTEN);
  assert.equal(await panel(page, "dispatch").playing(), true);
  assert.equal(await askedIn(page, 1_000), 0, "scrolled away");
  await panel(page, "dispatch").root.scrollIntoViewIfNeeded();
  assert.ok((await askedIn(page, 1_500)) >= 2, "it goes on where it is seen");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.waitForTimeout(WRITTEN);
  assert.equal(await askedIn(page, 1_000), 0, "in a hidden tab");
});

// Plays a panel to its end, or that far, and starts it again, over and over.
function playOver(shown, ticks, times) {
  return shown.root.evaluate(
    async (root, [ticks, times]) => {
      const button = (act) => root.querySelector(`[data-act="${act}"]`);
      const isPlaying = () => button("play").getAttribute("aria-pressed") === "true";
      for (let time = 0; time < times; time += 1) {
        button("play").click();
        do await new Promise((resolve) => requestAnimationFrame(resolve));
        while (isPlaying() && Number(root.dataset.tick) < ticks);
        button("restart").click();
      }
    },
    [ticks, times],
  );
}

// 1,500 ticks are ten minutes at the usual pace.
for (const [name, ticks, times] of [
  ["dispatch", 50, 30],
  ["watermark", 50, 30],
  ["backpressure", 100, 15],
  ["rebalance", 25, 60],
]) {
  test(`ten minutes of ${name}, played over and over as fast as it goes, leave no more behind than one run`, async (t) => {
    const page = await open(t, {
      before: (page) => page.addInitScript(() => {
        const instantiate = WebAssembly.instantiateStreaming;
        WebAssembly.instantiateStreaming = async (...words) => {
          const made = await instantiate(...words);
          window.memory ??= made.instance.exports.memory;
          return made;
        };
      }),
    });
    const session = await page.context().newCDPSession(page);
    const left = async () => {
      for (let i = 0; i < 3; i += 1) await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
      return { nodes, jsEventListeners, script: usedSize, module: await page.evaluate(() => window.memory.buffer.byteLength) };
    };
    const shown = panel(page, name);
    // Out of sight nothing plays.
    await shown.root.evaluate((root) => root.scrollIntoView({ behavior: "instant" }));
    await shown.find('[data-knob="speed"]').selectOption({ label: "fastest" });
    await playOver(shown, ticks, 4);
    const before = await left();
    await playOver(shown, ticks, times);
    const after = await left();
    const told = `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
    // The allocator takes a page more now and then; what grows with the runs takes more than two.
    assert.ok(after.module <= before.module + 131_072, told);
    assert.ok(after.script < before.script + 500_000, told);
    assert.ok(after.nodes < before.nodes * 1.2 + 200, told);
    assert.ok(after.jsEventListeners < before.jsEventListeners * 1.2 + 50, told);
  });
}
