// Templates of reductions along the contiguous axis: what is placed under which loop, and that the schedules keep the
// meaning of reductions over several axes, to a scalar, of integers, and where numerics are strict.

import { describe, expect, test } from "vitest";
import {
  authoring,
  type ComputeDef,
  instantiate,
  type Numerics,
  type Op,
  opLibrary,
  printTrace,
} from "../../../../src/compiler/index.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { inTurn } from "../../../support/long.ts";
import { newReport, runCases } from "../../../support/oracle-chain.ts";
import { caseOf } from "../../../support/random-schedule.ts";

const turn = inTurn(4);

const { argmax, argmin, compute, defineOp, max, min, prod, reduceAxis, sum, tensor } = authoring;

const total = defineOp({ A: 3, N: 61 }, ({ A, N }) => {
  const X = tensor("X", [A, N], "f32");
  const axes = [reduceAxis("a", A), reduceAxis("k", N)] as const;
  return compute("total", [], () => sum(X(...axes), axes));
});

const extremes = defineOp({ M: 5, N: 43 }, ({ M, N }) => {
  const X = tensor("X", [M, N], "i32");
  const k = reduceAxis("k", N);
  const largest = compute("largest", [M], (i) => max(X(i, k), k));
  const smallest = compute("smallest", [M], (i) => min(X(i, k), k));
  const product = compute("product", [M], (i) => prod(X(i, k), k));
  return { largest, smallest, product };
});

const places = defineOp({ M: 5, N: 43 }, ({ M, N }) => {
  const X = tensor("X", [M, N], "i32");
  const k = reduceAxis("k", N);
  const first = compute("first", [M], (i) => argmax(X(i, k), k));
  const last = compute("last", [M], (i) => argmin(X(i, k), k));
  return { first, last };
});

/** Two rows of axes in front of the one that is summed, and a second reduction that reads the first. */
const variances = defineOp({ A: 3, B: 4, N: 37 }, ({ A, B, N }) => {
  const X = tensor("X", [A, B, N], "f32");
  const k = reduceAxis("k", N);
  return compute("variance", [A, B], (a, b) => {
    const difference = X(a, b, k).sub(sum(X(a, b, k), k).mul(0.25));
    return sum(difference.mul(difference), k);
  });
});

/** A maximum that two stages read: one of its own rows, and a second maximum over an axis on which nothing depends. */
const twiceRead = defineOp({ M: 5 }, ({ M }) => {
  const X = tensor("X", [M, 3], "i16");
  const row = tensor("row", [3], "i16");
  const [k, n] = [reduceAxis("k", 3), reduceAxis("n", 5)];
  const rows = compute("rows", [M], (i) => max(X(i, k).cast("i32").mul(row(k).cast("i32")), k));
  return compute("out", [M, 3, 5], (i) => max(rows(i).cast("f32").mul(2), n).mul(rows(i).cast("f32")));
});

const ops = {
  total,
  extremes,
  places,
  variances,
  twiceRead,
  gemv: opLibrary.gemv({ M: 11, K: 75 }),
  layerNorm: opLibrary.layerNorm({ M: 5, N: 67 }),
  rmsNorm: opLibrary.rmsNorm({ M: 5, N: 67 }),
} as const satisfies Record<string, Op>;

const defOf = (name: keyof typeof ops): ComputeDef => instantiate(ops[name], {}, name);

const templatesOf = (name: keyof typeof ops, numerics: Numerics = "fast"): readonly string[] =>
  generateSpace({ op: defOf(name), target: frozenTargets.avx2, numerics, threads: 1 }).templates.map((it) => it.name);

describe("templates by name", () => {
  test.each([
    ["total", "total: vectors over k, row by row"],
    [
      "extremes",
      "product: vectors over k, row by row; smallest: vectors over k, row by row; largest: vectors over k, row by row",
    ],
    ["gemv", "y: vectors over k, rows of i together"],
    ["variances", "variance: vectors over k, row by row; variance.sum: vectors over k, under variance.b"],
    ["rmsNorm", "Y.sum: vectors over k, under Y.i"],
    ["layerNorm", "Y.sum2: vectors over k, under Y.i; Y.sum: vectors over k, under Y.i"],
    [
      "places",
      "last: vectors over k, row by row; last.argmin.min: vectors over k, under last.i; " +
        "first: vectors over k, row by row; first.argmax.max: vectors over k, under first.i",
    ],
  ] as const)("%s", (name, template) => {
    expect(templatesOf(name)).toEqual([template]);
  });

  test("what a tiled stage reads too is not computed under the rows of the other reader", () => {
    const names = templatesOf("twiceRead", "strict");
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name.includes("tiled") && name.includes("under out.i")).toBe(false);
  });

  test("strict numerics: sums of floats keep their order, integers have none", () => {
    expect(templatesOf("gemv", "strict")).toEqual(["plain"]);
    expect(templatesOf("extremes", "strict")).toEqual(templatesOf("extremes"));
  });
});

test("what is placed lives in registers", () => {
  const rng = createRng(1);
  const { trace } = caseOf({ number: 0, family: "rmsNorm", op: defOf("rmsNorm"), callsFunctions: true }, rng, [
    frozenTargets.wasm,
  ]);
  expect(printTrace(trace)).toContain("compute-at Y.sum at Y.i");
});

turn.each(Object.keys(ops) as (keyof typeof ops)[])("%s through the oracle chain", async (name) => {
  const report = newReport();
  const rng = createRng(1);
  const of = { number: 0, family: name, op: defOf(name), callsFunctions: name === "layerNorm" || name === "rmsNorm" };
  await runCases(
    report,
    Array.from({ length: 6 }, () => caseOf(of, rng)),
  );
  expect([...report.rejected, ...report.failures]).toEqual([]);
});
