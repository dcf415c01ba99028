// Access for everyone, as far as a machine can judge it: axe finds nothing in any state of any panel, wide and light or
// narrow and dark.

import assert from "node:assert/strict";
import test from "node:test";

import { AxeBuilder } from "@axe-core/playwright";

import { PANELS, bring, open, panel, scenario } from "./harness/index.mjs";

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
  await page.locator("#proof").scrollIntoViewIfNeeded();
  await page.locator(".proof").waitFor();
  assert.equal(await page.evaluate(narrow), "");
});

test("the cells of the watermark are as large as a finger on the narrowest screen", async (t) => {
  const page = await open(t, { path: "?panel=watermark", panels: ["watermark"], width: 320, touch: true });
  const sizes = await page.locator(".wm-grid .chip").evaluateAll((cells) =>
    cells.map((cell) => cell.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height)),
  );
  assert.equal(sizes.length, 48);
  assert.ok(Math.min(...sizes) >= 44, `${Math.min(...sizes)}`);
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

for (const [scheme, width] of [["light", 1280], ["dark", 360]]) {
  test(`axe finds nothing in a panel alone: ${scheme}, ${width} px`, async (t) => {
    for (const name of PANELS) {
      const page = await open(t, { path: `?panel=${name}`, panels: [name], width, scheme });
      assert.equal(await violations(page), "", name);
      await page.close();
    }
  });

  test(`axe finds nothing in the matrix, alone or in the article: ${scheme}, ${width} px`, async (t) => {
    const page = await open(t, { path: "proof.html", running: false, width, scheme, touch: width < 500 });
    await page.locator(".proof-said").waitFor();
    assert.equal(await violations(page), "");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.locator(".proof td a").first().click();
    await page.locator("section.panel").first().waitFor();
    assert.match(page.url(), /\/#v=1&panel=/);
    await page.locator("#proof").evaluate((proof) => proof.scrollIntoView({ behavior: "instant" }));
    await page.locator("#proof .proof-said").waitFor();
    assert.equal(await violations(page), "");
  });
}

test("planned attempts are drawn as strongly as a drawing must be", async (t) => {
  for (const scheme of ["light", "dark"]) {
    const page = await open(t, { path: "?panel=rebalance", panels: ["rebalance"], scheme });
    const least = await page.evaluate(() => {
      // Colours as a canvas paints them, in whichever space they are written.
      const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const light = (colour) => {
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) => {
          const part = value / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const paper = light(getComputedStyle(document.querySelector(".panel")).backgroundColor);
      const bars = [...document.querySelectorAll('.bar[data-state="ahead"]')];
      const edges = bars.map((bar) => light(getComputedStyle(bar, "::before").borderTopColor));
      return Math.min(...edges.map((edge) => (Math.max(edge, paper) + 0.05) / (Math.min(edge, paper) + 0.05)));
    });
    assert.ok(least >= 3 && least < 21, `${scheme}: ${least}`);
  }
});
