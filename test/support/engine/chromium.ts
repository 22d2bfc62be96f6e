// Debian's Chromium, driven by Playwright.

import type { Page } from "playwright-core";
import { launchBrowser, noBrowser } from "../browser.ts";
import { asJson, type Engine, type EnginePage, waitUntil } from "./engine.ts";

/** Its page in the terms of all engines. */
export function chromiumPage(page: Page): EnginePage {
  const said: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  const evaluate = async <T>(expression: string): Promise<T> => JSON.parse(await page.evaluate(asJson(expression)));
  return {
    goto: async (url) => void (await page.goto(url)),
    evaluate,
    waitFor: <T>(expression: string) => waitUntil(() => evaluate<T>(expression), expression),
    press: (key) => page.keyboard.press(key),
    title: () => page.title(),
    said: () => said,
    workers: async () => page.workers().map((worker) => worker.url()),
    close: () => page.close(),
  };
}

export const chromium: Engine = {
  name: "Chromium",
  missing: noBrowser,
  async launch() {
    const browser = await launchBrowser();
    return {
      version: browser.version(),
      newPage: async () => chromiumPage(await browser.newPage()),
      close: () => browser.close(),
    };
  },
};
