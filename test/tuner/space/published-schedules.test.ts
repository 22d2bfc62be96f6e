// Schedules of the literature, written by hand with the primitives: each is a member of the space that the rules generate.

import { describe, expect, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../../fixtures/ops/gemm-int8.op.ts";
import {
  type CpuTarget,
  instantiate,
  instantiateTemplate,
  type LayoutDim,
  lower,
  type Op,
  printFunc,
  printTrace,
  schedule,
  type Trace,
} from "../../../src/compiler/index.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import { findPoint, searchSpace } from "../../../src/tuner/search/point/search-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../support/frozen-targets.ts";
import { referenceOf, wrongNest } from "../../support/reference.ts";

interface Published {
  readonly op: Op;
  readonly shape: { readonly M: number; readonly N: number; readonly K: number };
  readonly template: string;
  readonly target: CpuTarget;
  readonly schedule: Trace;
  /** The decisions that lead to it. */
  readonly assignment: Candidate["assignment"];
}

/** Returns the trace of the decisions in the space; null: the space does not have them. */
function memberTrace({ op, shape, template, target, assignment }: Published): Trace | null {
  const space = generateSpace({ op: instantiate(op, shape, "gemm"), target, numerics: "fast", threads: 1 });
  const candidate = { template, assignment };
  if (!findPoint(searchSpace(space), candidate)) return null;
  return instantiateTemplate(space.templates.find(({ name }) => name === candidate.template)!.instructions, assignment);
}

/** A matrix in panels of `tile` along `dim`, each with its other dimension whole. */
const panels = (dim: 0 | 1, tile: number): readonly LayoutDim<number>[] => [
  { dim, part: "outer", tile },
  { dim: 1 - dim, part: "whole", tile: 1 },
  { dim, part: "inner", tile },
];

/**
 * Goto's algorithm as BLIS has it (Van Zee and van de Geijn, TOMS 2015): jc, pc, a panel of B packed, ic, a block of A
 * packed, jr, ir, and a micro-kernel of 6 × 16 over kc. Its blocks for Haswell: mc 168, kc 256, nc 4080.
 */
const blis: Published = {
  op: gemm,
  shape: { M: 1008, N: 8160, K: 1024 },
  template: "C tiled",
  target: { ...frozenTargets.avx2, l3Bytes: 8 * 1024 * 1024 },
  schedule: [
    { kind: "split", loop: "C.i", factors: [0, 28, 6], tail: "cut" },
    { kind: "split", loop: "C.j", factors: [0, 255, 2, 8], tail: "cut" },
    { kind: "split", loop: "C.k", factors: [0, 256, 1], tail: "cut" },
    {
      kind: "reorder",
      loops: ["C.j.0", "C.k.0", "C.i.0", "C.j.1", "C.i.1", "C.k.1", "C.k.2", "C.i.2", "C.j.2", "C.j.3"],
    },
    {
      kind: "cache-read",
      buffer: "A",
      loop: "C.i.0",
      layout: panels(0, 6),
    },
    { kind: "unroll", loop: "A.pack.2" },
    {
      kind: "cache-read",
      buffer: "B",
      loop: "C.k.0",
      layout: panels(1, 16),
    },
    { kind: "split", loop: "B.pack.2", factors: [0, 8], tail: "perfect" },
    { kind: "vectorize", loop: "B.pack.2.1" },
    { kind: "unroll", loop: "B.pack.2.0" },
    { kind: "vectorize", loop: "C.j.3" },
    { kind: "unroll", loop: "C.i.2" },
    { kind: "unroll", loop: "C.k.2" },
    { kind: "unroll", loop: "C.j.2" },
    { kind: "cache-write", block: "C", loop: "C.i.1", scope: "register" },
  ],
  assignment: {
    "C.i.register": 6,
    "C.i.block-tiles": 28,
    "C.i.tail": 0,
    "C.j.register": 2,
    "C.j.block-tiles": 255,
    "C.j.tail": 0,
    "C.k.steps": 256,
    "C.k.unroll": 1,
    "C.order": 0,
    "C.pack.A": 1,
    "C.pack.B": 1,
  },
};

/** Exo's SGEMM for AVX-512: a micro-kernel of 6 × 64, four vectors wide, in blocks of 264 × 64 × 512, both operands staged. */
const exo: Published = {
  op: gemm,
  shape: { M: 1056, N: 1024, K: 1024 },
  template: "C tiled",
  target: frozenTargets.avx512,
  schedule: [
    { kind: "split", loop: "C.i", factors: [0, 44, 6], tail: "cut" },
    { kind: "split", loop: "C.j", factors: [0, 1, 4, 16], tail: "cut" },
    { kind: "split", loop: "C.k", factors: [0, 512, 1], tail: "cut" },
    {
      kind: "reorder",
      loops: ["C.i.0", "C.k.0", "C.j.0", "C.i.1", "C.j.1", "C.k.1", "C.k.2", "C.i.2", "C.j.2", "C.j.3"],
    },
    {
      kind: "cache-read",
      buffer: "A",
      loop: "C.k.0",
      layout: panels(0, 6),
    },
    { kind: "unroll", loop: "A.pack.2" },
    {
      kind: "cache-read",
      buffer: "B",
      loop: "C.j.0",
      layout: panels(1, 64),
    },
    { kind: "split", loop: "B.pack.2", factors: [0, 16], tail: "perfect" },
    { kind: "vectorize", loop: "B.pack.2.1" },
    { kind: "unroll", loop: "B.pack.2.0" },
    { kind: "vectorize", loop: "C.j.3" },
    { kind: "unroll", loop: "C.i.2" },
    { kind: "unroll", loop: "C.k.2" },
    { kind: "unroll", loop: "C.j.2" },
    { kind: "cache-write", block: "C", loop: "C.j.1", scope: "register" },
  ],
  assignment: {
    "C.i.register": 6,
    "C.i.block-tiles": 44,
    "C.i.tail": 0,
    "C.j.register": 4,
    "C.j.block-tiles": 1,
    "C.j.tail": 0,
    "C.k.steps": 512,
    "C.k.unroll": 1,
    "C.order": 1,
    "C.pack.A": 1,
    "C.pack.B": 1,
  },
};

interface Dot16x4 {
  /** Rows of the register block. */
  readonly rows: number;
  readonly rowBlocks: number;
  readonly columnBlocks: number;
  /** Groups of four values of k. */
  readonly steps: number;
}

/**
 * TVM's schedule around dot_16x4 for Skylake and Cascade Lake (tensor_intrin.py and schedule_conv_NCHWc_cpu_1x1_int8 of
 * its x86 topi): B in B[n/16][k/4][16][4], k outside of a register block of rows × 16 columns, and innermost 16 lanes of
 * four products each, which become one vpdpbusd.
 */
const dot16x4 = ({ rows, rowBlocks, columnBlocks, steps }: Dot16x4): Trace => [
  { kind: "split", loop: "C.i", factors: [0, rowBlocks, rows], tail: "cut" },
  { kind: "split", loop: "C.j", factors: [0, columnBlocks, 1, 16], tail: "cut" },
  { kind: "split", loop: "C.k", factors: [0, steps, 1, 4], tail: "cut" },
  {
    kind: "reorder",
    loops: ["C.j.0", "C.k.0", "C.i.0", "C.j.1", "C.i.1", "C.k.1", "C.k.2", "C.i.2", "C.j.2", "C.j.3", "C.k.3"],
  },
  {
    kind: "cache-read",
    buffer: "B",
    loop: "C.k.0",
    layout: [
      { dim: 1, part: "outer", tile: 16 },
      { dim: 0, part: "outer", tile: 4 },
      { dim: 1, part: "inner", tile: 16 },
      { dim: 0, part: "inner", tile: 4 },
    ],
  },
  { kind: "split", loop: "B.pack.2", factors: [0, 16], tail: "perfect" },
  { kind: "fuse", outer: "B.pack.2.1", inner: "B.pack.3" },
  { kind: "vectorize", loop: "B.pack.2.1+B.pack.3" },
  { kind: "unroll", loop: "B.pack.2.0" },
  { kind: "vectorize", loop: "C.j.3" },
  { kind: "unroll", loop: "C.i.2" },
  { kind: "unroll", loop: "C.k.2" },
  { kind: "unroll", loop: "C.j.2" },
  { kind: "cache-write", block: "C", loop: "C.i.1", scope: "register" },
  { kind: "tensorize", loop: "C.j.3", intrinsic: "vpdpbusd.512" },
];

const vnni: CpuTarget = { ...frozenTargets.avx512, features: [...frozenTargets.avx512.features, "avx512vnni"].sort() };

/** 28 rows, as its fallback takes them of the 28 × 28 and 56 × 56 images of a ResNet. */
const vnniTiling: Published = {
  op: gemmInt8,
  shape: { M: 784, N: 512, K: 512 },
  template: "C tiled for vpdpbusd.512",
  target: vnni,
  schedule: dot16x4({ rows: 28, rowBlocks: 28, columnBlocks: 32, steps: 128 }),
  assignment: {
    "C.i.register": 28,
    "C.i.block-tiles": 28,
    "C.i.tail": 0,
    "C.j.register": 1,
    "C.j.block-tiles": 32,
    "C.j.tail": 0,
    "C.k.steps": 128,
    "C.k.unroll": 1,
    "C.order": 0,
    "C.pack.A": 0,
  },
};

describe("published schedules are members of the space", () => {
  test.each([
    ["BLIS's loops around a micro-kernel", blis],
    ["Exo's SGEMM for AVX-512", exo],
    ["TVM's dot_16x4 for VNNI", vnniTiling],
  ])("%s", (_, published) => {
    const member = memberTrace(published);
    expect(member && printTrace(member)).toBe(printTrace(published.schedule));
  });
});

test("dot_16x4 computes the product with one instruction for 16 × 4 products, whatever the extents", () => {
  for (const shape of [
    { M: 28, N: 32, K: 16 },
    { M: 31, N: 37, K: 18 },
  ]) {
    const reference = referenceOf(instantiate(gemmInt8, shape, "gemm"), createRng(1));
    const nest = schedule(reference.naive, dot16x4({ rows: 14, rowBlocks: 2, columnBlocks: 2, steps: 4 }));
    expect(wrongNest(reference, nest)).toBeNull();
    const flat = lower(nest, { target: vnni, numerics: "fast" });
    expect(wrongNest(reference, flat)).toBeNull();
    expect(printFunc(flat).match(/vpdpbusd\.512\(/g)!.length).toBeGreaterThanOrEqual(14);
  }
});

/** The steps of TVM's tutorial on two products with an exp between them, each added to those before it. */
const tutorialSteps: readonly (readonly [string, Trace])[] = [
  [
    "the loops of both products reordered",
    [
      { kind: "reorder", loops: ["C.i", "C.k", "C.j"] },
      { kind: "reorder", loops: ["F.i", "F.n", "F.l"] },
    ],
  ],
  [
    "the first tiled, 16 × 8, and 8 of k",
    [
      { kind: "split", loop: "C.i", factors: [0, 16], tail: "cut" },
      { kind: "split", loop: "C.j", factors: [0, 8], tail: "cut" },
      { kind: "split", loop: "C.k", factors: [0, 8], tail: "cut" },
      { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.k.0", "C.i.1", "C.k.1", "C.j.1"] },
    ],
  ],
  [
    "exp computed where a block of rows of the first is complete",
    [{ kind: "reverse-compute-at", block: "D", loop: "C.i.0" }],
  ],
  [
    "the loop over blocks of rows shared by both products",
    [
      { kind: "split", loop: "F.i", factors: [0, 16], tail: "cut" },
      { kind: "merge-loops", first: "C.i.0", second: "F.i.0" },
    ],
  ],
  [
    "the innermost loops in vectors",
    [
      { kind: "vectorize", loop: "C.j.1" },
      { kind: "split", loop: "F.l", factors: [0, 8], tail: "cut" },
      { kind: "vectorize", loop: "F.l.1" },
    ],
  ],
];

describe("the tutorial's schedule of two products with an exp between them, by hand", () => {
  test.each([[{ M: 32, N: 24, K: 16, L: 40 }], [{ M: 37, N: 19, K: 23, L: 29 }]])(
    "each step computes the same: %o",
    (shape) => {
      const reference = referenceOf(instantiate(gemmExpGemm, shape, "chain"), createRng(1));
      for (let steps = 1; steps <= tutorialSteps.length; steps++) {
        const trace = tutorialSteps.slice(0, steps).flatMap(([, instructions]) => instructions);
        const scheduled = schedule(reference.naive, trace);
        expect(wrongNest(reference, scheduled), tutorialSteps[steps - 1]![0]).toBeNull();
        const flat = lower(scheduled, { target: frozenTargets.avx2, numerics: "fast" });
        expect(wrongNest(reference, flat), tutorialSteps[steps - 1]![0]).toBeNull();
      }
    },
  );
});
