// The spaces of GPUs with tensor cores: products on them, and all else as on other GPUs. No GPU is needed: schedules are lowered and
// printed, and what they compute is interpreted before threads run all of the function.

import { describe, expect, test } from "vitest";
import {
  type AcceleratorTarget,
  type Assignment,
  authoring,
  type ComputeDef,
  type CudaSource,
  cudaSm80,
  cudaSm90,
  fromCompute,
  generateKernel,
  instantiate,
  instantiateTemplate,
  type LoopFunc,
  lower,
  type Numerics,
  type Op,
  opLibrary,
  printTrace,
  schedule,
  type Trace,
} from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { explainSpace } from "../../../src/tuner/space/explain-space.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { fewer, inTurn } from "../../support/long.ts";
import { referenceOf, wrongAccesses, wrongNest } from "../../support/reference.ts";

const turn = inTurn(7);

const { batchMatmul, conv2d, gemm, gemmExpGemm, layerNorm, softmax, sum } = opLibrary;

interface Asked {
  readonly target?: AcceleratorTarget;
  readonly numerics?: Numerics;
}

const defined = (op: Op): ComputeDef => instantiate(op, {}, "op");

const spaceOf = (op: ComputeDef, { target = cudaSm90, numerics = "fast" }: Asked = {}): GeneratedSpace =>
  generateSpace({ op, target, numerics, threads: 1 });

interface Drawn {
  readonly assignment: Assignment;
  readonly trace: Trace;
}

function draw({ model, instructions }: Template, count: number): readonly Drawn[] {
  const [compiled, rng] = [compileModel(model), createRng(1)];
  return Array.from({ length: count }, () => {
    const point = sample(compiled, rng);
    if (point.kind !== "found") throw new Error(`no point: ${point.kind}`);
    return { assignment: point.assignment, trace: instantiateTemplate(instructions, point.assignment) };
  });
}

interface Lowered {
  /** The function in which a loop over threads is a loop like any other. */
  readonly before: LoopFunc;
  /** The function that each thread runs. */
  readonly threads: LoopFunc;
}

function loweredThreads(op: ComputeDef, trace: Trace, numerics: Numerics): Lowered {
  const passed: { name: string; func: LoopFunc }[] = [];
  const dump = (name: string, func: LoopFunc): void => void passed.push({ name, func });
  const threads = lower(schedule(fromCompute(op), trace), { target: cudaSm90, numerics, dump });
  return { before: passed[passed.findIndex(({ name }) => name === "distribute-threads") - 1]!.func, threads };
}

/** Names of the templates that read operands where they lie. */
const names = (op: Op, asked: Asked = {}): readonly string[] =>
  spaceOf(defined(op), asked).templates.flatMap(({ name, algorithm }) => (algorithm === null ? [name] : []));

/** Two element-wise stages. */
const chain = authoring.defineOp({ N: 300 }, ({ N }) => {
  const x = authoring.tensor("x", [N], "f32");
  const doubled = authoring.compute("doubled", [N], (i) => x(i).mul(2));
  return authoring.compute("y", [N], (i) => doubled(i).max(0));
});

/** A product of a matrix that is doubled before. */
const ofDoubled = authoring.defineOp({ M: 32, N: 32, K: 16 }, ({ M, N, K }) => {
  const [X, B] = [authoring.tensor("X", [M, K], "f16"), authoring.tensor("B", [K, N], "f16")];
  const A = authoring.compute("A", [M, K], (i, k) => authoring.cast(X(i, k).mul(2), "f16"));
  const k = authoring.reduceAxis("k", K);
  return authoring.compute("C", [M, N], (i, j) =>
    authoring.sum(authoring.cast(A(i, k), "f32").mul(authoring.cast(B(k, j), "f32")), k),
  );
});

/** A product that several maps finish, one after the other: D = f16(max(A · B + 1, 0) · 2) */
const withMaps = authoring.defineOp({ M: 64, N: 64, K: 64 }, ({ M, N, K }) => {
  const [A, B] = [authoring.tensor("A", [M, K], "f16"), authoring.tensor("B", [K, N], "f16")];
  const k = authoring.reduceAxis("k", K);
  const C = authoring.compute("C", [M, N], (i, j) => authoring.sum(A(i, k).mul(B(k, j)), k).add(1));
  const active = authoring.compute("active", [M, N], (i, j) => C(i, j).max(0));
  return authoring.compute("D", [M, N], (i, j) => authoring.cast(active(i, j).mul(2), "f16"));
});

/** A gated layer: Y = max(X · U, 0) · (X · V) */
const gated = authoring.defineOp({ M: 64, N: 64, K: 64 }, ({ M, N, K }) => {
  const [X, U, V] = (["X", "U", "V"] as const).map((name) => authoring.tensor(name, [K, N], "f16"));
  const product = (name: string, of: authoring.Tensor) => {
    const k = authoring.reduceAxis("k", K);
    return authoring.compute(name, [M, N], (i, j) => authoring.sum(X!(i, k).mul(of(k, j)), k));
  };
  const [P, Q] = [product("P", U!), product("Q", V!)];
  return authoring.compute("Y", [M, N], (i, j) => P(i, j).max(0).mul(Q(i, j)));
});

const half = { dtype: "f16" } as const;
const square = (size: number) => ({ M: size, N: size, K: size, ...half });

describe("templates", () => {
  const tiles = "C with C.sum in tiles of threads";
  const inTiles = [tiles, `${tiles}, operands in their group`];
  const inSlices = [...inTiles, `${tiles}, k in slices`];

  turn.each<readonly [string, Op, readonly string[]]>([
    ["a product with a cast", gemm(square(64)), ["C with C.sum on tensor cores"]],
    ["a depth that is no whole panels", gemm({ ...square(128), K: 208 }), ["C with C.sum on tensor cores"]],
    ["bias and activation", gemm(square(64), { bias: true, activation: "relu" }), ["C with C.sum on tensor cores"]],
    ["batches", batchMatmul({ batch: 3, ...square(64), dtype: "bf16" }), ["C with C.sum on tensor cores"]],
    ["an extent that is no multiple of 16", gemm({ ...square(64), N: 40 }), inSlices],
    ["extents that no two warps divide alike", gemm({ M: 1008, N: 80, K: 112, ...half }), inTiles],
    [
      "a convolution",
      conv2d({ H: 8, W: 8, C: 16, F: 16, ...half }),
      inTiles.map((name) => name.replaceAll("C", "out")),
    ],
  ])("%s", (_, op, expected) => {
    expect(names(op)).toEqual(expected);
  });

  test("other types, and sums in their order, are no matter of tensor cores", () => {
    expect(names(gemm({ M: 64, N: 64, K: 64 }))[0]).toBe("C in tiles of threads");
    expect(names(gemm(square(64)), { numerics: "strict" })).toEqual(inTiles);
  });

  test("several maps finish a product, and so does one that reads another product", () => {
    expect(names(withMaps)).toEqual(["D with C.sum on tensor cores"]);
    expect(names(gated)).toEqual(["Y with Q on tensor cores; P on tensor cores"]);
  });

  test("an operand that is computed before is a launch of its own", () => {
    expect(names(ofDoubled)).toEqual(["C on tensor cores; A in vectors of threads"]);
  });

  test("rows are added up by several threads", () => {
    expect(names(softmax({ M: 64, N: 256 }))).toContain("Y with Y.max, Y.sum by rows, kept in registers as vectors");
  });

  test("each width of Hopper's instruction that divides the columns is one, and Ampere has none", () => {
    const product = gemm({ M: 128, N: 384, K: 256, ...half });
    const widths = names(product).map((name) => name.replace("C with C.sum on tensor cores", ""));
    const wide = [64, 128, 192].map((columns) => `, ${columns} columns at once`);
    const boxes = ["by boxes", "by boxes, warp-specialized", "by boxes, warp-specialized, persistent"];
    expect(widths).toEqual(["", ...wide, ...boxes.flatMap((copying) => wide.map((name) => `${name}, ${copying}`))]);
    expect(names(product, { target: cudaSm80 })).toEqual(["C with C.sum on tensor cores"]);
  });
});

test("element-wise stages are one launch, what a product reads is another", () => {
  const launchesOf = (library: Op): number => {
    const op = defined(library);
    const [{ trace }] = draw(spaceOf(op).templates[0]!, 1) as [Drawn];
    const kernel = generateKernel(op, trace, cudaSm90, { numerics: "fast", verify: true });
    return kernel.kind === "ok" ? (kernel.source as CudaSource).launches.length : 0;
  };
  expect([chain, ofDoubled, softmax({ M: 4, N: 8 })].map(launchesOf)).toEqual([1, 2, 3]);
});

describe("30 schedules of each template of a product are legal, printed, and take the memory that their constraint says", () => {
  turn.each([
    ["gemm", gemm(square(512))],
    ["bias and activation", gemm(square(512), { bias: true, activation: "relu" })],
    ["batches", batchMatmul({ batch: 3, ...square(512) })],
  ])(
    "%s",
    (_, library) => {
      const op = defined(library);
      const { templates } = spaceOf(op);
      expect(templates.length).toBeGreaterThan(3);
      for (const { assignment, trace } of templates.flatMap((template) => draw(template, fewer(30)))) {
        const kernel = generateKernel(op, trace, cudaSm90, { numerics: "fast", verify: false });
        if (kernel.kind !== "ok") throw new Error(`${kernel.diagnostic.message}\n${printTrace(trace)}`);
        const { launches, architecture } = kernel.source as CudaSource;
        expect(launches.map(({ groupBytes }) => groupBytes)).toEqual([assignment["C.sum.group-bytes"]]);
        expect(launches[0]!.group.reduce((all, extent) => all * extent, 1)).toBe(assignment["C.sum.threads"]);
        expect(architecture).toMatch(/^sm_90/);
      }
    },
    120_000,
  );
});

describe("what schedules compute", () => {
  turn.each([
    ["gemm", gemm(square(64)), 4],
    ["a single group of threads", gemm(square(16 * 2)), 4],
    ["bias and activation", gemm({ ...square(64), K: 32 }, { bias: true, activation: "relu" }), 4],
    ["batches", batchMatmul({ batch: 2, ...square(32) }), 4],
    ["products of four warps", gemm({ M: 64, N: 128, K: 128, dtype: "bf16" }, { bias: true }), 1],
    ["two products", gemmExpGemm({ M: 32, N: 32, K: 16, L: 16, ...half }), 2],
    ["an operand that is computed before", ofDoubled, 3],
    ["several maps behind the sums", withMaps, 2],
    ["a gate of two products", gated, 1],
    ["element-wise stages", chain, 2],
    ["softmax", softmax({ M: 5, N: 37 }), 2],
    ["layerNorm", layerNorm({ M: 3, N: 150 }), 2],
    ["sums of rows", sum({ M: 4, N: 33 }), 2],
  ])(
    "%s",
    (_, library, count) => {
      const op = defined(library);
      const reference = referenceOf(op, createRng(1));
      for (const numerics of ["fast", "strict"] as const) {
        for (const template of spaceOf(op, { numerics }).templates) {
          for (const { trace } of draw(template, fewer(count))) {
            const { before, threads } = loweredThreads(op, trace, numerics);
            expect(wrongNest(reference, before), printTrace(trace)).toBeNull();
            expect(wrongAccesses(reference, threads), printTrace(trace)).toBeNull();
          }
        }
      }
    },
    120_000,
  );
});

describe("limits", () => {
  const asked = (limits: Readonly<Record<string, number>>): Asked => {
    return { target: { ...cudaSm80, limits: { ...cudaSm80.limits, ...limits } } };
  };

  test.each([
    ["groupBytes", 1024, "tiles of A and B for all steps at hand fit the 1024 bytes of a group"],
    ["threadsPerGroup", 32, "a group has at most 32 threads"],
    ["registersPerProcessor", 1024, "the threads of a group fit 1024 registers"],
  ])("an empty space says which one is too small: %s", (name, value, why) => {
    expect(explainSpace(spaceOf(defined(gemm(square(512))), asked({ [name]: value }))).detail).toContain(why);
  });

  test("a large product is predicted to be fast in large tiles, with several steps ahead", () => {
    const { template, assignment } = predict(spaceOf(defined(gemm({ ...square(4096), dtype: "bf16" }))))!;
    expect(template).toBe("C with C.sum on tensor cores, 256 columns at once");
    const tiles = (axis: string, tile: number): number =>
      tile * assignment[`C.sum.${axis}.warps`]! * assignment[`C.sum.${axis}.register`]!;
    expect([tiles("i", 64), tiles("j", 256)]).toEqual([128, 256]);
    expect(assignment["C.sum.stages"]).toBeGreaterThanOrEqual(3);
    expect(assignment["C.sum.k.unroll"]).toBeGreaterThanOrEqual(2);
  }, 60_000);
});
