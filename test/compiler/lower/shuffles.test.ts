// Sums that neighbouring threads add up by shuffles, on their way through the passes: each form equals the reference, threads beside each other
// in the interpreter as well, and a mistake in one is seen.

import { describe, expect, test } from "vitest";
import { codeGeneratorOf } from "../../../src/compiler/backend/code-generators.ts";
import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  type AcceleratorTarget,
  authoring,
  type CudaSource,
  cudaSm80,
  fromCompute,
  instantiate,
  type LoopFunc,
  printStmt,
  type Stmt,
  schedule,
  type Trace,
  type WgslSource,
  webgpu,
  withShuffles,
} from "../../../src/compiler/index.ts";
import { add, assign, constOf, define, localOf, seq, shuffle, store } from "../../../src/compiler/ir/build.ts";
import { verify } from "../../../src/compiler/ir/verify.ts";
import { mapStmt, walkStmt } from "../../../src/compiler/ir/visit.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { referenceOf, wrongNest } from "../../support/reference.ts";

const { compute, defineOp, max, reduceAxis, sum, tensor } = authoring;

const rowsOf = (reduce: typeof sum) =>
  instantiate(
    defineOp({ M: 6, N: 75 }, ({ M, N }) => {
      const X = tensor("X", [M, N], "f32");
      const k = reduceAxis("k", N);
      return compute("y", [M], (i) => reduce(X(i, k), k));
    }),
    {},
    "rows",
  );

/** Threads of two rows a group, each of which has a part of its row in a register. */
const partsOf = (threads: number): Trace => [
  { kind: "split", loop: "y.i", factors: [3, 2], tail: "perfect" },
  { kind: "split", loop: "y.k", factors: [0, threads], tail: "guard" },
  { kind: "reorder", loops: ["y.i.0", "y.k.1", "y.i.1", "y.k.0"] },
  { kind: "rfactor", loop: "y.k.1" },
  { kind: "set-scope", buffer: "y.rf", scope: "register" },
  { kind: "bind", loop: "y.i.0", axis: "blockIdx.x" },
  { kind: "bind", loop: "y.k.1", axis: "threadIdx.x" },
  { kind: "bind", loop: "y.i.1", axis: "threadIdx.y" },
  { kind: "cache-write", block: "y.rf", loop: "y.i.1", scope: "register" },
];

/** All threads of a row are neighbours. */
const atOnce = (threads: number): Trace => [
  ...partsOf(threads),
  { kind: "bind", loop: "y.i.1.final", axis: "threadIdx.y" },
  { kind: "annotate", loop: "y.k.1.final", key: "shuffle", value: 1 },
  { kind: "cache-write", block: "y", loop: "y.i.1.final", scope: "register" },
];

/** Neighbours add up their parts, and each thread what neighbours have. */
const inSteps = (threads: number, lanes: number): Trace => [
  ...partsOf(threads),
  { kind: "split", loop: "y.k.1.final", factors: [threads / lanes, lanes], tail: "perfect" },
  { kind: "reorder", loops: ["y.k.1.final.0", "y.i.1.final", "y.k.1.final.1"] },
  { kind: "rfactor", loop: "y.k.1.final.0" },
  { kind: "set-scope", buffer: "y.rf2", scope: "group" },
  { kind: "bind", loop: "y.k.1.final.0", axis: "threadIdx.x" },
  { kind: "bind", loop: "y.i.1.final", axis: "threadIdx.y" },
  { kind: "annotate", loop: "y.k.1.final.1", key: "shuffle", value: 1 },
  { kind: "cache-write", block: "y.rf2", loop: "y.i.1.final", scope: "register" },
  { kind: "bind", loop: "y.i.1.final.final", axis: "threadIdx.y" },
  { kind: "cache-write", block: "y", loop: "y.i.1.final.final", scope: "register" },
];

function passesOf(trace: Trace, target: AcceleratorTarget, reduce = sum): ReadonlyMap<string, LoopFunc> {
  const after = new Map<string, LoopFunc>();
  lower(schedule(fromCompute(rowsOf(reduce)), trace), {
    target,
    numerics: "fast",
    dump: (name, func) => after.set(name, func),
  });
  return after;
}

const subgroupsOf8 = withShuffles(webgpu, 8);

describe.each([
  ["8 neighbours", atOnce(8), [1, 2, 4]],
  ["32 threads, 8 neighbours", inSteps(32, 8), [1, 2, 4]],
] as const)("%s", (_, trace, masks) => {
  test.each([
    ["sums", sum],
    ["greatest", max],
  ] as const)("%s of rows equal the reference after each pass", (_, reduce) => {
    const reference = referenceOf(rowsOf(reduce), createRng(7));
    const passes = passesOf(trace, subgroupsOf8, reduce);
    for (const [name, func] of passes) expect(wrongNest(reference, func), name).toBeNull();
    expect(masksIn(passes.get("distribute-threads")!.body)).toEqual(masks);
  });

  test("a shuffle with another thread is found to be wrong", () => {
    const func = passesOf(trace, subgroupsOf8).get("share-values")!;
    const body = mapStmt(func.body, (stmt) =>
      stmt.kind === "define" && stmt.value.kind === "shuffle" && stmt.value.mask === 4
        ? { ...stmt, value: { ...stmt.value, mask: 2 } }
        : stmt,
    );
    expect(wrongNest(referenceOf(rowsOf(sum), createRng(7)), { ...func, body })).toContain("the reference gives");
  });
});

function masksIn(body: Stmt): readonly number[] {
  const masks: number[] = [];
  walkStmt(body, (stmt) => {
    if (stmt.kind === "define" && stmt.value.kind === "shuffle") masks.push(stmt.value.mask);
  });
  return masks;
}

test("neighbours need no barrier and no memory of the group", () => {
  const func = passesOf(atOnce(8), subgroupsOf8).get("promote-registers")!;
  expect(func.buffers.map(({ name }) => name)).toEqual(["X", "y"]);
  expect(printStmt(func.body)).toMatchInlineSnapshot(`
    "for blockIdx.x in 0..3 blockIdx.x
      for threadIdx.y in 0..2 threadIdx.y
        for threadIdx.x in 0..8 threadIdx.x
          let y.rf.acc_0: f32 = 0.0
          for y.k.0 in 0..10
            if y.k.0 * 8 + threadIdx.x < 75
              y.rf.acc_0 = y.rf.acc_0 + X[blockIdx.x * 150 + threadIdx.y * 75 + y.k.0 * 8 + threadIdx.x]
          let y.rf_0: f32 = y.rf.acc_0
          let y.acc_0: f32 = 0.0
          let y.acc.0.own: f32 = y.rf_0
          let y.acc.0.other1: f32 = shuffle(y.acc.0.own, 1)
          let y.acc.0.both1: f32 = y.acc.0.own + y.acc.0.other1
          let y.acc.0.other2: f32 = shuffle(y.acc.0.both1, 2)
          let y.acc.0.both2: f32 = y.acc.0.both1 + y.acc.0.other2
          let y.acc.0.other4: f32 = shuffle(y.acc.0.both2, 4)
          let y.acc.0.both4: f32 = y.acc.0.both2 + y.acc.0.other4
          y.acc_0 = y.acc_0 + y.acc.0.both4
          if threadIdx.x == 0
            y[blockIdx.x * 2 + threadIdx.y] = y.acc_0"
  `);
});

test("a loop over other threads than those of the group stays a loop, and goes through the memory of the group", () => {
  const trace: Trace = [
    ...partsOf(16),
    { kind: "split", loop: "y.k.1.final", factors: [2, 8], tail: "perfect" },
    { kind: "bind", loop: "y.i.1.final", axis: "threadIdx.y" },
    { kind: "annotate", loop: "y.k.1.final.1", key: "shuffle", value: 1 },
    { kind: "cache-write", block: "y", loop: "y.i.1.final", scope: "register" },
  ];
  const passes = passesOf(trace, subgroupsOf8);
  const reference = referenceOf(rowsOf(sum), createRng(7));
  for (const [name, func] of passes) expect(wrongNest(reference, func), name).toBeNull();
  const { body, buffers } = passes.get("distribute-threads")!;
  expect(masksIn(body)).toEqual([]);
  expect(buffers.find(({ name }) => name === "y.rf")).toMatchObject({ memory: "group" });
});

test("more neighbours than the machine has stay a loop", () => {
  for (const target of [webgpu, withShuffles(webgpu, 4)]) {
    const func = passesOf(atOnce(8), target).get("share-values")!;
    expect(wrongNest(referenceOf(rowsOf(sum), createRng(7)), func)).toBeNull();
    expect(masksIn(func.body)).toEqual([]);
  }
});

describe("texts", () => {
  const textOf = (trace: Trace, target: AcceleratorTarget): CudaSource | WgslSource => {
    const options = { target, numerics: "fast", relaxed: false } as const;
    return codeGeneratorOf(target).generate([...passesOf(trace, target).values()].at(-1)!, options) as never;
  };

  test("WGSL asks for subgroups", () => {
    const source = textOf(atOnce(8), subgroupsOf8) as WgslSource;
    expect(source.features).toEqual(["subgroups"]);
    expect(source.text).toMatch(/^enable subgroups;\n/);
    expect(source.text.match(/subgroupShuffleXor\(\w+, [124]u\)/g)).toHaveLength(3);
    expect(source.text).not.toContain("workgroupBarrier");
  });

  test("CUDA names the threads of a warp, of a group smaller than one those that it has", () => {
    expect(textOf(atOnce(16), cudaSm80).text).toContain("__shfl_xor_sync(0xffffffffu, ");
    expect(textOf(atOnce(8), cudaSm80).text).toContain("__shfl_xor_sync(0xffffu, ");
  });
});

test("a shuffle is all that a local is defined by", () => {
  const x = localOf("x", "f32");
  const y = { name: "y", dtype: "f32", shape: [1], role: "output", memory: "caller" } as const;
  const problemsOf = (...stmts: readonly Stmt[]): readonly string[] =>
    verify({ name: "f", buffers: [y], body: seq(define("x", constOf("f32", 1)), ...stmts) }, "flat");
  const at0 = [constOf("i32", 0)];
  expect(problemsOf(define("z", shuffle(x, 2)), store(y, at0, x))).toEqual([]);
  expect(problemsOf(define("z", add(x, shuffle(x, 2))))[0]).toContain("a shuffle is part of x + shuffle(x, 2)");
  expect(problemsOf(store(y, at0, shuffle(x, 1)))[0]).toContain("a shuffle is stored");
  expect(problemsOf(assign("x", shuffle(x, 1)))[0]).toContain("a shuffle is assigned");
  expect(problemsOf(define("z", shuffle(x, 3)))[0]).toContain("a mask of 3");
});
