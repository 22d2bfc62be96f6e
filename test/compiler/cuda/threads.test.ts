// Grids of threads on their way through the passes. Up to `distribute-threads` a loop over threads is a loop; behind it the
// interpreter runs the threads of a group beside each other. Both equal the reference.

import { describe, expect, test } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  authoring,
  type ComputeDef,
  fromCompute,
  type Instruction,
  instantiate,
  type LoopFunc,
  printStmt,
  schedule,
  type Trace,
} from "../../../src/compiler/index.ts";
import { dropFrom } from "../../../src/compiler/schedule/nest.ts";
import { cudaSm90 } from "../../../src/compiler/target/cuda.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { inTurn } from "../../support/long.ts";
import { referenceOf, wrongNest } from "../../support/reference.ts";
import { byGroups, byWarps, productOf } from "./schedules.ts";

const { compute, defineOp, tensor } = authoring;

/** The function after each pass, by the pass's name, in order. */
function passesOf(op: ComputeDef, trace: Trace): ReadonlyMap<string, LoopFunc> {
  const after = new Map<string, LoopFunc>();
  lower(schedule(fromCompute(op), trace), {
    target: cudaSm90,
    numerics: "fast",
    dump: (name, func) => after.set(name, func),
  });
  return after;
}

/** Mistakes, each with the pass behind which it is there; none: all forms equal the reference. */
function wrongAfter(op: ComputeDef, trace: Trace, names?: readonly string[]): readonly string[] {
  const reference = referenceOf(op, createRng(7));
  return [...passesOf(op, trace)].flatMap(([name, func]) => {
    const wrong = names && !names.includes(name) ? null : wrongNest(reference, func);
    return wrong ? [`${name}: ${wrong}`] : [];
  });
}

const transpose = instantiate(
  defineOp({ M: 40, N: 24 }, ({ M, N }) => {
    const A = tensor("A", [M, N], "f32");
    return compute("C", [N, M], (i, j) => A(j, i));
  }),
  {},
  "transpose",
);

/** Tiles of 8×8, which threads bring row by row and take column by column. */
const throughGroup: Trace = [
  { kind: "split", loop: "C.i", factors: [3, 8], tail: "perfect" },
  { kind: "split", loop: "C.j", factors: [5, 8], tail: "perfect" },
  { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.i.1", "C.j.1"] },
  { kind: "bind", loop: "C.i.0", axis: "blockIdx.y" },
  { kind: "bind", loop: "C.j.0", axis: "blockIdx.x" },
  { kind: "cache-read", buffer: "A", loop: "C.j.0", layout: [0, 1].map((dim) => ({ dim, part: "whole", tile: 1 })) },
  { kind: "set-scope", buffer: "A.pack", scope: "group" },
  { kind: "storage-align", buffer: "A.pack", dim: 0, factor: 8, offset: 1 },
  { kind: "bind", loop: "A.pack.0", axis: "threadIdx.y" },
  { kind: "bind", loop: "A.pack.1", axis: "threadIdx.x" },
  { kind: "bind", loop: "C.i.1", axis: "threadIdx.y" },
  { kind: "bind", loop: "C.j.1", axis: "threadIdx.x" },
];

describe("a transpose through the memory of the group", () => {
  test("has a barrier between what threads store and what others take", () => {
    expect(printStmt(passesOf(transpose, throughGroup).get("distribute-threads")!.body)).toMatchInlineSnapshot(`
      "for blockIdx.y in 0..3 blockIdx.y
        for blockIdx.x in 0..5 blockIdx.x
          for threadIdx.y in 0..8 threadIdx.y
            for threadIdx.x in 0..8 threadIdx.x
              A.pack[threadIdx.y * 9 + threadIdx.x] = A[blockIdx.x * 192 + threadIdx.y * 24 + blockIdx.y * 8 + threadIdx.x]
              barrier
              C[blockIdx.y * 320 + threadIdx.y * 40 + blockIdx.x * 8 + threadIdx.x] = A.pack[threadIdx.x * 9 + threadIdx.y]"
    `);
  });

  test("equals the reference after each pass", () => {
    expect(wrongAfter(transpose, throughGroup)).toEqual([]);
  });

  test("without its barrier it is found to be wrong", () => {
    const func = passesOf(transpose, throughGroup).get("expand-math")!;
    const without = { ...func, body: dropFrom(func.body, ({ kind }) => kind === "sync") };
    expect(wrongNest(referenceOf(transpose, createRng(7)), without)).toContain("never written");
  });
});

test("threads beside a shorter loop stand still, and one thread does what no loop gives to all", () => {
  const op = instantiate(
    defineOp({ N: 40 }, ({ N }) => {
      const X = tensor("X", [N], "f32");
      const double = compute("D", [N], (i) => X(i).mul(2));
      return compute("C", [N], (i) => double(i).add(1));
    }),
    {},
    "two",
  );
  const trace: Trace = [
    { kind: "split", loop: "C.i", factors: [3, 16], tail: "guard" },
    { kind: "compute-at", block: "D", loop: "C.i.0" },
    { kind: "set-scope", buffer: "D", scope: "group" },
    { kind: "bind", loop: "C.i.0", axis: "blockIdx.x" },
    { kind: "bind", loop: "C.i.1", axis: "threadIdx.x" },
  ];
  expect(wrongAfter(op, trace)).toEqual([]);
  const body = printStmt(passesOf(op, trace).get("distribute-threads")!.body);
  expect(body).toContain("if threadIdx.x == 0");
});

describe("products on tensor cores", () => {
  const behind = ["pipeline-loops", "warp-tiles", "distribute-threads", "promote-registers", "expand-math"];

  test.each([
    ["two warps, three slots", { rows: 32, columns: 32, depth: 16, across: 2, along: 1, stages: 3, neighbours: 1 }],
    ["four warps, two slots", { rows: 32, columns: 64, depth: 32, across: 2, along: 2, stages: 2, neighbours: 2 }],
  ])("by a warp: %s", (_, blocks) => {
    const sizes = { M: 64, N: 64, K: 64, dtype: "f16" } as const;
    expect(wrongAfter(productOf(sizes), byWarps(sizes, blocks), behind)).toEqual([]);
  });

  test.each(["by threads", "by boxes", "by boxes, warp-specialized"] as const)(
    "by a group of warps, on panels, copied %s, with bias and activation",
    (copies) => {
      const sizes = { M: 64, N: 128, K: 128, dtype: "bf16" } as const;
      const blocks = { rows: 64, columns: 128, depth: 64, across: 1, along: 1, stages: 3, neighbours: 1 };
      const op = productOf(sizes, { bias: true, activation: "relu" });
      expect(wrongAfter(op, byGroups(sizes, blocks, 128, copies), ["warp-tiles", "expand-math"])).toEqual([]);
    },
  );

  inTurn(2).each([3, 4])(
    "groups that compute several blocks copy the next one's operands beside the last steps of one, %i slots",
    (stages) => {
      const sizes = { M: 128, N: 128, K: 128, dtype: "bf16" } as const;
      const blocks = { rows: 64, columns: 128, depth: 64, across: 1, along: 1, stages, neighbours: 1, rounds: 2 };
      const block = "C.sum.i.0.0+C.sum.j.0+C.sum.i.0.1";
      const op = productOf(sizes, { bias: true, activation: "relu" });
      const trace = byGroups(sizes, blocks, 128, "by boxes, warp-specialized");
      expect(wrongAfter(op, trace, ["warp-tiles", "expand-math"])).toEqual([]);
      const text = printStmt(passesOf(op, trace).get("warp-tiles")!.body);
      // The first copies come before the loop over blocks, and iterations are counted through both of them.
      expect(text.indexOf("for C.sum.k.0.early")).toBeLessThan(text.indexOf(`for ${block}.0 in 0..2`));
      expect(text).toContain(`if ${block}.0 * 2 + C.sum.k.0 + ${stages - 1} < 4`);
    },
  );

  test.each([
    [
      "loops that are bound to the lanes which compute the tile inside",
      (each: Instruction): readonly Instruction[] =>
        each.kind === "bind" && each.loop === "C.sum.i.1" ? [{ ...each, axis: "threadIdx.x" }] : [each],
      "bind.taken: the threads along threadIdx.x store a tile of C.sum.acc together, and C.sum.i.1.init is bound to them",
    ],
    [
      "products of elements of a tile that lanes hold together",
      (each: Instruction): readonly Instruction[] => (each.kind === "tensorize" ? [] : [each]),
      "bind.shared-storage: the threads along threadIdx.x hold a tile of C.sum.acc together, and each of them computes with elements of it",
    ],
  ])("%s are refused", (_, changed, message) => {
    const sizes = { M: 64, N: 32, K: 32, dtype: "f16" } as const;
    const blocks = { rows: 64, columns: 32, depth: 32, across: 2, along: 1, stages: 1, neighbours: 1 };
    const scheduled = schedule(fromCompute(productOf(sizes)), byWarps(sizes, blocks).flatMap(changed));
    expect(() => lower(scheduled, { target: cudaSm90, numerics: "fast" })).toThrow(message);
  });

  test("boxes are copied by one thread, and their batches end beside them", () => {
    const sizes = { M: 64, N: 128, K: 256, dtype: "bf16" } as const;
    const blocks = { rows: 64, columns: 128, depth: 64, across: 1, along: 1, stages: 3, neighbours: 1 };
    const pipelined = passesOf(productOf(sizes), byGroups(sizes, blocks, 128, "by boxes")).get("warp-tiles")!;
    const text = printStmt(pipelined.body);
    expect(text.slice(text.indexOf("for C.sum.k.0.early"), text.indexOf("begin-products"))).toMatchInlineSnapshot(`
      "for C.sum.k.0.early in 0..1
            for B.pack.0 in 0..2
              B.pack[ramp(C.sum.k.0.early * 8192 + B.pack.0 * 4096, 1, 4096)] = B[ramp(ramp(C.sum.k.0.early * 8192 + B.pack.0 * 64, 1, 64), 128, 4096)]
            A.pack[ramp(C.sum.k.0.early * 4096, 1, 4096)] = A[ramp(ramp(C.sum.k.0.early * 64, 1, 64), 256, 4096)]
            fill of 3 slots
          for C.sum.k.0 in 0..4
            await-fill of 3 slots
            wait-products for all but 1
            barrier
            if C.sum.k.0 + 1 < 4
              for B.pack.0 in 0..2
                B.pack[ramp((C.sum.k.0 + 1) % 3 * 8192 + B.pack.0 * 4096, 1, 4096)] = B[ramp(ramp(C.sum.k.0 * 8192 + B.pack.0 * 64 + 8192, 1, 64), 128, 4096)]
              A.pack[ramp((C.sum.k.0 + 1) % 3 * 4096, 1, 4096)] = A[ramp(ramp(C.sum.k.0 * 64 + 64, 1, 64), 256, 4096)]
              fill of 3 slots
            "
    `);
  });
});

describe("what threads have of their own", () => {
  const { reduceAxis, sum } = authoring;
  const product = instantiate(
    defineOp({ M: 13, N: 16, K: 4 }, ({ M, N, K }) => {
      const [A, B] = [tensor("A", [M, K], "f32"), tensor("B", [K, N], "f32")];
      const k = reduceAxis("k", K);
      return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
    }),
    {},
    "product",
  );

  /** Two threads along the rows, eight rows each, the last of which are outside; four along the columns, two vectors each. */
  const rows = (tail: "guard" | "mask"): Trace => [
    { kind: "split", loop: "C.i", factors: [1, 2, 8], tail },
    { kind: "split", loop: "C.j", factors: [1, 2, 4, 2], tail: "perfect" },
    { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.k", "C.i.1", "C.j.2", "C.i.2", "C.j.1", "C.j.3"] },
    { kind: "bind", loop: "C.i.0", axis: "blockIdx.x" },
    { kind: "bind", loop: "C.i.1", axis: "threadIdx.y" },
    { kind: "bind", loop: "C.j.2", axis: "threadIdx.x" },
    { kind: "unroll", loop: "C.i.2" },
    { kind: "unroll", loop: "C.j.1" },
    { kind: "vectorize", loop: "C.j.3" },
    { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
  ];

  test.each(["guard", "mask"] as const)(
    "sums stay in registers where a condition leaves one thread alone: %s",
    (tail) => {
      expect(wrongAfter(product, rows(tail))).toEqual([]);
      const flat = [...passesOf(product, rows(tail)).values()].at(-1)!;
      expect(flat.buffers.map(({ memory }) => memory)).toEqual(["caller", "caller", "caller"]);
    },
  );

  test("stores of different elements make nobody wait", () => {
    const text = printStmt(passesOf(product, rows("guard")).get("distribute-threads")!.body);
    expect(text).not.toContain("barrier");
  });

  const inSteps: Trace = [
    ...rows("mask").slice(0, -1),
    { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
    { kind: "cache-read", buffer: "B", loop: "C.k", layout: [0, 1].map((dim) => ({ dim, part: "whole", tile: 1 })) },
    { kind: "set-scope", buffer: "B.pack", scope: "group" },
    { kind: "split", loop: "B.pack.1", factors: [4, 4], tail: "perfect" },
    { kind: "bind", loop: "B.pack.1.1", axis: "threadIdx.x" },
    { kind: "unroll", loop: "B.pack.1.0" },
  ];

  test("copies of a step are made without waiting, and waited for once", () => {
    expect(wrongAfter(product, inSteps)).toEqual([]);
    const text = printStmt(passesOf(product, inSteps).get("distribute-threads")!.body);
    expect(text.match(/barrier/g)).toHaveLength(2);
  });
});
