// All engines that tests run pages in, and a suite for each.

import { describe } from "vitest";
import { notNow, suitesInTurn } from "../long.ts";
import { chromium } from "./chromium.ts";
import type { Engine } from "./engine.ts";
import { firefox } from "./firefox.ts";
import { webkit } from "./webkit.ts";

export const engines: readonly Engine[] = [chromium, firefox, webkit];

/** The same for pages that have little to do with what engines differ in: Firefox and WebKit are for long runs. */
const pageEngines: readonly Engine[] = engines.map((engine) =>
  engine === chromium ? engine : { ...engine, missing: engine.missing ?? notNow },
);

function inEach(engines: readonly Engine[], what: string, tests: (engine: Engine) => void): void {
  for (const engine of engines) {
    const { name, missing } = engine;
    describe.skipIf(missing !== null)(`${what} ${name}${missing === null ? "" : ` (${missing})`}`, () => tests(engine));
  }
}

/** A suite for each engine: "a page in Firefox". An engine that is not installed is skipped, with the reason in the name. */
export const inEachEngine = (what: string, tests: (engine: Engine) => void): void => inEach(engines, what, tests);

/** A suite for each engine of pages. */
export const inPageEngines = (what: string, tests: (engine: Engine) => void): void => inEach(pageEngines, what, tests);

/** A suite for each engine, of which a run has one, and each run another: for what differs between engines, and takes long in all of them. */
export function inEngineInTurn(what: string, tests: (engine: Engine) => void): void {
  const suite = suitesInTurn(engines.length);
  for (const engine of engines) {
    const { name, missing } = engine;
    suite.skipIf(missing !== null)(`${what} ${name}${missing === null ? "" : ` (${missing})`}`, () => tests(engine));
  }
}
