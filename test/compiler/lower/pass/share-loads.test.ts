// Loads that a loop repeats move before it, unless threads meet in the loop first: behind the barrier there may be what another has stored.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { cudaSm90, replay, type Trace } from "../../../../src/compiler/index.ts";
import { accessFindings, printFinding } from "../../../../src/compiler/ir/access-findings.ts";
import { inputsOf, twoGemms } from "../../schedule/nests.ts";

test("a load stays behind the barrier that it waits for", () => {
  const trace: Trace = [
    { kind: "rfactor", loop: "D.n" },
    { kind: "bind", loop: "D.n", axis: "threadIdx.y" },
    { kind: "merge-loops", first: "C.i", second: "D.i" },
  ];
  const result = replay(twoGemms, trace);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  const flat = lower(result.nest, { target: cudaSm90, numerics: "fast" });
  expect(accessFindings(flat, inputsOf(twoGemms)).findings.map(printFinding)).toEqual([]);
});
