// No pass is there for nothing: each changes some kernel that the rules make, so that without it a golden or the oracle
// chain would differ; hints, which no rule gives, have tests of their own.

import { expect, test } from "vitest";
import { printFunc } from "../../../src/compiler/index.ts";
import { lower, passes } from "../../../src/compiler/lower/pipeline.ts";
import { chainTargets, drawCase, families, isIllegal } from "../../support/random-schedule.ts";

const handWritten: ReadonlySet<string> = new Set(["insert-prefetches"]);

/** Names of the passes that change one of the first cases of the oracle chain. */
function passesAtWork(cases: number): ReadonlySet<string> {
  const atWork = new Set<string>();
  for (let at = 0; at < cases; at++) {
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
  const atWork = passesAtWork(2 * families.length * chainTargets.length);
  expect(new Set(passes.map(({ name }) => name))).toEqual(new Set([...atWork, ...handWritten]));
});
