// Every template of a GPU's space has a schedule, whatever the extents are: limits that agree for large ones may contradict each other
// for small or uneven ones.

import { expect } from "vitest";
import {
  type AcceleratorTarget,
  cudaTargets,
  instantiate,
  type Op,
  opLibrary,
  webgpu,
} from "../../../src/compiler/index.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { printEmptySpace } from "../../../src/tuner/space/explain-space.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { inTurn, isLong } from "../../support/long.ts";

const turn = inTurn(7);

const { attention, batchMatmul, depthwiseConv2d, gemm, gemv, layerNorm, mean, softmax, sum } = opLibrary;

const extents = [1, 2, 3, 4, 6, 15, 16, 18, 32, 34, 100, 256];

/** Operators of two extents, the first of which is that of rows where there are any. */
const operators: Readonly<Record<string, (m: number, k: number) => Op>> = {
  gemv: (M, K) => gemv({ M, K }),
  gemm: (M, K) => gemm({ M, N: 34, K }, { bias: true, activation: "relu" }),
  "gemm of f16": (M, K) => gemm({ M, N: 16, K, dtype: "f16" }),
  "gemm of few columns": (M, N) => gemm({ M, N, K: 18 }),
  batchMatmul: (batch, K) => batchMatmul({ batch, M: 6, N: 10, K }),
  softmax: (M, N) => softmax({ M, N }),
  layerNorm: (M, N) => layerNorm({ M, N }),
  sum: (M, N) => sum({ M, N }),
  mean: (M, N) => mean({ M, N }),
  depthwiseConv2d: (H, C) => depthwiseConv2d({ H: H + 2, W: 5, C }),
  attention: (M, D) => attention({ M, N: M, D }),
};

/** What is wrong with the space of an operator; null: nothing. */
function emptyTemplate(op: Op, target: AcceleratorTarget): string | null {
  const space = generateSpace({ op: instantiate(op, {}, "op"), target, numerics: "fast", threads: 1 });
  const empty = space.templates.find(({ model }) => sample(compileModel(model), createRng(1)).kind !== "found");
  return empty ? `${empty.name}: ${printEmptySpace({ templates: [empty] })}` : null;
}

turn.each([webgpu, ...cudaTargets].flatMap((target) => Object.keys(operators).map((name) => ({ target, name }))))(
  "$target.name: $name",
  ({ target, name }) => {
    for (const [row, m] of extents.entries()) {
      // A half of them, as on a chessboard, where the other half is for the long tests.
      for (const k of extents.filter((_, column) => isLong || (row + column) % 2 === 0))
        expect(emptyTemplate(operators[name]!(m, k), target), `${m} × ${k}`).toBeNull();
    }
  },
  // Against a search without an end: slow machines take four times as long as quick ones.
  180_000,
);
