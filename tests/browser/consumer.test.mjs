// "Your consumer", as an engineer uses it: a file of one's own, settings, answers, files to take away; and that its
// numbers are those of the command line.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import test from "node:test";

import AxeBuilder from "@axe-core/playwright";

import { kwp, open } from "./harness/index.mjs";

const QUESTIONS = ["workers", "marks", "drain", "crash", "quarantine"];
const PATIENCE = 240_000;
const root = fileURLToPath(new URL("../..", import.meta.url));

// Opens the page at the section, and notes every long task from then on.
async function consumer(t, options = {}) {
  const page = await open(t, { panels: [], ...options });
  await page.locator("#panel-consumer").evaluate((place) => place.scrollIntoView({ behavior: "instant" }));
  const section = page.locator(".consumer");
  await section.waitFor();
  return { page, section };
}

async function folder(t) {
  const made = await mkdtemp(path.join(tmpdir(), "kwp-consumer-"));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

const source = (section, name) => section.locator(`label:has([data-knob=source][value=${name}])`);

async function fill(section, knob, text) {
  const field = section.locator(`[data-knob="${knob}"]`);
  await field.fill(text);
  await field.blur();
}

async function records(section, count) {
  await section.locator(`.consumer-understood[data-records="${count}"]`).waitFor();
}

async function answered(section) {
  await section.locator("[data-act=size]").click();
  for (const question of QUESTIONS) {
    await section.locator(`[data-answer=${question}][data-complete]`).waitFor({ timeout: PATIENCE });
  }
  // Nothing is under way any more.
  await section.locator("[data-act=size]").waitFor({ timeout: PATIENCE });
}

// Does something up to three times, until no frame of the page takes longer than 50 ms meanwhile: other work on the
// machine stretches frames too, but not three times in a row.
async function smoothly(page, act) {
  let long = [];
  for (let nth = 0; nth < 3; nth++) {
    await page.evaluate(() => {
      window.long = [];
      window.watch ??= new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration)));
      window.watch.observe({ type: "longtask" });
    });
    await act();
    long = await page.evaluate(() => (window.watch.disconnect(), window.long));
    if (!long.length) return;
  }
  assert.deepEqual(long, [], "frames longer than 50 ms");
}

// What a button gives: the file's text.
async function taken(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  // Chromium drops the eleventh download within a second.
  await page.waitForTimeout(120);
  return readFile(await download.path(), "utf8");
}

async function sameAsKwp(page, section, made, ...args) {
  const [report, data] = [path.join(made, "report.html"), path.join(made, "data")];
  const sized = await kwp("size", ...args, "--output", report, "--data", data);
  assert.equal(sized.code, 0, sized.stderr);
  for (const question of QUESTIONS) {
    for (const ending of ["csv", "svg"]) {
      const own = await taken(page, section.locator(`[data-answer=${question}] [data-take=${ending}]`));
      assert.equal(own, await readFile(path.join(data, `${question}.${ending}`), "utf8"), `${question}.${ending}`);
    }
  }
  assert.equal(await taken(page, section.locator("[data-take=report]")), await readFile(report, "utf8"));
}

test("the flights day is sized as kwp sizes it, to the byte, and no frame takes longer than 50 ms", async (t) => {
  const made = await folder(t);
  const { page, section } = await consumer(t);
  await source(section, "flights").click();
  await records(section, 831);
  assert.match(await section.locator("[data-knob=text]").inputValue(), /kwp\.workers=200/);
  await section.locator("summary", { hasText: "How hard to try" }).click();
  await fill(section, "revokes", "60");
  await smoothly(page, () => answered(section));
  await sameAsKwp(page, section, made, path.join(root, "examples/flights-day.toml"), "--tick", "1m", "--revokes", "60");
});

test("shaped traffic is sized as kwp sizes its trace, and its settings travel", async (t) => {
  const made = await folder(t);
  const { page, section } = await consumer(t);
  await source(section, "shape").click();
  await records(section, 3_000);
  await fill(section, "seconds", "10");
  await records(section, 500);
  await fill(section, "kwp.workers", "6");
  await section.locator("summary", { hasText: "How hard to try" }).click();
  await fill(section, "revokes", "20");
  const trace = path.join(made, "shaped.csv");
  await writeFile(trace, await taken(page, section.locator("[data-take=trace]")));
  await answered(section);
  assert.match(await taken(page, section.locator("[data-take=scenario]")), /workers = 6/);
  const config = path.join(made, "config.toml");
  await writeFile(config, '[log]\nrecords = ["0:A*1"]\n[consumer]\nworkers = 6\n');
  const csv = await taken(page, section.locator("[data-answer=workers] [data-take=csv]"));
  const data = path.join(made, "data");
  const sized = await kwp("size", trace, "--tick", "1ms", "--config", config, "--revokes", "20", "--data", data);
  assert.equal(sized.code, 0, sized.stderr);
  assert.equal(csv, await readFile(path.join(data, "workers.csv"), "utf8"));
});

test("a file of one's own: columns are mapped, bad rows are told, and nothing in it is markup", async (t) => {
  const made = await folder(t);
  const { page, section } = await consumer(t);
  const file = path.join(made, "<img src=x onerror=alert(1)>.csv");
  const rows = ["when it came,who,took,<b>x</b>", "1700000000000,<script>alert(1)</script>,12,", "soon,b,5,", "1700000000100,a,30,"];
  await writeFile(file, rows.join("\n"));
  await section.locator("[data-act=open-traffic]").setInputFiles(file);
  const refused = section.locator(".consumer-refused");
  await refused.waitFor();
  assert.match(await refused.innerText(), /no column for the time/);
  await section.locator("[data-knob=time-column]").selectOption({ label: "when it came" });
  await section.locator("[data-knob=key-column]").selectOption({ label: "who" });
  await section.locator("[data-knob=work-column]").selectOption({ label: "took" });
  await records(section, 2);
  const bad = section.locator(".consumer-frame tbody tr").first();
  assert.match(await bad.innerText(), /3\s+when it came\s+"soon" is not a number of milliseconds\s+skipped/);
  assert.equal(await section.locator("img:not(.consumer-chart img), script, b > b").count(), 0);
  assert.match(await section.locator(".consumer-pairs").innerText(), /<script>/);
});

test("wrong files are refused with a reason, and the next one is read", async (t) => {
  const { section } = await consumer(t);
  for (const [bytes, reason] of [
    [Buffer.from("PK\u0003\u0004rest\n"), /ZIP/],
    [Buffer.from([0xff, 0xfe, 0x74, 0, 0x0a, 0]), /UTF-16/],
    [Buffer.from(""), /empty/],
    [Buffer.from("time,key,work\n1,a,x\n"), /none of its 1 row can be used/],
  ]) {
    await section.locator("[data-act=open-traffic]").setInputFiles({ name: "wrong.csv", mimeType: "text/csv", buffer: bytes });
    await section.locator(".consumer-refused", { hasText: reason }).waitFor();
  }
  const buffer = Buffer.from("time,key,work\n1,a,2\n2,b,3\n9,a,1\n");
  await section.locator("[data-act=open-traffic]").setInputFiles({ name: "right.csv", mimeType: "text/csv", buffer });
  await records(section, 3);
  assert.equal(await section.locator(".consumer-refused").count(), 0);
});

test("rows can be pasted, and dropped where a file goes", async (t) => {
  const { page, section } = await consumer(t);
  await section.locator("summary", { hasText: "Paste rows" }).click();
  await fill(section, "pasted", "time,key,work\n1,a,2\n5,a,3\n");
  await records(section, 2);
  await section.locator(".consumer-drop").evaluate((place) => {
    const data = new DataTransfer();
    data.items.add(new File(["time,key,work\n1,a,2\n5,a,3\n7,c,3\n"], "dropped.csv"));
    place.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
  });
  await records(section, 3);
  assert.equal(await page.locator("#page-notice").count(), 0);
});

test("a million rows are read without a long frame, and can be cancelled", async (t) => {
  const { page, section } = await consumer(t);
  // Made in the page: the file goes to the worker as it is.
  const choose = () =>
    page.evaluate(() => {
      const blocks = ["time,key,work\n"];
      for (let block = 0; block < 1000; block++) {
        let rows = "";
        for (let n = 0; n < 1000; n++) rows += `${block * 1000 + n},k${(n * 7) % 5000},${1 + (n % 30)}\n`;
        blocks.push(rows);
      }
      const data = new DataTransfer();
      data.items.add(new File(blocks, "million.csv"));
      window.million = data;
    });
  const drop = () =>
    section.locator(".consumer-drop").evaluate((place) => {
      place.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: window.million }));
    });
  // What makes the file is not what is measured.
  await choose();
  await drop();
  await section.locator("[data-act=stop-reading]").click();
  await section.locator("[data-act=stop-reading]").waitFor({ state: "detached" });
  assert.equal(await section.locator(".consumer-understood").count(), 0);
  await smoothly(page, async () => {
    await drop();
    await section.locator("[data-act=stop-reading]").waitFor();
    await section.locator("[data-act=stop-reading]").waitFor({ state: "detached", timeout: PATIENCE });
    await records(section, 1_000_000);
  });
});

test("sizing can be stopped, and is dropped when the settings change", async (t) => {
  const { section } = await consumer(t);
  await source(section, "shape").click();
  await records(section, 3_000);
  // More than any machine is done with before it is stopped.
  await fill(section, "rate", "1000");
  await records(section, 60_000);
  await section.locator("[data-act=size]").click();
  await section.locator("[data-answer]").first().waitFor({ timeout: PATIENCE });
  await section.locator("[data-act=stop]").click();
  await section.locator("[data-act=size]").waitFor();
  await section.locator("[data-act=size]").click();
  await section.locator("[data-act=stop]").waitFor();
  // What is typed stays, whatever is told meanwhile.
  await section.locator('[data-knob="kwp.workers"]').fill("9");
  await section.locator(".consumer-progress", { hasText: /of [1-9]\d* runs/ }).waitFor();
  assert.equal(await section.locator('[data-knob="kwp.workers"]').inputValue(), "9");
  await section.locator('[data-knob="kwp.workers"]').blur();
  await section.locator("[data-act=size]").waitFor();
  assert.match(await section.locator("[data-said]").innerText(), /Stopped/);
});

test("settings are judged with the arithmetic, and what is not understood is listed", async (t) => {
  const { section } = await consumer(t);
  await source(section, "shape").click();
  await records(section, 3_000);
  await section.locator("label:has([data-knob=latency][value=fixed])").click();
  await fill(section, "fixed", "800");
  await section.locator("[data-knob=library]").selectOption("java");
  await fill(section, "text", "max.poll.records=500\nmax.poll.interval.ms=300000\nfavourite.colour=red\nfetch.min.bytes=x\n");
  await section.locator(".consumer-verdicts li[data-weight=bad]", { hasText: "400 s" }).waitFor();
  assert.match(await section.locator(".consumer-mentions", { hasText: "Not understood" }).innerText(), /favourite\.colour/);
  // What is typed or pasted counts when nobody has typed for a while: the field need not be left.
  await section.locator("[data-knob=text]").fill("kwp.workers=4\nkwp.intake.high=3\nkwp.intake.low=10\n");
  await section.locator(".consumer-refused", { hasText: "kwp.intake.low is 10 (line 3)" }).waitFor();
  await section.locator(".consumer-verdicts li[data-weight=bad]", { hasText: "never resumes" }).waitFor();
  await section.locator("[data-knob=text]").fill("kwp.workers=4\n");
  await section.locator(".consumer-note", { hasText: "4 workers are no loop of one thread" }).waitFor();
  await fill(section, "kwp.workers", "none");
  await section.locator(".consumer-wrong").waitFor();
  assert.equal(await section.locator('[data-knob="kwp.workers"]').getAttribute("aria-invalid"), "true");
});

test("the section is accessible, and fits a narrow phone", async (t) => {
  for (const [width, scheme] of [[1280, "light"], [320, "dark"]]) {
    const { page, section } = await consumer(t, { width, height: 800, scheme, touch: width < 600 });
    await section.locator("[data-act=open-traffic]").setInputFiles({
      name: "mine.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("time,key,work\n1,a,2\nx,a,3\n7,c,3\n"),
    });
    await records(section, 2);
    await answered(section);
    const { violations } = await new AxeBuilder({ page }).include(".consumer").analyze();
    assert.deepEqual(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.target).join(", ")}`), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  }
});

test("without its part the section says so, and can be tried again", async (t) => {
  let broken = true;
  const { page, section } = await consumer(t, {
    allow: [/ERR_FAILED/, /Failed to fetch/, /status|error/i],
    before: (page) => page.route("**/kwp-office*", (route) => (broken ? route.abort() : route.continue())),
  });
  await source(section, "shape").click();
  await section.locator(".consumer-refused", { hasText: "could not be loaded" }).waitFor();
  broken = false;
  await section.locator("[data-act=again]").click();
  await records(section, 3_000);
  assert.ok(page);
});
