// Choices of which one side reads a tensor, in the last vector of a row: the lanes that count are chosen together, and none reads behind the
// end of a buffer.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import {
  authoring,
  type ComputeDef,
  fromCompute,
  instantiate,
  type LoopFunc,
  printStmt,
  replay,
  targets,
} from "../../../../src/compiler/index.ts";
import { fewer, rngOf } from "../../../support/long.ts";
import { referenceOf, wrongNest } from "../../../support/reference.ts";

const { compute, defineOp, select, tensor } = authoring;

/** Rows of N elements, chosen from those of X and of its next row, `shift` elements further on. */
const choices = (N: number, shift: number): ComputeDef =>
  instantiate(
    defineOp({}, () => {
      const X = tensor("X", [4, N + shift], "f32");
      return compute("Y", [3, N], (y, x) => select(X(y, x).lt(0), X(y.add(1), x.add(shift)).mul(2), X(y, x)));
    }),
    {},
    "op",
  );

function flatOf(def: ComputeDef, lanes: number): LoopFunc {
  const result = replay(fromCompute(def), [
    { kind: "split", loop: "Y.x", factors: [0, lanes], tail: "cut" },
    { kind: "vectorize", loop: "Y.x.1" },
  ]);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  return lower(result.nest, { target: targets.avx512, numerics: "fast" });
}

test("lanes are chosen together", () => {
  const text = printStmt(flatOf(choices(37, 2), 32).body);
  expect(text).toContain("select(");
  expect(text).not.toContain("lanes(");
});

test("results are right, and no load leaves its buffer", () => {
  const rng = rngOf("masked choices");
  for (let number = 0; number < fewer(40); number++) {
    const [N, shift, lanes] = [1 + rng.below(70), rng.below(4), 2 ** (2 + rng.below(4))];
    const def = choices(N, shift);
    expect(wrongNest(referenceOf(def, rng), flatOf(def, lanes)), `${N}, ${shift}, ${lanes}`).toBeNull();
  }
});
