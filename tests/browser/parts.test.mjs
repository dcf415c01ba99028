// The page comes in parts: the first view loads what it shows, the rest when the reader comes near it or asks for it,
// and a part that cannot be had says so in its place.

import assert from "node:assert/strict";
import test from "node:test";

import { PANELS, approach, open, panel } from "./harness/index.mjs";

const LATER = PANELS.filter((name) => name !== "dispatch");

// Notes which files a page asks for, by the beginnings of their names.
function noting(asked) {
  return (page) => page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1)));
}

const wasm = (asked) => asked.filter((name) => name.endsWith(".wasm"));

for (const [width, height] of [
  [1280, 800],
  [360, 740],
]) {
  test(`at ${width} by ${height} the first view loads one module, no style sheet of a later panel, and plays`, async (t) => {
    const asked = [];
    const page = await open(t, { width, height, panels: [], before: noting(asked) });
    await page.waitForLoadState("networkidle");
    assert.deepEqual(await page.locator("section.panel").evaluateAll((all) => all.map(({ dataset }) => dataset.panel)), ["dispatch"]);
    assert.equal(wasm(asked).length, 1, asked.join(" "));
    for (const name of LATER) assert.ok(!asked.some((file) => file.startsWith(name)), `${name} is not asked for`);
    await panel(page, "dispatch").playUntil(3);
  });
}

test("each panel comes with its own files when the reader comes near, once", async (t) => {
  const asked = [];
  const page = await open(t, { panels: [], before: noting(asked) });
  for (const name of LATER) {
    asked.length = 0;
    await approach(page, [name]);
    assert.equal(asked.filter((file) => file.startsWith(`split_${name}-`)).length, 1, asked.join(" "));
    assert.equal(asked.filter((file) => file.startsWith(`${name}-`) && file.endsWith(".css")).length, 1);
    for (const other of LATER.filter((other) => other !== name)) {
      assert.ok(!asked.some((file) => file.startsWith(`split_${other}-`)), `${other} waits for its turn`);
    }
  }
  asked.length = 0;
  await approach(page, PANELS);
  assert.deepEqual(wasm(asked), []);
});

test("a panel whose file is lost says so, keeps its still picture, and comes when it is tried again", async (t) => {
  let lost = true;
  const page = await open(t, {
    panels: [],
    allow: [/ERR_FAILED/, /Failed to fetch/],
    before: (page) => page.route("**/split_watermark-*.wasm", (route) => (lost ? route.abort() : route.continue())),
  });
  const place = page.locator("#panel-watermark");
  await place.scrollIntoViewIfNeeded();
  const notice = place.locator('[role=alert][data-boot="unloaded"]');
  await notice.waitFor();
  assert.match(await notice.innerText(), /could not be loaded/);
  assert.ok(await place.locator(".still").isVisible());
  await notice.getByRole("button", { name: "Try again" }).click();
  await notice.waitFor();
  lost = false;
  await notice.getByRole("button", { name: "Try again" }).click();
  await panel(page, "watermark").root.waitFor();
  assert.equal(await notice.count(), 0);
  await panel(page, "watermark").step();
});

test("what is done with a run besides playing it comes when it is asked for, or says that it does not", async (t) => {
  let lost = true;
  const page = await open(t, {
    panels: [],
    allow: [/ERR_FAILED/, /Failed to fetch/],
    before: (page) => page.route("**/split_desk-*.wasm", (route) => (lost ? route.abort() : route.continue())),
  });
  const dispatch = panel(page, "dispatch");
  await dispatch.step(2);
  const events = dispatch.find('[data-fold="events"]');
  await events.locator("summary").click();
  await events.locator('[data-act="again"]').waitFor();
  assert.match(await events.innerText(), /could not be loaded/);
  await dispatch.act("copy-link");
  await dispatch.find(".tools-said").filter({ hasText: "could not be loaded" }).waitFor();
  lost = false;
  await events.locator('[data-act="again"]').click();
  await events.locator(".event").first().waitFor();
  await dispatch.step();
  await page.waitForFunction(() => location.hash.includes("tick=3"));
});

test("a link brings the panels that it names, wherever they are, and no other", async (t) => {
  const page = await open(t, { panels: [], path: "#v=1&panel=rebalance&tick=4" });
  const rebalance = panel(page, "rebalance");
  await rebalance.root.waitFor();
  assert.equal(await rebalance.tick(), 4);
  assert.equal(await panel(page, "watermark").root.count(), 0);
});

test("a link that nobody can read for want of a file opens the page as it opens, and says so", async (t) => {
  const page = await open(t, {
    panels: ["dispatch"],
    path: "#v=1&panel=dispatch&tick=4",
    allow: [/ERR_FAILED/, /Failed to fetch/],
    before: (page) => page.route("**/split_desk-*.wasm", (route) => route.abort()),
  });
  assert.match(await page.locator("#page-notice").innerText(), /could not be loaded/);
  assert.equal(await panel(page, "dispatch").tick(), 0);
});
