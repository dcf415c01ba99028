// The page as such: it starts, wherever it is hosted, and it says so when it cannot.

import assert from "node:assert/strict";
import test from "node:test";

import { open, panel } from "./harness/index.mjs";

const MOUNTS = ["#panel-dispatch", "#panel-watermark", "#panel-backpressure", "#panel-rebalance"];

// Every mount point shows a notice of this kind, with a button that reloads.
async function assertNotices(page, word, sentence) {
  for (const mount of MOUNTS) {
    const notice = page.locator(`${mount} .boot-notice[data-boot="${word}"]`);
    await notice.waitFor();
    assert.match(await notice.innerText(), sentence);
    assert.ok(await notice.getByRole("button", { name: "Reload the opening state" }).isVisible());
  }
}

async function assertReloads(page) {
  await Promise.all([page.waitForEvent("load"), page.locator("[data-act=reload]").first().click()]);
  await page.locator("html[data-boot=running]").waitFor({ state: "attached" });
  assert.equal(await page.locator(".boot-notice").count(), 0);
  assert.equal(new URL(page.url()).hash, "");
}

test("the page starts without a word in the console", async (t) => {
  const page = await open(t);
  await panel(page, "dispatch").root.waitFor({ state: "attached" });
  // Longer than Chromium waits before it warns of a preload that nothing used.
  await page.waitForTimeout(4000);
});

test("the page starts under any path of a host", async (t) => {
  const page = await open(t, { prefix: "/some/path/" });
  await panel(page, "dispatch").root.waitFor({ state: "attached" });
});

test("a module that does not load is told in every panel's place", async (t) => {
  let lost = true;
  const page = await open(t, {
    path: "#from-a-link",
    running: false,
    allow: [/ERR_FAILED/, /Failed to fetch/],
    before: (page) => page.route("**/*.wasm", (route) => (lost ? route.abort() : route.continue())),
  });
  await assertNotices(page, "unloaded", /could not be loaded/);
  lost = false;
  await assertReloads(page);
});

test("glue that is missing on the host is told in every panel's place", async (t) => {
  const page = await open(t, {
    running: false,
    allow: [/404/, /Failed to fetch/],
    before: (page) => page.route(/kwp-[0-9a-f]+\.js/, (route) => route.fulfill({ status: 404 })),
  });
  await assertNotices(page, "unloaded", /could not be loaded/);
});

test("a browser without WebAssembly is told so in every panel's place", async (t) => {
  const page = await open(t, {
    running: false,
    before: (page) => page.addInitScript(() => delete globalThis.WebAssembly),
  });
  await assertNotices(page, "unsupported", /needs WebAssembly/);
});

for (const [how, provoke] of [
  ["an event", (trap) => setTimeout(trap)],
  ["a promise", (trap) => Promise.resolve().then(trap)],
]) {
  test(`a module that stops later, in ${how}, is told in every panel's place`, async (t) => {
    const page = await open(t, { path: "#from-a-link", allow: [/unreachable/] });
    await page.evaluate(`(${provoke})(() => {
      // (module (func (export "trap") unreachable))
      const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0,
        10, 5, 1, 3, 0, 0, 11];
      new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.trap();
    }), null`);
    await assertNotices(page, "stopped", /a fault of its own/);
    await assertReloads(page);
  });
}

test("the article reads without script", async (t) => {
  const page = await open(t, {
    running: false,
    allow: [/ERR_FAILED/],
    before: (page) => page.route("**/*.js", (route) => route.abort()),
  });
  assert.match(await page.locator("h1").innerText(), /./);
  assert.ok(await page.locator("p").first().isVisible());
});

test("the places of the panels are as high as the panels, so that nothing jumps when they mount", async (t) => {
  for (const width of [320, 360, 414, 640, 768, 1024, 1280]) {
    const page = await open(t, { width, height: 900 });
    for (const mount of MOUNTS) {
      const lacking = await page.locator(mount).evaluate((place) => {
        const panel = place.querySelector(".panel");
        const reserved = parseFloat(getComputedStyle(place).minHeight);
        panel.style.minHeight = "0";
        return panel.getBoundingClientRect().height / reserved - 1;
      });
      // Fonts differ from system to system, by a little.
      assert.ok(lacking <= 0.05, `${mount} at ${width} px takes ${Math.round(100 * lacking)} % more than its place`);
    }
  }
});

// The matrix comes when a reader is near.
async function matrix(page) {
  await page.locator("#proof").scrollIntoViewIfNeeded();
  await page.locator("#proof .proof").waitFor();
  return page.locator(".proof td a");
}

// A cell of the matrix: the promise it breaks, the tick, and the panel that shows it.
async function example(page, cell) {
  const [promise, link] = [await cell.getAttribute("data-promise"), await cell.getAttribute("href")];
  const fields = new URLSearchParams(link.slice(1));
  return { promise, tick: fields.get("tick") ?? "0", shown: page.locator(`.panel[data-panel="${fields.get("panel")}"]`) };
}

test("every example of the matrix opens in its panel, which says that the promise is broken since that tick", async (t) => {
  const page = await open(t);
  const cells = await matrix(page);
  const count = await cells.count();
  assert.ok(count >= 24, `${count} examples`);
  const seen = new Set();
  for (let nth = 0; nth < count; nth += 1) {
    await cells.nth(nth).click();
    const { promise, tick, shown } = await example(page, cells.nth(nth));
    seen.add(promise);
    // Of two runs the first is the example; the other is there to be compared with.
    const run = shown.locator(".judged-run").first();
    const badge = run.locator(`[data-invariant="${promise}"][data-state="broken"][data-since="${tick}"]`);
    await badge.waitFor().catch(() => assert.fail(`example ${nth} shows no break of: ${promise}`));
    assert.equal(await shown.getAttribute("data-tick"), tick, promise);
    assert.ok(await shown.locator('[data-act="own"]').isVisible());
  }
  assert.equal(seen.size, 14);
  assert.equal(await page.locator("#page-notice").count(), 0);
});

test("a link of the matrix leads to its panel each time it is followed, and the keys go on there", async (t) => {
  const page = await open(t);
  const cell = (await matrix(page)).nth(1);
  const { tick, shown } = await example(page, cell);
  const isThere = async (how) => {
    await shown.and(page.locator(`[data-tick="${tick}"]`)).waitFor();
    const at = await shown.evaluate((panel) => [panel === document.activeElement, panel.getBoundingClientRect().top]);
    assert.equal(at[0], true, `${how}: the panel has the focus`);
    assert.ok(at[1] > -200 && at[1] < 900, `${how}: the panel is in view`);
  };
  await cell.click();
  await isThere("a click");
  await cell.click();
  await isThere("the same click again");
  await cell.focus();
  await page.keyboard.press("Enter");
  await isThere("Enter");
  await page.keyboard.press("ArrowRight");
  await shown.and(page.locator(`[data-tick="${Number(tick) + 1}"]`)).waitFor();
  // Before the address is written, and after.
  await cell.click();
  await isThere("a click, a tick later");
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(600);
  await cell.click();
  await isThere("a click, when the address has gone on");
});

test("all numbers of a cell stand below the matrix, for fingers and for keys", async (t) => {
  const page = await open(t, { width: 390, touch: true, panels: [] });
  await matrix(page);
  const said = page.locator(".proof-said");
  assert.match(await said.innerText(), /^Tap a cell/);
  const cells = page.locator(".proof tbody tr").first().locator("td");
  await cells.first().tap();
  assert.match(await said.innerText(), /: one key, one worker: cannot break, [\d,]+ states exhausted, [\d,]+ random runs\.$/);
  assert.ok(await said.evaluate((line) => line.getBoundingClientRect().bottom <= innerHeight), "in sight");
  await page.keyboard.press("End");
  assert.match(await said.innerText(), /what stays with its owner is not revoked: not asked, it takes /);
  assert.equal(await cells.last().evaluate((cell) => cell === document.activeElement), true);
  // All the way down, past cells with a link: each says what its title says.
  await page.keyboard.press("Home");
  const rows = await page.locator(".proof tbody tr").count();
  for (let row = 1; row < rows; row += 1) {
    await page.keyboard.press("ArrowDown");
    const title = await page.evaluate(() => document.activeElement.title);
    assert.ok(title.startsWith("one key, one worker: "), title);
    assert.ok((await said.innerText()).endsWith(`${title}.`), `row ${row}`);
  }
});

test("at the end of a run that gets nowhere, the panel says what is left", async (t) => {
  const page = await open(t);
  await matrix(page);
  const links = page.locator(".proof th small a");
  const sentences = [];
  for (let nth = 0; nth < (await links.count()); nth += 1) {
    await links.nth(nth).click();
    const { tick, shown } = await example(page, links.nth(nth));
    await shown.and(page.locator(`[data-tick="${tick}"]`)).waitFor();
    await page.keyboard.press("End");
    await shown.and(page.locator(`:not([data-tick="${tick}"])`)).waitFor();
    sentences.push(await shown.locator(".sentence-text").innerText());
  }
  const told = (what) => sentences.filter((sentence) => sentence.includes(`Nothing more happens by itself: ${what}`)).length;
  assert.ok(told("1 record on a worker never ends") >= 1, `${sentences}`);
  assert.ok(told("2 records wait for ever.") >= 1, `${sentences}`);
});
