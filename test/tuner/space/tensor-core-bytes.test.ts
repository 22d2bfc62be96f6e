// Products of bytes on tensor cores: which products are for them, what their schedules take of a group, and that they compute all bytes
// exactly, as the interpreter and the CPU run them.

import { describe, expect, test } from "vitest";
import {
  type AcceleratorTarget,
  authoring,
  type ComputeDef,
  type CudaSource,
  cudaSm80,
  cudaSm90,
  fromCompute,
  generateKernel,
  instantiate,
  lower,
  type Op,
  opLibrary,
  printDiagnostic,
  schedule,
} from "../../../src/compiler/index.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { priorNs } from "../../../src/tuner/search/point/prior.ts";
import { findPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { type GeneratedSpace, generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { wrongOnCpu } from "../../gpu/sweep/cuda-on-cpu.ts";
import { wrongInterpreted } from "../../gpu/sweep/interpreted.ts";
import {
  alongChannels,
  type BytePair,
  bytePairs,
  finished,
  inBatches,
  instantiated,
  referenceOfBytes,
  transposed,
  withVector,
} from "../../support/byte-products.ts";
import { noFakeGpu } from "../../support/cuda.ts";
import { fewer, inTurn } from "../../support/long.ts";
import { type DrawnSchedule, describeSchedule, drawSchedules } from "../../support/thread-schedules.ts";

const turn = inTurn(8);

const spaceOf = (op: ComputeDef, target: AcceleratorTarget = cudaSm80): GeneratedSpace =>
  generateSpace({ op, target, numerics: "strict", threads: 1 });

/** Templates that read their operands where they lie. */
const directOf = (op: ComputeDef, target?: AcceleratorTarget): readonly Template[] =>
  spaceOf(op, target).templates.filter(({ algorithm }) => algorithm === null);

const templatesOf = (op: ComputeDef, target?: AcceleratorTarget): readonly Template[] =>
  directOf(op, target).filter(({ name }) => name.includes("on tensor cores"));

function sourceOf(op: ComputeDef, drawn: DrawnSchedule, target: AcceleratorTarget = cudaSm80): CudaSource {
  const kernel = generateKernel(op, drawn.trace, target, { numerics: "strict", verify: true });
  if (kernel.kind !== "ok") throw new Error(`${printDiagnostic(kernel.diagnostic)}\n${describeSchedule(drawn)}`);
  return kernel.source as CudaSource;
}

const signed: BytePair = ["i8", "i8"];
const titled = bytePairs.map((pair) => [pair.join(" · "), pair] as const);

type Sizes = readonly [m: number, n: number, depth: number];

/** C[i, j] = Σ A[i, k] · B[k, j]: neighbours along the depth are no neighbours in B. */
const across = ([a, b]: BytePair, [m, n, depth]: Sizes): Op =>
  opLibrary.gemm({ M: m, N: n, K: depth, dtype: a, dtypeB: b });

/** C[i, j] = Σ A[k, i] · B[k, j], where neither lies along the depth. */
const bothAcross = ([a, b]: BytePair, [m, n, depth]: Sizes): Op =>
  authoring.defineOp({}, () => {
    const { compute, reduceAxis, sum, tensor } = authoring;
    const [A, B, k] = [tensor("A", [depth, m], a), tensor("B", [depth, n], b), reduceAxis("k", depth)];
    return compute("C", [m, n], (i, j) => sum(A(k, i).cast("i32").mul(B(k, j).cast("i32")), k));
  });

describe("products that are for tensor cores", () => {
  test.each(titled)("%s, in batches and with what finishes the sums, in numerics strict too", (_, pair) => {
    const names = [transposed, inBatches, across, bothAcross, finished].map((make) =>
      directOf(instantiated(make(pair, [64, 64, 64]))).map(({ name }) => name),
    );
    const own = Array.from({ length: 4 }, () => ["C on tensor cores"]);
    expect(names).toEqual([...own, ["C with sums on tensor cores"]]);
  });

  turn.each([
    ["a depth that is no multiple of 32", transposed(signed, [64, 64, 48])],
    ["rows that are no multiple of 16", transposed(signed, [40, 64, 64])],
    ["a vector", withVector(signed, [64, 1, 64])],
    ["a convolution", alongChannels(signed, [64, 64, 64])],
  ])("others are none: %s", (_, op) => {
    expect(templatesOf(instantiated(op))).toEqual([]);
    expect(spaceOf(instantiated(op)).templates.length).toBeGreaterThan(0);
  });
});

describe("30 schedules are legal, printed, and take the memory and the threads that their constraints say", () => {
  turn.each([cudaSm80, cudaSm90])(
    "$name",
    (target) => {
      for (const make of [transposed, inBatches, across, bothAcross]) {
        const op = instantiated(make(signed, [512, 256, 512]));
        const [template] = templatesOf(op, target);
        for (const drawn of drawSchedules(template!, fewer(30), 1)) {
          const { launches, text } = sourceOf(op, drawn, target);
          expect(launches.map(({ groupBytes }) => groupBytes)).toEqual([drawn.assignment["C.group-bytes"]]);
          expect(launches[0]!.group.reduce((all, extent) => all * extent, 1)).toBe(drawn.assignment["C.threads"]);
          expect(text).toContain("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
          // What lies across the depth is turned by threads, which a copy in the background does not do.
          expect(text.includes("uk_copy16(")).toBe(make !== bothAcross);
        }
      }
    },
    60_000,
  );
});

describe("schedules compute all bytes exactly", () => {
  const made = [transposed, inBatches, across, bothAcross, finished].flatMap((make) =>
    titled.map(([title, pair]) => ({ make, title, pair })),
  );

  /** Schedules of a product, with a reference of bytes of all values and one of the least and the greatest. */
  const drawnFor = ({ make, pair }: (typeof made)[number]) => {
    const op = instantiated(make(pair, [32, 64, 96]));
    const [template] = templatesOf(op);
    return [false, true].map((areExtremes, seed) => {
      return {
        op,
        reference: referenceOfBytes(op, createRng(seed), areExtremes),
        drawn: drawSchedules(template!, fewer(2), 7 + seed),
      };
    });
  };

  turn.each(made)(
    "$make.name, $title, interpreted",
    (product) => {
      for (const { op, reference, drawn } of drawnFor(product)) {
        for (const each of drawn) {
          const flat = lower(schedule(fromCompute(op), each.trace), { target: cudaSm80, numerics: "strict" });
          expect(wrongInterpreted(reference, flat), describeSchedule(each)).toBeNull();
        }
      }
    },
    60_000,
  );

  describe.skipIf(noFakeGpu !== null)(`on the CPU${noFakeGpu ? ` (${noFakeGpu})` : ""}`, () => {
    turn.each(made)(
      "$make.name, $title",
      (product) => {
        for (const { op, reference, drawn } of drawnFor(product)) {
          const sources = drawn.map((each) => sourceOf(op, each));
          const wrong = wrongOnCpu(reference, sources);
          for (const [at, each] of drawn.entries()) expect(wrong[at], describeSchedule(each)).toBeNull();
        }
      },
      60_000,
    );
  });
});

turn("a large product of bytes is predicted to take a little more than half as long as one of halves", () => {
  const predictedNs = (op: ComputeDef): number => {
    const space = generateSpace({ op, target: cudaSm80, numerics: "fast", threads: 1 });
    const search = searchSpace(space, { prior: space.prior });
    return priorNs(search, findPoint(search, predict(space)!)!);
  };
  const sizes = { M: 4096, N: 4096, K: 4096 };
  const bytes = predictedNs(instantiated(transposed(signed, [sizes.M, sizes.N, sizes.K])));
  const ratio = bytes / predictedNs(instantiate(opLibrary.gemm({ ...sizes, dtype: "f16" }), {}, "gemm"));
  expect(ratio).toBeGreaterThan(0.45);
  expect(ratio).toBeLessThan(0.7);
});
