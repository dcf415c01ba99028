// Browsers that are not Chromium, by the WebDriver protocol: those whose driver the environment names.
//
//   GECKODRIVER=/path  FIREFOX=/path       Firefox
//   WEBKITDRIVER=/path MINIBROWSER=/path   WebKitGTK's own small browser; without a $DISPLAY, on one of Xvfb's

import { spawn } from "node:child_process";
import { createServer } from "node:net";

import { Builder, Capabilities } from "selenium-webdriver";
import firefox from "selenium-webdriver/firefox.js";

async function startFirefox() {
  const options = new firefox.Options().setBinary(process.env.FIREFOX).addArguments("-headless");
  const driver = await new Builder()
    .forBrowser("firefox")
    .setFirefoxOptions(options)
    .setFirefoxService(new firefox.ServiceBuilder(process.env.GECKODRIVER))
    .build();
  return { driver, stop: () => driver.quit() };
}

async function startWebKit() {
  const port = await freePort();
  const screen = process.env.DISPLAY ? null : await startScreen();
  const env = { ...process.env, DISPLAY: screen?.display ?? process.env.DISPLAY };
  const server = spawn(process.env.WEBKITDRIVER, [`--port=${port}`], { stdio: "ignore", env });
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": { binary: process.env.MINIBROWSER, args: ["--automation"] },
  });
  const stop = async (driver) => {
    await driver?.quit().catch(() => {});
    server.kill();
    screen?.process.kill();
  };
  try {
    await answers(`http://127.0.0.1:${port}/status`);
    const driver = await new Builder()
      .usingServer(`http://127.0.0.1:${port}`)
      .withCapabilities(capabilities)
      .disableEnvironmentOverrides()
      .build();
    return { driver, stop: () => stop(driver) };
  } catch (error) {
    await stop();
    throw error;
  }
}

// The browsers that the environment names.
export const ENGINES = [
  { name: "Firefox", start: startFirefox, there: Boolean(process.env.GECKODRIVER && process.env.FIREFOX) },
  { name: "WebKit", start: startWebKit, there: Boolean(process.env.WEBKITDRIVER && process.env.MINIBROWSER) },
];

// A display that exists in memory only; Xvfb chooses its number and tells it on the fourth pipe.
function startScreen() {
  const process = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1400x1000x24"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    process.once("error", reject);
    process.stdio[3].once("data", (number) => resolve({ process, display: `:${String(number).trim()}` }));
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// Waits until an address answers.
async function answers(url) {
  const end = Date.now() + 20_000;
  for (;;) {
    if (await fetch(url).catch(() => null)) return;
    if (Date.now() > end) throw new Error(`${url} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// A panel, or another part of the page, as a reader of another browser uses it.
export class Shown {
  constructor(driver, name, root = `section.panel[data-panel="${name}"]`) {
    this.driver = driver;
    this.root = root;
  }

  // An element of the panel; waits for it.
  async find(selector) {
    const css = `${this.root} ${selector}`.trim();
    await this.until(() => this.driver.findElements({ css }).then((found) => found.length > 0), `${css} is there`);
    return this.driver.findElement({ css });
  }

  async click(selector) {
    const element = await this.find(selector);
    await this.driver.executeScript("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element);
    await element.click();
  }

  act(name) {
    return this.click(`[data-act="${name}"]`);
  }

  // Turns a slider, or chooses of a select, as a drag or a choice would: by its value and its event.
  async set(name, value) {
    const element = await this.find(`[data-knob="${name}"]`);
    await this.driver.executeScript(
      `const [element, value] = arguments;
       element.value = value;
       element.dispatchEvent(new Event("input", { bubbles: true }));
       element.dispatchEvent(new Event("change", { bubbles: true }));`,
      element,
      String(value),
    );
  }

  async toEnd() {
    const timeline = await this.find('[data-knob="timeline"]');
    await this.set("timeline", await timeline.getAttribute("max"));
  }

  counter(name) {
    return this.attribute(`[data-counter="${name}"]`, "data-value").then(Number);
  }

  async tick() {
    return Number(await this.attribute("", "data-tick"));
  }

  attribute(selector, name) {
    return this.find(selector).then((element) => element.getAttribute(name));
  }

  // Waits until a counter has a value.
  async counted(name, value) {
    let last;
    const is = async () => (last = await this.counter(name)) === value;
    await this.until(is, () => `${name} is ${value}, not ${last}`);
  }

  async until(condition, what) {
    const end = Date.now() + 20_000;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error(`after 20 s: ${typeof what === "function" ? what() : what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // The sentences of the invariants that are broken.
  async broken() {
    const found = await this.driver.findElements({ css: `${this.root} [data-invariant][data-state="broken"]` });
    return Promise.all(found.map((badge) => badge.getAttribute("data-invariant")));
  }
}
