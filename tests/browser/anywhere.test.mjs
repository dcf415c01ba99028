// The page wherever it is: in the colours of the reader's choice, in somebody else's page, without a network, on
// paper; and under its own content security policy.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import test from "node:test";

import { PANELS, baseUrl, open, panel, serve } from "./harness/index.mjs";
import { dist } from "./harness/page.mjs";

const paper = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const DARK = "rgb(22, 23, 22)";
const LIGHT = "rgb(252, 251, 248)";

test("colours follow the system until the reader chooses, and the choice is remembered", async (t) => {
  const page = await open(t, { scheme: "dark" });
  const button = page.getByRole("button", { name: /^Colours:/ });
  assert.equal(await paper(page), DARK);
  assert.equal(await button.innerText(), "Colours: as the system");
  await button.click();
  assert.equal(await button.innerText(), "Colours: light");
  assert.equal(await paper(page), LIGHT);
  await page.reload();
  assert.equal(await paper(page), LIGHT, "before anything has run");
  await page.emulateMedia({ colorScheme: "light" });
  await button.click();
  assert.equal(await paper(page), DARK);
  await button.click();
  assert.equal(await paper(page), LIGHT);
  assert.equal(await page.evaluate(() => localStorage.getItem("theme")), null, "as the system is nothing to remember");
});

test("the chart on its canvas changes with the colours", async (t) => {
  const page = await open(t);
  const backpressure = panel(page, "backpressure");
  await backpressure.root.scrollIntoViewIfNeeded();
  await backpressure.set("timeline", 30);
  const canvas = () => backpressure.find(".chart canvas").evaluate((canvas) => canvas.toDataURL());
  const light = await canvas();
  const button = page.getByRole("button", { name: /^Colours:/ });
  await button.click();
  await button.click();
  await page.waitForFunction(
    ([selector, light]) => document.querySelector(selector).toDataURL() !== light,
    ['section.panel[data-panel="backpressure"] .chart canvas', light],
  );
});

for (const name of PANELS) {
  test(`${name} alone, in a frame as high as it is`, async (t) => {
    const host = await serve(await folderWith(t, `<!doctype html><title>host</title><link rel="icon" href="data:,">
      <iframe title="panel" width="700" height="50" src="${await baseUrl()}?panel=${name}#v=1&panel=${name}&tick=3"></iframe>
      <script>
        addEventListener("message", ({ data }) => {
          if (data?.type === "kwp-height") document.querySelector("iframe").height = data.height;
        });
      </script>`));
    t.after(() => host.close());
    const page = await open(t, { running: false });
    await page.goto(host.url);
    const frame = page.frameLocator("iframe");
    const shown = frame.locator(`section.panel[data-panel="${name}"]`);
    await frame.locator(`section.panel[data-tick="3"]`).waitFor();
    assert.equal(await frame.locator("section.panel").count(), 1, "one panel");
    assert.equal(await frame.locator(".masthead, .promise, .article p:not(.panel *)").filter({ visible: true }).count(), 0, "and none of the article");
    await page.waitForFunction(() => {
      const box = document.querySelector("iframe").getBoundingClientRect();
      return box.height > 200;
    });
    const [inner, outer] = [await shown.boundingBox(), await page.locator("iframe").boundingBox()];
    assert.ok(inner.y + inner.height <= outer.y + outer.height && inner.height > outer.height - 120, "it fits its frame");
    assert.match(await frame.locator(".embed-home a").getAttribute("href"), /#/);
  });
}

test("the HTML for a frame is copied with the run it shows", async (t) => {
  const page = await open(t, {
    before: (page, context) => context.grantPermissions(["clipboard-read", "clipboard-write"]),
  });
  const rebalance = panel(page, "rebalance");
  await rebalance.root.scrollIntoViewIfNeeded();
  await rebalance.set("drain", 2);
  await rebalance.find(".menu summary").click();
  await rebalance.act("copy-frame");
  await rebalance.find(".tools-said").waitFor();
  const html = await page.evaluate(() => navigator.clipboard.readText());
  const source = await page.evaluate((html) => {
    const frame = new DOMParser().parseFromString(html, "text/html").querySelector("iframe");
    return [frame.src, frame.title, Number(frame.height)];
  }, html);
  assert.match(source[0], /\?panel=rebalance#v=1&panel=rebalance&.*drain=2/);
  assert.equal(source[1], "Simulation: rebalance");
  assert.ok(source[2] > 300, String(source));
});

test("after the first visit the page works without a network, and an update never mixes versions", async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kwp-site-"));
  t.after(() => rm(folder, { recursive: true }));
  await cp(dist, folder, { recursive: true });
  const server = await serve(folder, "/some/where/");
  let closed = false;
  const close = async () => {
    if (!closed) await server.close();
    closed = true;
  };
  t.after(close);
  const page = await open(t, { running: false, allow: [/Failed to load resource/, /ERR_/] });
  const runs = () => page.locator('html[data-boot="running"]').waitFor();
  await page.goto(server.url);
  await runs();
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  await page.mouse.move(100, 100);
  await page.mouse.move(120, 100);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await runs();
  assert.notEqual(await page.evaluate(() => navigator.serviceWorker.controller), null);

  // A newer build: other words in the page, and a version of its own.
  const index = path.join(folder, "index.html");
  await writeFile(index, (await readFile(index, "utf8")).replace("The Keyed Worker Pool</h1>", "The Newer Pool</h1>"));
  const worker = path.join(folder, "sw.js");
  await writeFile(worker, (await readFile(worker, "utf8")).replace(/VERSION = "/, 'VERSION = "newer'));
  await page.reload();
  await runs();
  assert.equal(await page.locator("h1").innerText(), "The Keyed Worker Pool", "the version that is kept, whole");
  await page.mouse.move(100, 120);
  await page.mouse.move(100, 140);
  await page.locator(".newer button").click();
  await page.locator("h1", { hasText: "The Newer Pool" }).waitFor();
  await runs();
  const kept = await page.evaluate(() => caches.keys());
  assert.equal(kept.length, 1, `one version is kept: ${kept}`);

  await close();
  await page.goto(`${server.url}?anything#v=1&panel=rebalance&drain=2&tick=20`);
  await runs();
  const rebalance = panel(page, "rebalance");
  await rebalance.until((tick) => tick === 20, "a panel that was never opened before");
  assert.equal(await rebalance.counter("leaked"), 3);
});

test("every file that the page can ask for is kept", async () => {
  const worker = await readFile(path.join(dist, "sw.js"), "utf8");
  const files = JSON.parse(worker.match(/^const FILES = (.*);$/m)[1]);
  const there = (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dist, path.join(entry.parentPath, entry.name)))
    .filter((name) => name !== "sw.js")
    .map((name) => (name === "index.html" ? "./" : name));
  assert.deepEqual([...files].sort(), there.sort());
});

test("the page can be installed", async (t) => {
  const page = await open(t);
  const manifest = await page.evaluate(async () => (await fetch(document.querySelector("link[rel=manifest]").href)).json());
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate(async (src) => {
      const picture = await createImageBitmap(await (await fetch(src)).blob());
      return `${picture.width}x${picture.height}`;
    }, src);
    assert.equal(size, sizes, src);
  }
});

test("on paper: the panels as they stand, dark on light, and no controls", async (t) => {
  const page = await open(t, { scheme: "dark" });
  const rebalance = panel(page, "rebalance");
  await rebalance.root.scrollIntoViewIfNeeded();
  await rebalance.set("timeline", 20);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await paper(page), LIGHT);
  assert.equal(await rebalance.find(".transport").isVisible(), false);
  assert.equal(await rebalance.find(".bar").first().isVisible(), true);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 50_000);
});

test("on paper: the whole matrix, and what was not loaded says so and is there the next time", async (t) => {
  const page = await open(t, { width: 718, panels: [] });
  const place = page.locator("#panel-rebalance");
  assert.equal(await place.locator(".need").isVisible(), true);
  await page.emulateMedia({ media: "print" });
  assert.equal(await place.locator(".need").isVisible(), false);
  const word = (shown) => getComputedStyle(shown, "::after").content;
  assert.match(await place.locator(".still").evaluate(word), /Not loaded yet when this was printed/);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  for (const name of PANELS) await panel(page, name).root.waitFor({ state: "attached" });
  await page.locator(".proof-said").waitFor({ state: "attached" });
  const [table, cells] = await page.evaluate(() => {
    const { left, right } = document.querySelector(".proof").getBoundingClientRect();
    const wide = [...document.querySelectorAll(".proof td")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
    return [[left, right], wide.map((cell) => cell.innerText)];
  });
  assert.ok(table[0] >= 0 && table[1] <= 718, `${table}`);
  assert.deepEqual(cells, [], "words within their cells");
});

test("an address that asks for a panel that there is not gets the article, and a sentence", async (t) => {
  for (const name of ["nope", "consumer", ""]) {
    const page = await open(t, { path: `?panel=${name}`, panels: [] });
    const notice = page.locator("#page-notice");
    assert.match(await notice.innerText(), /no panel of that name: dispatch, watermark, backpressure and rebalance are/);
    await notice.getByRole("button", { name: "Close" }).click();
    assert.equal(await notice.count(), 0);
    assert.equal(await page.locator("h1").isVisible(), true);
  }
});

test("the policy lets nothing run that is not the page's own", async (t) => {
  const page = await open(t, { allow: [/Content Security Policy/] });
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.inline = true";
    document.body.append(script);
    // Later, because the debugger's own code may evaluate anything.
    const evaluated = await new Promise((resolve) => {
      setTimeout(() => {
        try {
          resolve(globalThis.eval("1") === 1);
        } catch {
          resolve(false);
        }
      });
    });
    const elsewhere = await fetch("http://127.0.0.1:1/").then(() => "answered", (error) => error.name);
    return [Boolean(window.inline), evaluated, elsewhere];
  });
  assert.deepEqual(ran.slice(0, 2), [false, false]);
  assert.equal(ran[2], "TypeError");
});

// A folder with one page in it.
async function folderWith(t, html) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "kwp-host-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, "index.html"), html);
  return folder;
}
