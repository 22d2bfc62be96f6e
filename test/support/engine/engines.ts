// All engines that tests run pages in, and a suite for each.

import { describe } from "vitest";
import { chromium } from "./chromium.ts";
import type { Engine } from "./engine.ts";
import { firefox } from "./firefox.ts";
import { webkit } from "./webkit.ts";

export const engines: readonly Engine[] = [chromium, firefox, webkit];

/** A suite for each engine: "a page in Firefox". An engine that is not installed is skipped, with the reason in the name. */
export function inEachEngine(what: string, tests: (engine: Engine) => void): void {
  for (const engine of engines) {
    const { name, missing } = engine;
    describe.skipIf(missing !== null)(`${what} ${name}${missing === null ? "" : ` (${missing})`}`, () => tests(engine));
  }
}
