// A page of a test in Chromium: what it says on its console, and what its policy refused, are kept.

import type { Browser, Page } from "playwright-core";

export interface OpenPage {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, and violations of the policy, so far. */
  problems(): Promise<readonly string[]>;
}

declare global {
  /** Directives that were violated in the page. */
  var violations: string[];
}

/** Ready when `globalThis.kernels` is there. Closed with the browser. */
export async function openPage(browser: Browser, url: string): Promise<OpenPage> {
  const page = await browser.newPage();
  const said: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      globalThis.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
    });
  });
  await page.goto(url);
  await page.waitForFunction("globalThis.kernels");
  return { page, problems: async () => [...said, ...(await page.evaluate(() => globalThis.violations))] };
}
