// Code that the compiler makes of a few schedules, stage by stage, for frozen targets.

import { describe, expect, test } from "vitest";
import conv2d from "../../fixtures/ops/conv2d.op.ts";
import gemm from "../../fixtures/ops/gemm.op.ts";
import softmax from "../../fixtures/ops/softmax.op.ts";
import { lower } from "../../src/compiler/backend/lower.ts";
import { generateWat } from "../../src/compiler/codegen/wasm/generate-wasm.ts";
import {
  type ComputeDef,
  type CpuTarget,
  fromCompute,
  generateC,
  instantiate,
  kernelName,
  type LayoutDim,
  printComputeDef,
  printFunc,
  printTrace,
  schedule,
  type Trace,
} from "../../src/compiler/index.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { narrowGemm, tensorizedTile, tileBlock } from "../compiler/intrinsic/tensorized-gemm.ts";
import { frozenTargets } from "../support/frozen-targets.ts";
import { expectGolden, type Section } from "../support/golden.ts";
import { referenceOf, wrongNest } from "../support/reference.ts";

/** Op, schedule, the scheduled nest, the flat function, the target's code. */
function expectStages(name: string, op: ComputeDef, trace: Trace, target: CpuTarget): void {
  const scheduled = schedule(fromCompute(op, kernelName(op, target)), trace);
  const flat = lower(scheduled, { target, numerics: "fast" });
  expect(wrongNest(referenceOf(op, createRng(1)), flat)).toBeNull();
  const code: Section =
    target.backend === "wasm"
      ? { title: "WAT", text: generateWat(flat, { relaxed: false }) }
      : { title: "C", text: generateC(flat, target, { numerics: "fast" }).text };
  expectGolden(name, [
    { title: "op", text: printComputeDef(op) },
    { title: "schedule", text: printTrace(trace) },
    { title: "scheduled", text: printFunc(scheduled) },
    { title: "flat", text: printFunc(flat) },
    code,
  ]);
}

const odd = instantiate(gemm, { M: 61, N: 83, K: 97 }, "gemm");

/** Register tiles of `rows` × `vectors` · `lanes`, all of K at once. */
const registerTile = (rows: number, columns: number, tail: "cut" | "mask"): Trace => [
  { kind: "split", loop: "C.i", factors: [0, rows], tail },
  { kind: "split", loop: "C.j", factors: [0, columns], tail },
  { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.k", "C.i.1", "C.j.1"] },
];

const accumulate: Trace = [
  { kind: "vectorize", loop: "C.j.1" },
  { kind: "unroll", loop: "C.i.1" },
  { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
];

describe("gemm 61×83×97", () => {
  test("AVX2, tails cut off", () => {
    expectStages("gemm-avx2-cut", odd, [...registerTile(4, 16, "cut"), ...accumulate], frozenTargets.avx2);
  });

  test("AVX-512, both operands packed, tails masked", () => {
    const panels = (dim: number, tile: number): readonly LayoutDim<number>[] => [
      { dim, part: "outer", tile },
      { dim: 1 - dim, part: "whole", tile: 1 },
      { dim, part: "inner", tile },
    ];
    const trace: Trace = [
      { kind: "split", loop: "C.i", factors: [0, 4, 4], tail: "mask" },
      { kind: "split", loop: "C.j", factors: [0, 32], tail: "mask" },
      { kind: "reorder", loops: ["C.j.0", "C.i.0", "C.i.1", "C.k", "C.i.2", "C.j.1"] },
      { kind: "cache-read", buffer: "B", loop: "C.j.0", layout: panels(1, 32) },
      { kind: "vectorize", loop: "B.pack.2" },
      { kind: "cache-read", buffer: "A", loop: "C.i.0", layout: panels(0, 4) },
      { kind: "vectorize", loop: "C.j.1" },
      { kind: "unroll", loop: "C.i.2" },
      { kind: "cache-write", block: "C", loop: "C.i.1", scope: "register" },
    ];
    expectStages("gemm-avx512-packed", odd, trace, frozenTargets.avx512);
  });

  test("WASM, tails cut off, three blocks of K", () => {
    const blocks: Trace = [
      { kind: "split", loop: "C.k", factors: [0, 33], tail: "cut" },
      { kind: "reorder", loops: ["C.k.0", "C.i.0", "C.j.0", "C.k.1"] },
    ];
    expectStages("gemm-wasm-cut", odd, [...registerTile(2, 8, "cut"), ...blocks, ...accumulate], frozenTargets.wasm);
  });
});

describe("gemm of bytes, tensorized", () => {
  const op = narrowGemm(6, 20, 6, "i8", "i8");
  const tile = { group: 2, rows: 2, widen: "i16" } as const;

  test("AVX2: vpmaddwd on pairs", () => {
    const trace = tensorizedTile({ ...tile, intrinsic: "vpmaddwd.256", lanes: 8, vectors: 1 });
    expectStages("gemm-int8-avx2", op, trace, frozenTargets.avx2);
  });

  test("WASM: i32x4.dot_i16x8_s on pairs", () => {
    const trace = tensorizedTile({ ...tile, intrinsic: "i32x4.dot_i16x8_s", lanes: 4, vectors: 1 });
    expectStages("gemm-int8-wasm", op, trace, frozenTargets.wasm);
  });

  test("AVX-512 VNNI: vpdpbusd with compensation", () => {
    const trace = tensorizedTile({
      ...tile,
      intrinsic: "vpdpbusd.512.signed",
      lanes: 16,
      group: 4,
      vectors: 1,
      widen: null,
    });
    expectStages("gemm-int8-avx512-vnni", op, trace, frozenTargets["avx512-vnni"]);
  });

  test("AMX: tdpbssd on two tiles of sums", () => {
    const trace = tileBlock({ intrinsic: "tdpbssd", group: 4, sum: "i32", rows: 1, columns: 2 }, 6);
    expectStages("gemm-int8-amx", op, trace, frozenTargets.amx);
  });
});

test("conv2d, padded by a pack", () => {
  const op = instantiate(conv2d, { H: 5, W: 6, C: 3, F: 8 }, "conv2d");
  const trace: Trace = [
    {
      kind: "cache-read",
      buffer: "image",
      loop: "out.y",
      layout: [0, 1, 2].map((dim) => ({ dim, part: "whole", tile: 1 })),
    },
    { kind: "split", loop: "out.x", factors: [0, 3], tail: "perfect" },
    { kind: "reorder", loops: ["out.x.0", "out.ry", "out.rx", "out.rc", "out.x.1", "out.f"] },
    { kind: "vectorize", loop: "out.f" },
    { kind: "unroll", loop: "out.x.1" },
    { kind: "cache-write", block: "out", loop: "out.x.0", scope: "register" },
  ];
  expectStages("conv2d-avx2", op, trace, frozenTargets.avx2);
});

test("softmax: exp as a polynomial", () => {
  const op = instantiate(softmax, { M: 3, N: 21 }, "softmax");
  const trace: Trace = [
    { kind: "split", loop: "Y.j", factors: [0, 8], tail: "cut" },
    { kind: "vectorize", loop: "Y.j.1" },
  ];
  expectStages("softmax-avx2", op, trace, frozenTargets.avx2);
});
