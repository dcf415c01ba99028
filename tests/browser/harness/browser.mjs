// Starting Chromium, and hearing what its pages complain about. Knows nothing of a test runner.

import { chromium } from "playwright-core";

// Starts Chromium as a closed network and a container's root need it.
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROME || "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

// Collects what a page complains about.
export function guard(page) {
  const messages = [];
  page.on("console", (message) => {
    if (["error", "warning", "assert"].includes(message.type())) messages.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => messages.push(`uncaught: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400) messages.push(`status ${response.status()}: ${response.url()}`);
  });
  return messages;
}
