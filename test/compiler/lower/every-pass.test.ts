// No pass is there for nothing: each changes some kernel that the rules make, so that without it a golden or the oracle
// chain would differ; hints, which no rule gives, have tests of their own.

import { expect, test } from "vitest";
import { printFunc } from "../../../src/compiler/index.ts";
import { lower, passes } from "../../../src/compiler/lower/pipeline.ts";
import { chainTargets, drawCase, families, isIllegal } from "../../support/random-schedule.ts";

const handWritten: ReadonlySet<string> = new Set(["insert-prefetches"]);

const wanted: readonly string[] = passes.map(({ name }) => name).filter((name) => !handWritten.has(name));

/** Names of the passes that change one of the first cases of the oracle chain; ends when all have been met. */
function passesAtWork(most: number): ReadonlySet<string> {
  const atWork = new Set<string>();
  for (let at = 0; at < most && atWork.size < wanted.length; at++) {
    const { scheduled, target, numerics } = drawCase(1, at);
    if (isIllegal(scheduled)) continue;
    let before = printFunc(scheduled);
    lower(scheduled, {
      target,
      numerics,
      verify: false,
      dump: (name, func) => {
        const after = printFunc(func);
        if (after !== before) atWork.add(name);
        before = after;
      },
    });
  }
  return atWork;
}

test("every pass has work to do", () => {
  expect(passesAtWork(6 * families.length * chainTargets.length)).toEqual(new Set(wanted));
});
