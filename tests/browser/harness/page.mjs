// One Chromium and one server for all tests of a file, a fresh context for each test, and the guard: a test in
// whose page anything is logged as an error or a warning, thrown, or not found, fails.

import assert from "node:assert/strict";
import path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

import { guard, launch } from "./browser.mjs";
import { PANELS, approach } from "./panel.mjs";
import { serve } from "./server.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

// The built site: DIST, or the repository's dist/.
export const dist = path.resolve(process.env.DIST || path.join(here, "../../../dist"));

const started = { servers: new Map(), browser: null };

// The address of the built site under a path, from a server that ends with the tests.
export async function baseUrl(prefix = "/") {
  if (!started.servers.has(prefix)) started.servers.set(prefix, serve(dist, prefix));
  return (await started.servers.get(prefix)).url;
}

after(async () => {
  await (await started.browser)?.close();
  for (const server of started.servers.values()) await (await server).close();
});

// Opens the page in a fresh context that lasts as long as the test `t`. Options, all of them optional:
//
//   width, height  of the viewport in CSS pixels (1280 x 900)
//   touch          a touch screen (false)
//   scale          device pixels per CSS pixel (1)
//   scheme         "light" or "dark" ("light")
//   motion         "no-preference" or "reduce" ("reduce": drawings rest at once; ask for motion to test it)
//   path           what follows the site's address: "?query#fragment" ("")
//   prefix         the path that the site is hosted under ("/")
//   allow          patterns of console messages that the test provokes ([])
//   running        wait until the module runs (true)
//   panels         the panels to approach, so that they are there: most tests are about one that is (all of them)
//   before         async (page, context) => ..., called before the page is opened: routes, init scripts
export async function open(t, options = {}) {
  const { width = 1280, height = 900, touch = false, scale = 1, scheme = "light", motion = "reduce" } = options;
  const { path: rest = "", prefix = "/", allow = [], running = true, panels = PANELS, before } = options;
  started.browser ??= launch();
  const context = await (await started.browser).newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    hasTouch: touch,
    isMobile: touch,
    colorScheme: scheme,
    reducedMotion: motion,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const messages = guard(page);
  t.after(async () => {
    await context.close();
    const unexpected = messages.filter((message) => !allow.some((pattern) => pattern.test(message)));
    assert.deepEqual(unexpected, [], "the page's console is silent");
  });
  if (before) await before(page, context);
  await page.goto((await baseUrl(prefix)) + rest);
  if (!running) return page;
  await page.locator("html[data-boot=running]").waitFor({ state: "attached" });
  await approach(page, panels);
  return page;
}
