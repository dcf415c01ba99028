// A scenario that the reader brings, and the panel that it opens in.

import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

import { panel } from "./panel.mjs";

const SCENARIOS = path.join(import.meta.dirname, "../../scenarios");

// Opens a scenario through a panel's menu.
export async function bring(page, text) {
  const file = { name: "brought.toml", mimeType: "text/plain", buffer: Buffer.from(text) };
  const dispatch = panel(page, "dispatch");
  await dispatch.find(".menu summary").click();
  await dispatch.find('[data-act="open-scenario"]').setInputFiles(file);
  await page.waitForFunction(() => location.hash.includes("scenario="));
  return panel(page, new URLSearchParams(new URL(page.url()).hash.slice(1)).get("panel"));
}

// One of the scenarios in tests/scenarios, by its number.
export async function scenario(number) {
  const names = await readdir(SCENARIOS);
  const name = names.find((name) => name.startsWith(`${String(number).padStart(2, "0")}-`));
  return readFile(path.join(SCENARIOS, name), "utf8");
}
