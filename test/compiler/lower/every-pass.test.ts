// No pass is there for nothing: each changes some kernel that the rules make, so that without it a golden or the oracle
// chain would differ; hints, which no rule gives, have tests of their own.

import { expect, test } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import { authoring, fromCompute, instantiate, printFunc, schedule, targets } from "../../../src/compiler/index.ts";
import { hintedPasses } from "../../../src/compiler/lower/pipeline.ts";
import { chainTargets, drawCase, families, isIllegal } from "../../support/random-schedule.ts";

const handWritten: ReadonlySet<string> = new Set(["insert-prefetches"]);

const wanted: readonly string[] = hintedPasses.map(({ name }) => name).filter((name) => !handWritten.has(name));

const { compute, defineOp, tensor } = authoring;

/** Each step uses the one before twice. */
const squareRoot = defineOp({ N: 8 }, ({ N }) => {
  const X = tensor("X", [N], "f32");
  return compute("Y", [N], (i) => {
    const x = X(i);
    return [1, 2, 3].reduce((y) => y.add(x.div(y)).mul(0.5), x);
  });
});

/** Columns of one operand, in vectors. */
const transposed = defineOp({ N: 4 }, ({ N }) => {
  const X = tensor("X", [N, N], "f32");
  return compute("Y", [N, N], (i, j) => X(j, i));
});

function* cases(most: number) {
  const scheduled = fromCompute(instantiate(squareRoot, {}, "root"));
  yield { scheduled, target: targets.wasm, numerics: "fast" as const };
  const inVectors = schedule(fromCompute(instantiate(transposed, {}, "transposed")), [
    { kind: "unroll", loop: "Y.i" },
    { kind: "vectorize", loop: "Y.j" },
  ]);
  yield { scheduled: inVectors, target: targets.wasm, numerics: "fast" as const };
  for (let at = 0; at < most; at++) yield drawCase(1, at);
}

/** Names of the passes that change one of the first cases of the oracle chain; ends when all have been met. */
function passesAtWork(most: number): ReadonlySet<string> {
  const atWork = new Set<string>();
  for (const { scheduled, target, numerics } of cases(most)) {
    if (atWork.size === wanted.length) break;
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
