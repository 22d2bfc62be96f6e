// A page of a test, in any engine: what it says on its console, and what its policy refused, are kept.

import type { EnginePage, PageOptions, RunningEngine } from "./engine/engine.ts";

export interface OpenPage {
  readonly page: EnginePage;
  /** Errors and warnings of the console, exceptions, and violations of the policy, so far. */
  problems(): Promise<readonly string[]>;
}

/** Ready when `globalThis.kernels` is there. Closed with the browser. */
export async function openPage(engine: RunningEngine, url: string, options: PageOptions = {}): Promise<OpenPage> {
  const page = await engine.newPage(options);
  await page.goto(url);
  await page.waitFor("Boolean(globalThis.kernels)");
  const problems = async (): Promise<readonly string[]> => {
    const recorded = await page.evaluate<readonly string[] | null>("globalThis.recorded?.said");
    // Without it nothing would be heard of in WebKit.
    if (recorded === null) throw new Error("the page has no recorder");
    return [...page.said(), ...recorded];
  };
  return { page, problems };
}
