// No rule is there for nothing: without any one of them the space of some operator is another.

import { describe, expect } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmBiasRelu from "../../../fixtures/ops/gemm-bias-relu.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../../fixtures/ops/gemm-int8.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import statistics from "../../../fixtures/ops/statistics.op.ts";
import { authoring, instantiate, type Op } from "../../../src/compiler/index.ts";
import type { SpaceRule } from "../../../src/tuner/space/draft/space-rule.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { defaultRules } from "../../../src/tuner/space/rule/index.ts";
import { frozenTargets } from "../../support/frozen-targets.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(5);

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

/** Sums of products over a diagonal, which no vector load can follow. */
const diagonals = defineOp({ M: 8, N: 8 }, ({ M, N }) => {
  const A = tensor("A", [M + N, M + N], "f64");
  const k = reduceAxis("k", N);
  return compute("y", [M], (i) => sum(A(i.add(k), k), k));
});

/** Two element-wise stages. */
const chain = defineOp({ N: 100 }, ({ N }) => {
  const x = tensor("x", [N], "f32");
  const doubled = compute("doubled", [N], (i) => x(i).mul(2));
  return compute("y", [N], (i) => doubled(i).max(0));
});

const transposed = defineOp({ M: 40, N: 50 }, ({ M, N }) => {
  const A = tensor("A", [M, N], "f32");
  return compute("y", [N, M], (i, j) => A(j, i));
});

/** Pixels of three channels, from planes. */
const pixels = defineOp({ M: 40, N: 50 }, ({ M, N }) => {
  const A = tensor("A", [3, M, N], "f32");
  return compute("y", [M, N, 3], (i, j, c) => A(c, i, j).mul(2));
});

/** Two passes of a blur. */
const blur = defineOp({ M: 40, N: 50 }, ({ M, N }) => {
  const A = tensor("A", [M + 2, N + 2], "f32");
  const row = compute("row", [M + 2, N], (i, j) =>
    A(i, j)
      .add(A(i, j.add(1)))
      .add(A(i, j.add(2))),
  );
  return compute("y", [M, N], (i, j) =>
    row(i, j)
      .add(row(i.add(1), j))
      .add(row(i.add(2), j)),
  );
});

const ops: readonly Op[] = [
  gemm,
  gemmBiasRelu,
  gemmExpGemm,
  gemmInt8,
  conv2d,
  softmax,
  statistics,
  diagonals,
  chain,
  transposed,
  pixels,
  blur,
];

const spaces = (rules: readonly SpaceRule[]): readonly string[] =>
  ops.flatMap((op, at) =>
    Object.values(frozenTargets).map((target) =>
      JSON.stringify(
        generateSpace({ op: instantiate(op, {}, `op${at}`), target, numerics: "fast", threads: 1 }, rules),
      ),
    ),
  );

describe("every rule has work to do", () => {
  const all = spaces(defaultRules);
  turn.each(defaultRules.map((rule) => [rule.name, rule] as const))("%s", (_, rule) => {
    expect(spaces(defaultRules.filter((other) => other !== rule))).not.toEqual(all);
  });
});
