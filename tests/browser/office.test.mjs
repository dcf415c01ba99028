// The page's second module, asked as the page asks it: by messages to its worker.

import assert from "node:assert/strict";
import test from "node:test";

import { open } from "./harness/index.mjs";

const DISPATCH = "v=1&panel=dispatch&tick=34";

const SCENARIO = `title = "Dropped"
[log]
records = ["0:A*3", "1:A*1"]
[consumer]
routing = "shared"
`;

// Starts the worker and asks it all this at once; the answers by their ids, bytes as text.
function ask(page, messages) {
  return page.evaluate(async (messages) => {
    const address = new URL(document.querySelector('meta[name="office"]').content, document.baseURI);
    const worker = new Worker(address, { type: "module" });
    const answers = {};
    await new Promise((done, failed) => {
      worker.onerror = failed;
      worker.onmessage = ({ data }) => {
        if (data.bytes) {
          data.begin = [...data.bytes.slice(0, 8)];
          data.text = new TextDecoder().decode(data.bytes);
          delete data.bytes;
        }
        answers[data.id] = data;
        if (Object.keys(answers).length === messages.length) done();
      };
      messages.forEach((message) => worker.postMessage(message));
    });
    worker.terminate();
    return answers;
  }, messages);
}

test("the office exports a run in every form, under any path of a host", async (t) => {
  const page = await open(t, { prefix: "/some/path/" });
  const asked = ["toml", "csv", "jsonl", "svg", "png"].map((what) => ({
    id: what,
    kind: "export",
    link: DISPATCH,
    run: 1,
    what,
  }));
  const { toml, csv, jsonl, svg, png } = await ask(page, asked);
  for (const [ending, answer] of Object.entries({ toml, csv, jsonl, svg, png })) {
    assert.equal(answer.error, undefined);
    assert.equal(answer.ok, true);
    assert.equal(answer.name, `dispatch-tick-34.${ending}`);
  }
  assert.match(toml.text, /^seed = 223$/m);
  assert.match(csv.text, /^id,tick,kind,weight,/);
  const events = jsonl.text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(csv.text.trimEnd().split("\r\n").length, events.length + 1);
  assert.equal(events.at(-1).tick, 34);
  assert.deepEqual(png.begin, [137, 80, 78, 71, 13, 10, 26, 10]);
  const parsed = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    return [picture.documentElement.tagName, picture.querySelectorAll("text").length > 50];
  }, svg.text);
  assert.deepEqual(parsed, ["svg", true]);
});

test("the office turns a scenario into a link, and says what is wrong with a bad one", async (t) => {
  const page = await open(t);
  const { good, bad, odd } = await ask(page, [
    { id: "good", kind: "import", name: "dropped.toml", text: SCENARIO },
    { id: "bad", kind: "import", name: "bad.toml", text: "[log]\nrecord = []\n" },
    { id: "odd", kind: "dance" },
  ]);
  assert.equal(good.error, undefined);
  assert.match(good.link, /^v=1&panel=dispatch&scenario=/);
  assert.deepEqual(good.warnings, []);
  assert.match(bad.error, /^bad\.toml:2:1: unknown key "record" in `log`: did you mean `records`\?/);
  assert.equal(odd.ok, false);
  // The link is good for an export in its turn.
  const { back } = await ask(page, [{ id: "back", kind: "export", link: good.link, run: 1, what: "toml" }]);
  assert.match(back.text, /^records = \[\n {2}"0:A\*3", "1:A\*1",\n\]$/m);
});

test("nothing of the office is loaded before it is asked", async (t) => {
  const asked = [];
  const page = await open(t, {
    before: (page) => page.on("request", (request) => asked.push(new URL(request.url()).pathname)),
  });
  await page.waitForTimeout(500);
  assert.ok(asked.some((path) => path.endsWith(".wasm")));
  assert.deepEqual(asked.filter((path) => path.includes("office")), []);
  await ask(page, [{ id: 1, kind: "dance" }]);
  assert.equal(asked.filter((path) => path.includes("office")).length, 3);
});

test("an office that does not load answers so", async (t) => {
  const page = await open(t, {
    allow: [/ERR_FAILED/, /Failed to fetch/, /dynamically imported/, /TypeError/],
    before: (page) => page.context().route("**/kwp-office_bg*.wasm", (route) => route.abort()),
  });
  const { lost } = await ask(page, [{ id: "lost", kind: "dance" }]);
  assert.deepEqual([lost.ok, lost.unloaded], [false, true]);
  assert.match(lost.error, /could not be loaded/);
});
