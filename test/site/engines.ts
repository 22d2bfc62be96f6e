// The engines in which the site is opened, and what its tests ask of a page.

import { launchBrowser, noBrowser } from "../support/browser.ts";

export interface SitePage {
  /** Resolves when the page has loaded. */
  goto(url: string): Promise<void>;
  /** The value of an expression: plain data. */
  evaluate<T>(expression: string): Promise<T>;
  /** Resolves when an expression is true. */
  waitFor(expression: string): Promise<void>;
  /** Errors and warnings of the console and exceptions so far. */
  said(): readonly string[];
  close(): Promise<void>;
}

export interface RunningEngine {
  newPage(): Promise<SitePage>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  /** Why it cannot be driven here; null if it can. */
  readonly missing: string | null;
  launch(): Promise<RunningEngine>;
}

/** Milliseconds that a page may take on a machine which does other things. */
export const patience = 120_000;

const chromium: Engine = {
  name: "Chromium",
  missing: noBrowser,
  async launch() {
    const browser = await launchBrowser();
    return {
      async newPage() {
        const page = await browser.newPage();
        const said: string[] = [];
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) said.push(message.text());
        });
        page.on("pageerror", (error) => said.push(String(error)));
        return {
          goto: async (url) => void (await page.goto(url)),
          evaluate: (expression) => page.evaluate(expression),
          waitFor: async (expression) => void (await page.waitForFunction(expression, null, { timeout: patience })),
          said: () => said,
          close: () => page.close(),
        };
      },
      close: () => browser.close(),
    };
  },
};

export const engines: readonly Engine[] = [chromium];
