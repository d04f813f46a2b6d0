// One Chromium, and pages that remember everything they should not have done.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

function executable() {
  const found = process.env.SRRD_CHROMIUM
    ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!found) throw new Error("Chromium is missing: run tests/browser/setup, or name it in SRRD_CHROMIUM.");
  return found;
}

export class Browser {
  #chromium;
  #address;
  #contexts = [];
  #problems = [];

  /** Starts the browser, with an empty profile of its own, for one report. */
  static async launch(file) {
    const browser = new Browser();
    browser.#address = pathToFileURL(file).href;
    browser.#chromium = await chromium.launch({ executablePath: executable(), headless: true, args: FLAGS });
    return browser;
  }

  /** The report on a new page; `options` are those of a browser context (viewport, colorScheme, …). */
  async open(options = {}) {
    const context = await this.#chromium.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(10_000);
    this.#contexts.push(context);
    const page = await context.newPage();
    const note = (problem) => this.#problems.push(problem);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) note(`console ${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => note(`script error: ${error.message}`));
    page.on("dialog", (dialog) => {
      note(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("request", (request) => {
      const address = request.url().split("#")[0];
      if (address !== this.#address && !address.startsWith("data:")) note(`request: ${address}`);
    });
    page.on("popup", () => note("a second window"));
    await page.goto(this.#address);
    return page;
  }

  /** Closes the pages of a check and tells what went wrong on them. */
  async closePages() {
    for (const context of this.#contexts) await context.close();
    this.#contexts = [];
    return this.#problems.splice(0);
  }

  async close() {
    await this.#chromium.close();
  }
}
