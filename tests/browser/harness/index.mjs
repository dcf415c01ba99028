// What the browser tests share. A test reads:
//
//   import assert from "node:assert/strict";
//   import test from "node:test";
//   import { open, panel } from "./harness/index.mjs";
//
//   test("keyed mailboxes keep order", async (t) => {
//     const page = await open(t);                      // fails the test on any console error or warning
//     const dispatch = panel(page, "dispatch");
//     await dispatch.set("routing", "keyed");
//     await dispatch.playUntil(20);
//     assert.equal(await dispatch.counter("order-breaks"), 0);
//   });
//
// `cargo xtask test browser` builds the site, finds Chromium and runs every *.test.mjs in this folder. By hand:
// `DIST=/path/to/dist CHROME=/path/to/chromium node --test` here, after `npm ci`.

export { kwp } from "./kwp.mjs";
export { baseUrl, open } from "./page.mjs";
export { PANELS, approach, panel } from "./panel.mjs";
export { bring, scenario } from "./scenario.mjs";
export { serve } from "./server.mjs";
export { swipe } from "./touch.mjs";
