// Debian's Firefox, driven by Puppeteer over WebDriver BiDi. Playwright drives only builds of its own.

import { existsSync } from "node:fs";
import puppeteer, { type Page } from "puppeteer-core";
import { asJson, type Engine, type EnginePage, waitUntil } from "./engine.ts";

const executablePath = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

function firefoxPage(page: Page): EnginePage {
  const said: string[] = [];
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  const evaluate = async <T>(expression: string): Promise<T> =>
    JSON.parse((await page.evaluate(asJson(expression))) as string);
  return {
    goto: async (url) => void (await page.goto(url)),
    evaluate,
    waitFor: <T>(expression: string) => waitUntil(() => evaluate<T>(expression), expression),
    press: (key) => page.keyboard.press(key === "Space" ? " " : key),
    title: () => page.title(),
    said: () => said,
    workers: async () => page.workers().map((worker) => worker.url()),
    close: () => page.close(),
  };
}

export const firefox: Engine = {
  name: "Firefox",
  missing: existsSync(executablePath) ? null : `no ${executablePath}: apt-get install firefox-esr`,
  async launch() {
    const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
    return {
      // "firefox/153.7.0"
      version: (await browser.version()).split("/").at(-1)!,
      newPage: async () => firefoxPage(await browser.newPage()),
      close: () => browser.close(),
    };
  },
};
