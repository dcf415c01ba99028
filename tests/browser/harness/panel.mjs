// A panel as a reader uses it: its buttons are clicked, its knobs turned, its numbers read off the page.
//
// What a panel's markup promises (the other side of it is src/web):
//
//   <section class="panel" data-panel="dispatch|watermark|backpressure|rebalance" data-tick="CURRENT TICK">
//   [data-act="play|step|back|restart|crash|..."]     a button; play carries aria-pressed="true|false"
//   [data-knob="workers|routing|..."]                 an input (range, number, checkbox), a select, or for a
//                                                     choice several radios or buttons with values
//   [data-counter="order-breaks|..."] data-value      the plain number behind what is shown
//   [data-invariant="THE SENTENCE"]
//       data-state="kept|broken" data-since="TICK"    since when it is broken
//
// Add to this list what the tests of a panel need; name what it is, not how it looks.

import assert from "node:assert/strict";

export const PANELS = ["dispatch", "watermark", "backpressure", "rebalance"];

// Brings panels near, as somebody who scrolls does, and goes back to where the reader was.
export async function approach(page, panels) {
  // A panel that a link names is scrolled to when the link is read.
  await page.locator("section.panel").first().waitFor({ state: "attached" });
  const at = await page.evaluate(() => scrollY);
  for (const name of panels) {
    const there = page.locator(`section.panel[data-panel="${name}"]`);
    if (await there.count()) continue;
    await page.locator(`#panel-${name}`).evaluate((place) => place.scrollIntoView({ behavior: "instant" }));
    await there.waitFor({ state: "attached" });
  }
  await page.evaluate((top) => scrollTo({ top, behavior: "instant" }), at);
}

export function panel(page, name) {
  return new Panel(page, name);
}

class Panel {
  constructor(page, name) {
    this.page = page;
    this.name = name;
    // Words of the prose carry data-panel too.
    this.root = page.locator(`section.panel[data-panel="${name}"]`);
  }

  // A locator within the panel.
  find(selector) {
    return this.root.locator(selector);
  }

  async tick() {
    return Number(await this.root.getAttribute("data-tick"));
  }

  // Clicks the button of an act, or taps it on a touch screen.
  async act(name, { touch = false } = {}) {
    const button = this.find(`[data-act="${name}"]`).first();
    await (touch ? button.tap() : button.click());
  }

  // One tick forward, n times; each is awaited.
  async step(n = 1) {
    for (let i = 0; i < n; i += 1) await this.#move("step", 1);
  }

  // One tick back, n times.
  async back(n = 1) {
    for (let i = 0; i < n; i += 1) await this.#move("back", -1);
  }

  async #move(act, by) {
    const tick = (await this.tick()) + by;
    await this.act(act);
    await this.until((now) => now === tick, `${act} leads to tick ${tick}`);
  }

  async restart() {
    await this.act("restart");
    await this.until((now) => now === 0, "restart leads to tick 0");
  }

  // Plays until a tick has come (it may be a few later), then pauses.
  async playUntil(tick, { timeout = 20_000 } = {}) {
    if (!(await this.playing())) await this.act("play");
    await this.until((now) => now >= tick, `playing reaches tick ${tick}`, timeout);
    if (await this.playing()) await this.act("play");
  }

  async playing() {
    return (await this.find('[data-act="play"]').first().getAttribute("aria-pressed")) === "true";
  }

  // Waits until the current tick fulfils a condition.
  async until(condition, what, timeout = 5_000) {
    const end = Date.now() + timeout;
    let now = await this.tick();
    while (!condition(now)) {
      assert.ok(Date.now() < end, `${this.name}: ${what}; it is at tick ${now}`);
      await this.page.waitForTimeout(10);
      now = await this.tick();
    }
  }

  async counter(name) {
    const value = await this.find(`[data-counter="${name}"]`).first().getAttribute("data-value");
    assert.ok(value !== null && value.trim() !== "", `${this.name}: the counter ${name} has a data-value`);
    return Number(value);
  }

  // All counters by name.
  async counters() {
    const pairs = await this.find("[data-counter]").evaluateAll((found) =>
      found.map((counter) => [counter.dataset.counter, Number(counter.dataset.value)]),
    );
    return Object.fromEntries(pairs);
  }

  // All badges by sentence: { state: "kept" | "broken", since: tick or null }.
  async invariants() {
    const pairs = await this.find("[data-invariant]").evaluateAll((found) =>
      found.map(({ dataset }) => [
        dataset.invariant,
        { state: dataset.state, since: dataset.since ? Number(dataset.since) : null },
      ]),
    );
    return Object.fromEntries(pairs);
  }

  // The sentences of the broken ones.
  async broken() {
    const badges = Object.entries(await this.invariants());
    return badges.filter(([, badge]) => badge.state === "broken").map(([sentence]) => sentence);
  }

  // Sets a knob, whatever kind of control it is.
  async set(knob, value) {
    const controls = this.find(`[data-knob="${knob}"]`);
    const control = controls.first();
    const kind = await control.evaluate((found) => found.type ?? found.tagName.toLowerCase());
    if (kind === "checkbox") return control.setChecked(Boolean(value));
    if (kind.startsWith("select")) return control.selectOption(String(value));
    if (kind === "radio" || kind === "button") {
      return this.find(`[data-knob="${knob}"][value="${value}"]`).click();
    }
    return control.fill(String(value));
  }

  // A knob's value as the control has it.
  async knob(knob) {
    const chosen = this.find(`[data-knob="${knob}"]:checked, [data-knob="${knob}"][aria-pressed="true"]`);
    if (await chosen.count()) return chosen.first().getAttribute("value");
    return this.find(`[data-knob="${knob}"]`).first().inputValue();
  }
}
