// Screenshots of the built page, to look at: the whole page and each panel, at several widths and schemes.
//
//   node tests/browser/shots.mjs --out DIR [options]        (after `cargo xtask build`)
//
//   --panel NAME       only this panel, and no full page; may be repeated
//   --steps N          steps each panel N ticks first
//   --set KNOB=VALUE   turns a knob first, in the panels that have it; may be repeated
//   --act NAME         presses a button after the steps (crash, say), in the panels that have it; may be repeated
//   --width W,W        viewport widths (360,768,1280); below 600 the page is a phone's, with touch
//   --scheme S,S       colour schemes (light,dark)
//   --scale N          device pixels per CSS pixel (1)
//   --dist DIR         the built site (dist)
//   --url URL          a served page instead of the built site
//
// Prints each file that it writes, and whatever the page's console complains about.

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { guard, launch } from "./harness/browser.mjs";
import { PANELS, approach, panel } from "./harness/panel.mjs";
import { serve } from "./harness/server.mjs";

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    panel: { type: "string", multiple: true },
    steps: { type: "string", default: "0" },
    set: { type: "string", multiple: true, default: [] },
    act: { type: "string", multiple: true, default: [] },
    width: { type: "string", default: "360,768,1280" },
    scheme: { type: "string", default: "light,dark" },
    scale: { type: "string", default: "1" },
    dist: { type: "string", default: fileURLToPath(new URL("../../dist", import.meta.url)) },
    url: { type: "string" },
  },
});
if (!options.out) {
  console.error("--out DIR is missing; see the top of this file");
  process.exit(2);
}

const site = options.url ? { url: options.url, close: () => {} } : await serve(options.dist);
const browser = await launch();
await mkdir(options.out, { recursive: true });
try {
  for (const width of options.width.split(",").map(Number)) {
    for (const scheme of options.scheme.split(",")) await shoot(width, scheme);
  }
} finally {
  await browser.close();
  await site.close();
}

async function shoot(width, scheme) {
  const phone = width < 600;
  const context = await browser.newContext({
    viewport: { width, height: phone ? 780 : 900 },
    deviceScaleFactor: Number(options.scale),
    colorScheme: scheme,
    hasTouch: phone,
    isMobile: phone,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(5_000);
  const complaints = guard(page);
  await page.goto(site.url);
  await page.locator("html:is([data-boot=running], [data-boot=stopped], [data-boot=unloaded])").waitFor();
  await approach(page, options.panel ?? PANELS).catch((error) => console.log(`(not all panels came: ${error.message})`));
  for (const name of options.panel ?? PANELS) {
    const shown = panel(page, name);
    if (!(await shown.root.isVisible())) {
      console.log(`(no panel ${name} to be seen)`);
      continue;
    }
    await prepare(shown).catch((error) => console.log(`(${name}: ${error.message.split("\n")[0]})`));
    await page.waitForTimeout(500);
    await shown.root.scrollIntoViewIfNeeded();
    // As tall as the panel, or its transport would stand where the window ends.
    const { height } = await shown.root.boundingBox();
    await page.setViewportSize({ width, height: Math.ceil(Math.max(height + 80, page.viewportSize().height)) });
    await write(shown.root, `${name}-${width}-${scheme}.png`);
  }
  if (!options.panel) {
    await page.evaluate(() => window.scrollTo(0, 0));
    await write(page, `page-${width}-${scheme}.png`, { fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) console.log(`(at ${width} px the page is ${overflow} px too wide)`);
  }
  for (const complaint of new Set(complaints)) console.log(`(console: ${complaint})`);
  await context.close();
}

async function prepare(shown) {
  for (const setting of options.set) {
    const [knob, value] = setting.split("=");
    if (await shown.find(`[data-knob="${knob}"]`).count()) await shown.set(knob, value);
  }
  await shown.step(Number(options.steps));
  for (const act of options.act) {
    if (await shown.find(`[data-act="${act}"]`).count()) await shown.act(act);
  }
}

async function write(target, name, how = {}) {
  const file = path.join(options.out, name);
  // Taking a tall element resizes the view, which may set something moving: show it where it comes to rest.
  await target.screenshot({ path: file, animations: "disabled", ...how });
  console.log(file);
}
