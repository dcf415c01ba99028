// Measures how high each panel is at its opening, and prints the table of www/style.css that keeps its place.
//
//   node tests/browser/places.mjs [--dist DIR]        (after `cargo xtask build`)
//
// Within a step of widths the highest counts; a test (page.test.mjs) checks what the page then reserves.

import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { launch } from "./harness/browser.mjs";
import { PANELS, approach } from "./harness/panel.mjs";
import { serve } from "./harness/server.mjs";

const { values: options } = parseArgs({
  options: { dist: { type: "string", default: fileURLToPath(new URL("../../dist", import.meta.url)) } },
});

// In rem: where a drawing changes its shape.
const STEPS = [20, 22.5, 25.5, 30, 34.5, 40, 43.5, 48, 52, 56, 64, 68, 80];
const REM = 16;

const site = await serve(options.dist);
const browser = await launch();
try {
  const page = await browser.newPage();
  for (const [at, from] of STEPS.entries()) {
    const to = STEPS[at + 1] ?? from + 2;
    const highest = Object.fromEntries(PANELS.map((name) => [name, 0]));
    for (let width = from * REM; width < to * REM; width += 24) {
      for (const [name, height] of Object.entries(await heights(page, Math.round(width)))) {
        highest[name] = Math.max(highest[name], height);
      }
    }
    const values = PANELS.map((name) => `--mount-${name}: ${Math.ceil((2 * highest[name]) / REM) / 2}rem;`).join(" ");
    console.log(at === 0 ? `:root { ${values} }` : `@media (min-width: ${from}rem) { :root { ${values} } }`);
  }
} finally {
  await browser.close();
  await site.close();
}

async function heights(page, width) {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(site.url);
  await page.locator("html[data-boot=running]").waitFor({ state: "attached" });
  await approach(page, PANELS);
  return page.evaluate(() => {
    const panels = [...document.querySelectorAll("section.panel")];
    for (const panel of panels) panel.style.minHeight = "0";
    return Object.fromEntries(panels.map((panel) => [panel.dataset.panel, panel.getBoundingClientRect().height]));
  });
}
