// A built page in Chromium → its title, into which the program puts what it says.

import { join } from "node:path";
import { launchBrowser, noBrowser, serveFolder } from "../support/browser.ts";
import type { Project } from "./row.ts";

/** @param folder of the page, in the project */
export async function titleOf({ folder }: Project, output: string): Promise<string> {
  if (noBrowser) return noBrowser;
  const server = await serveFolder(join(folder, output));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(server.url);
    await page
      .waitForFunction(() => document.title.startsWith("C[0]"), { timeout: 30_000 })
      .catch((error) => {
        throw new Error(`${error.message}\n${errors.join("\n")}`);
      });
    return await page.title();
  } finally {
    await browser.close();
    await server.close();
  }
}
