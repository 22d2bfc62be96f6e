// Lanes in even strides are picked by way of halves of pairs, which picks of other first lanes have in common; vectors that take turns in a result are
// brought into their order by stages. The numbers stay, and shuffles are as few as the stages say.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { authoring, instantiate, type LoopFunc, type Op, replay, targets } from "../../../../src/compiler/index.ts";
import { exprKey } from "../../../../src/compiler/ir/expr-key.ts";
import { fromCompute } from "../../../../src/compiler/ir/from-compute.ts";
import { walkStmt } from "../../../../src/compiler/ir/visit.ts";
import { rngOf } from "../../../support/long.ts";
import { referenceOf, wrongNest } from "../../../support/reference.ts";

const { compute, defineOp, select, tensor } = authoring;

/** Sums of rows of `stride` elements, of which some are added up. */
const rows = (stride: number, from: readonly number[]): Op =>
  defineOp({}, () => {
    const X = tensor("X", [64, stride], "f32");
    return compute("Y", [64], (i) => from.map((k) => X(i, k)).reduce((sum, it) => sum.add(it)));
  });

/** The same element of a row, each time with another factor. */
const turns = (count: number, dtype: "f32" | "f64" | "i16"): Op =>
  defineOp({}, () => {
    const X = tensor("X", [64], dtype);
    return compute("Y", [64, count], (i, c) => X(i).mul(c.add(1).cast(dtype) as never) as never);
  });

function lowered(
  op: Op,
  trace: Parameters<typeof replay>[1],
): { readonly flat: LoopFunc; readonly wrong: string | null } {
  const def = instantiate(op, {}, "op");
  const result = replay(fromCompute(def), trace);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  const flat = lower(result.nest, { target: targets.avx512, numerics: "fast" });
  return { flat, wrong: wrongNest(referenceOf(def, rngOf("halves")), flat) };
}

/** Counts different shuffles of two vectors and more. */
function shufflesIn({ body }: LoopFunc): number {
  const found = new Map<string, number>();
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind === "pick" && new Set(expr.picks.map((at) => Math.floor(at / 16))).size > 1)
        found.set(exprKey(expr), expr.parts.length - 1);
    },
  );
  return [...found.values()].reduce((sum, count) => sum + count, 0);
}

const inLanes = (loop: string) =>
  [
    { kind: "split", loop, factors: [0, 16], tail: "cut" },
    { kind: "vectorize", loop: `${loop}.1` },
  ] as const;

const all = (count: number): readonly number[] => [...Array(count).keys()];

test.each<readonly [string, number, readonly number[], number]>([
  ["one column of rows of 4", 4, [1], 3],
  ["all columns of rows of 4: two stages of 4", 4, all(4), 8],
  ["one column of rows of 8", 8, [5], 7],
  ["even columns of rows of 8", 8, [0, 2, 4, 6], 12],
  ["all columns of rows of 8: three stages of 8", 8, all(8), 24],
  ["all columns of rows of 6: halves, then thirds of these", 6, all(6), 18],
  ["rows of 3 have no halves", 3, all(3), 6],
])("%s", (_, stride, from, shuffles) => {
  const { flat, wrong } = lowered(rows(stride, from), inLanes("Y.i"));
  expect(wrong).toBeNull();
  expect(shufflesIn(flat)).toBe(shuffles);
});

test.each(["f32", "f64", "i16"] as const)("vectors of %s in turns", (dtype) => {
  for (const count of [2, 3, 4, 5, 6, 7, 8]) {
    const { wrong } = lowered(turns(count, dtype), [
      { kind: "split", loop: "Y.i", factors: [0, 8], tail: "cut" },
      { kind: "reorder", loops: ["Y.i.1", "Y.c"] },
      { kind: "unroll", loop: "Y.c" },
      { kind: "vectorize", loop: "Y.i.1" },
    ]);
    expect(wrong, `${count} of ${dtype}`).toBeNull();
  }
});

/** Counts the nodes of a kind in all values. */
function nodesIn({ body }: LoopFunc, kind: string): number {
  let count = 0;
  walkStmt(
    body,
    () => {},
    (expr) => {
      if (expr.kind === kind) count++;
    },
  );
  return count;
}

test("remainders of elements are no turns of lanes", () => {
  const op = defineOp({}, () => {
    const X = tensor("X", [64], "i32");
    return compute("Y", [64], (i) => X(i).mod(2).mul(X(i).mod(3)));
  });
  const { flat, wrong } = lowered(op, inLanes("Y.i"));
  expect(wrong).toBeNull();
  expect(nodesIn(flat, "interleave") + nodesIn(flat, "pick")).toBe(0);
});

test("channels of every second pixel are picked at once, not in turns", () => {
  const op = defineOp({}, () => {
    const X = tensor("X", [64, 2], "f32");
    return compute("Y", [64], (i) => X(i.floorDiv(2).mul(2), i.mod(2)));
  });
  const { flat, wrong } = lowered(op, inLanes("Y.i"));
  expect(wrong).toBeNull();
  expect([nodesIn(flat, "interleave"), nodesIn(flat, "pick")]).toEqual([0, 1]);
});

test("what is computed otherwise in turns stays in turns", () => {
  const op = defineOp({}, () => {
    const [A, B] = [tensor("A", [32], "f32"), tensor("B", [32], "f32")];
    return compute("Y", [64], (i) => select(i.mod(2).eq(0), A(i.floorDiv(2)).mul(3), B(i.floorDiv(2)).sqrt()));
  });
  const { flat, wrong } = lowered(op, inLanes("Y.i"));
  expect(wrong).toBeNull();
  expect([nodesIn(flat, "interleave"), nodesIn(flat, "select")]).toEqual([1, 0]);
});
