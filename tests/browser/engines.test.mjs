// The main facts of each panel in browsers with another engine than Chromium's: Firefox, and WebKit, which is
// Safari's. How things look and move is tested in Chromium; here it is whether the page works at all.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ENGINES, Shown } from "./harness/engines.mjs";
import { PANELS, baseUrl } from "./harness/index.mjs";

for (const { name, start, there } of ENGINES) {
  describe(name, { skip: there ? false : `${name} or its driver is not on this machine` }, () => {
    let browser;

    before(async () => {
      browser = await start();
      await browser.driver.get(await baseUrl());
      await browser.driver.manage().window().setRect({ width: 1280, height: 900 });
      const root = () => browser.driver.findElement({ css: "html" }).getAttribute("data-boot");
      await new Shown(browser.driver, "dispatch").until(async () => (await root()) === "running", "the module runs");
      // Panels come when the reader comes near.
      for (const panel of PANELS) {
        const near = `document.getElementById("panel-${panel}").scrollIntoView({ behavior: "instant" })`;
        await browser.driver.executeScript(near);
        await new Shown(browser.driver, panel).find("");
      }
    });

    after(() => browser?.stop());

    const shown = (panel) => new Shown(browser.driver, panel);

    test("dispatch: the shared pool breaks order and mailboxes do not", async () => {
      const dispatch = shown("dispatch");
      await dispatch.toEnd();
      await dispatch.counted("shared-order-breaks", 7);
      assert.equal(await dispatch.counter("order-breaks"), 0);
      await dispatch.act("back");
      await dispatch.act("restart");
      await dispatch.until(async () => (await dispatch.tick()) === 0, "restart leads to tick 0");
    });

    test("dispatch plays", async () => {
      const dispatch = shown("dispatch");
      await dispatch.act("play");
      await dispatch.until(async () => (await dispatch.tick()) >= 3, "time passes");
      await dispatch.act("play");
    });

    test("watermark: cells are tapped, one left open pins, and a crash brings again what was promised", async () => {
      const watermark = shown("watermark");
      for (const offset of [3, 1, 0]) await watermark.click(`.wm-grid [data-offset="${offset}"]`);
      await watermark.counted("watermark", 2);
      const promised = await watermark.counter("crash-again");
      await watermark.act("crash");
      await watermark.until(async () => {
        const again = await browser.driver.findElements({ css: `${watermark.root} .wm-grid [data-redelivered]` });
        return again.length === promised;
      }, `${promised} come again`);
    });

    test("backpressure: pause holds the bound, and the chart is drawn", async () => {
      const backpressure = shown("backpressure");
      await backpressure.toEnd();
      await backpressure.until(async () => (await backpressure.tick()) > 100, "the timeline leads to the end");
      const peak = await backpressure.counter("peak-in-flight");
      assert.ok(peak >= 24 && peak < 36, `the peak is ${peak}`);
      assert.deepEqual(await backpressure.broken(), []);
      const inked = await browser.driver.executeScript(
        `const canvas = arguments[0];
         const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
         return data.filter((value, at) => at % 4 === 3 && value > 0).length;`,
        await backpressure.find(".chart canvas"),
      );
      assert.ok(inked > 1_000, `${inked} pixels of the chart are drawn`);
    });

    test("rebalance: a window of 2 lets three writes leak, and without the guard a row goes back", async () => {
      const rebalance = shown("rebalance");
      await rebalance.toEnd();
      await rebalance.set("drain", 2);
      await rebalance.counted("leaked", 3);
      assert.equal(await rebalance.counter("rows-back"), 0);
      await rebalance.click('[data-knob="guard"][value="off"]');
      await rebalance.counted("rows-back", 1);
      assert.ok((await rebalance.broken()).includes("a row's version never goes back"));
    });

    test("your consumer: a day of flights is sized in a worker, and its chart is drawn", async () => {
      const near = `document.getElementById("panel-consumer").scrollIntoView({ behavior: "instant" })`;
      await browser.driver.executeScript(near);
      const consumer = new Shown(browser.driver, "consumer", ".consumer");
      await consumer.click("label:has([data-knob=source][value=flights])");
      await consumer.find('.consumer-understood[data-records="831"]');
      await consumer.act("size");
      const answer = ".consumer-answer[data-answer=workers]";
      await consumer.find(`${answer}[data-complete]`);
      const sentence = await consumer.find(`${answer} .consumer-sentence`);
      assert.match(await sentence.getText(), /workers/);
      const chart = await consumer.find(`${answer} img[data-ground=light]`);
      const width = () => browser.driver.executeScript("return arguments[0].naturalWidth", chart);
      await consumer.until(async () => (await width()) > 300, "the chart is a picture");
    });

    test("a link opens what it says", async () => {
      await browser.driver.get(`${await baseUrl()}?again#v=1&panel=rebalance&drain=2&guard=off&tick=20`);
      const rebalance = shown("rebalance");
      await rebalance.until(async () => (await rebalance.tick()) === 20, "the panel is at the link's tick");
      await rebalance.counted("rows-back", 1);
    });
  });
}
