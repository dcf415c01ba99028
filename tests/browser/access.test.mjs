// Access for everyone, as far as a machine can judge it: axe finds nothing in any state of any panel, wide and light or
// narrow and dark.

import assert from "node:assert/strict";
import test from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { bring, open, panel, scenario } from "./harness/index.mjs";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// What a reader can bring a panel to. Each gets the page and its panels, and leads to one state.
const STATES = {
  "as it opens": async () => {},
  "in the middle of a run": async (page, panels) => {
    for (const shown of panels) await shown.set("timeline", 12);
  },
  "at the end of a run, with what went wrong": async (page, [dispatch, watermark, backpressure, rebalance]) => {
    await watermark.set("commit", "highest");
    for (const offset of [3, 5]) await watermark.find(`.wm-grid [data-offset="${offset}"]`).click();
    await watermark.act("crash");
    await backpressure.set("mode", "block");
    await rebalance.set("drain", 2);
    await rebalance.set("guard", "off");
    for (const shown of [dispatch, backpressure, rebalance]) {
      await shown.set("timeline", await shown.find('[data-knob="timeline"]').getAttribute("max"));
    }
  },
  "with events, a reason, and two futures": async (page, panels) => {
    const [dispatch, watermark, backpressure] = panels;
    await dispatch.set("timeline", await dispatch.find('[data-knob="timeline"]').getAttribute("max"));
    await dispatch.find(".fold summary").click();
    await dispatch.set("events-of", "Shared pool");
    await dispatch.find('[data-event] [data-act="why"]').first().click();
    await watermark.set("timeline", 1);
    await watermark.act("compare");
    await watermark.find('[data-future="new"] [data-offset="7"]').click();
    await backpressure.set("mode", "block");
  },
  "with a menu and the list of keys": async (page, [dispatch, watermark]) => {
    await watermark.find(".menu summary").click();
    await dispatch.root.focus();
    await page.keyboard.press("?");
  },
  "with a scenario that was brought": async (page) => {
    await bring(page, await scenario(38));
  },
};

// What axe finds in the page as it is, to be read by whoever mends it.
async function violations(page) {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  // A mark of a crowded timeline is small; the list of events leads to the same moments. And on a phone the
  // bar with play stays in sight, over whatever scrolls under it.
  const toldOtherwise = ({ target, any }) =>
    /\.mark\b|data-mark/.test(target.join(" ")) || any.some(({ message }) => message.includes("obscured"));
  const small = ({ id }, node) => id === "target-size" && toldOtherwise(node);
  for (const violation of violations) violation.nodes = violation.nodes.filter((node) => !small(violation, node));
  const told = violations.filter(({ nodes }) => nodes.length > 0).map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 4).map(({ target, any, all, none }) => {
      const why = [...any, ...all, ...none].map(({ message }) => message).join("; ");
      return `    ${target.join(" ")}\n      ${why}`;
    });
    return `${id}: ${help} (${nodes.length})\n${places.join("\n")}`;
  });
  return told.join("\n");
}

// What can be tapped and is smaller than a finger, but for links in a line of text and what a larger label stands for.
function narrow() {
  const found = new Set();
  for (const one of document.querySelectorAll("a, button, input, select, textarea, summary")) {
    const { display, pointerEvents } = getComputedStyle(one);
    const inLine = display === "inline" && one.closest("p, li, td, figcaption");
    if (inLine || pointerEvents === "none" || !one.checkVisibility() || one.matches(".visually-hidden")) continue;
    const { width, height } = (one.closest("label") ?? one).getBoundingClientRect();
    // To the pixel: an edge may lie between two.
    if (width > 0 && Math.min(width, height) < 43.5) {
      found.add(`${one.tagName}.${one.className} ${one.dataset.act ?? one.dataset.knob ?? one.textContent}: ${width} x ${height}`);
    }
  }
  return [...found].join("\n");
}

test("what can be tapped is as large as a finger", async (t) => {
  const page = await open(t, { width: 360, touch: true });
  await panel(page, "dispatch").set("timeline", 30);
  await panel(page, "dispatch").find(".fold summary").click();
  await page.locator("#panel-consumer").scrollIntoViewIfNeeded();
  await page.locator(".consumer").waitFor();
  assert.equal(await page.evaluate(narrow), "");
});

for (const [scheme, width] of [["light", 1280], ["dark", 360]]) {
  for (const [state, lead] of Object.entries(STATES)) {
    test(`axe finds nothing: ${state}, ${scheme}, ${width} px`, async (t) => {
      const page = await open(t, { width, scheme, touch: width < 500 });
      await lead(page, ["dispatch", "watermark", "backpressure", "rebalance"].map((name) => panel(page, name)));
      assert.equal(await violations(page), "");
    });
  }
}

for (const [scheme, width] of [["light", 1280], ["dark", 360]]) {
  test(`the report on the real client, and where its links lead: ${scheme}, ${width} px`, async (t) => {
    const page = await open(t, { width, scheme });
    await page.locator(".checked a").first().click();
    await page.getByRole("heading", { level: 1, name: "Against the real client" }).waitFor();
    assert.equal(await violations(page), "");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const links = await page.locator("main a").evaluateAll((links) => [...new Set(links.map(({ href }) => href))]);
    assert.ok(links.length > 10, `${links}`);
    for (const link of links) assert.ok((await page.request.get(link)).ok(), link);
  });
}
