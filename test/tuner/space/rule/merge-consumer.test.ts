// Chains of reductions by blocks of rows: which operators have such a template, what limits the blocks, and that the
// schedules keep the meaning for all extents.

import { describe, expect, test } from "vitest";
import gemmExpGemm from "../../../../fixtures/ops/gemm-exp-gemm.op.ts";
import {
  authoring,
  type ComputeDef,
  type CpuTarget,
  fromCompute,
  instantiate,
  instantiateTemplate,
  type Numerics,
  type Op,
  opLibrary,
  replay,
} from "../../../../src/compiler/index.ts";
import { checkPlan } from "../../../../src/tuner/check/check-output.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import type { Template } from "../../../../src/tuner/data/space.ts";
import { findPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { predict } from "../../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng, type Rng } from "../../../../src/tuner/support/rng.ts";
import { frozenTargets } from "../../../support/frozen-targets.ts";
import { inTurn } from "../../../support/long.ts";
import { newReport, runCases } from "../../../support/oracle-chain.ts";
import { type ChainCase, chainTargets } from "../../../support/random-schedule.ts";
import { referenceOf } from "../../../support/reference.ts";

const turn = inTurn(6);

const { cast, compute, defineOp, reduceAxis, sum, tensor } = authoring;
const { attention, batchMatmul, conv2d, gemm, softmax } = opLibrary;

/** Two layers: relu between the products, bias behind the second. */
const layers = defineOp({ M: 18, K: 28, N: 32, L: 16 }, ({ M, K, N, L }) => {
  const [X, W, V] = [tensor("X", [M, K], "f32"), tensor("W", [K, N], "f32"), tensor("V", [N, L], "f32")];
  const bias = tensor("bias", [L], "f32");
  const [k, n] = [reduceAxis("k", K), reduceAxis("n", N)];
  const hidden = compute("hidden", [M, N], (i, j) => sum(X(i, k).mul(W(k, j)), k).max(0));
  return compute("out", [M, L], (i, l) => sum(hidden(i, n).mul(V(n, l)), n).add(bias(l)));
});

/** Two layers of bytes, whose products instructions compute. */
const byteLayers = defineOp({ M: 18, K: 20, N: 24, L: 16 }, ({ M, K, N, L }) => {
  const [X, W, V] = [tensor("X", [M, K], "u8"), tensor("W", [K, N], "i8"), tensor("V", [N, L], "i8")];
  const [k, n] = [reduceAxis("k", K), reduceAxis("n", N)];
  const acc = compute("acc", [M, N], (i, j) => sum(cast(X(i, k), "i32").mul(cast(W(k, j), "i32")), k));
  const hidden = compute("hidden", [M, N], (i, j) => cast(acc(i, j).max(0).min(255), "u8"));
  return compute("out", [M, L], (i, l) => sum(cast(hidden(i, n), "i32").mul(cast(V(n, l), "i32")), n));
});

/** The second product reads columns of the first: no block of rows has what it needs. */
const turned = defineOp({ M: 16, K: 16, N: 16, L: 16 }, ({ M, K, N, L }) => {
  const [A, B, E] = [tensor("A", [M, K], "f32"), tensor("B", [K, N], "f32"), tensor("E", [M, L], "f32")];
  const [k, m] = [reduceAxis("k", K), reduceAxis("m", M)];
  const C = compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
  return compute("F", [N, L], (j, l) => sum(C(m, j).mul(E(m, l)), m));
});

const templatesOf = (
  op: Op,
  target: CpuTarget = frozenTargets.avx2,
  numerics: Numerics = "fast",
): readonly Template[] => generateSpace({ op: instantiate(op, {}, "op"), target, numerics, threads: 1 }).templates;

const blocked = (templates: readonly Template[]): readonly Template[] =>
  templates.filter(({ name }) => name.includes(" in blocks of "));

describe("templates", () => {
  test.each([
    ["two products", gemmExpGemm, "C to F in blocks of i"],
    ["two layers", layers, "hidden.sum to out in blocks of i"],
    ["attention", attention({ heads: 2, M: 16, N: 32, D: 32 }), "scores.sum to O in blocks of i"],
  ] as const)("%s: each also by blocks, where no rows of its axis are together", (_, op, decision) => {
    const templates = templatesOf(op);
    const names = blocked(templates).map(({ name }) => name);
    const whole = templates.map(({ name }) => name).filter((name) => !names.includes(name));
    expect(names).toEqual(whole.filter((it) => !/rows of i and/.test(it)).map((it) => `${decision}; ${it}`));
    expect(names.length).toBeGreaterThan(0);
  });

  test.each([
    ["one product", gemm({ M: 16, N: 16, K: 16 }, { bias: true, activation: "relu" })],
    ["a batch of products", batchMatmul({ batch: 2, M: 16, N: 16, K: 16 })],
    ["a convolution", conv2d({ H: 8, W: 8, C: 8, F: 8, padding: 1 })],
    ["rows, but nothing that goes over them again and again", softmax({ M: 16, N: 64 })],
    ["columns", turned],
  ])("%s: none", (_, op) => {
    expect(blocked(templatesOf(op))).toEqual([]);
  });

  test("none where one row is more than half of L2", () => {
    expect(blocked(templatesOf(gemmExpGemm, { ...frozenTargets.avx2, l2Bytes: 1024 }))).toEqual([]);
  });
});

test("rows of a block are a decision, limited by half of L2", () => {
  const l2Bytes = 64 * 1024;
  const op = instantiate(gemmExpGemm, { M: 512, N: 128, K: 64, L: 64 }, "op");
  const space = generateSpace({ op, target: { ...frozenTargets.avx2, l2Bytes }, numerics: "fast", threads: 1 });
  const template = blocked(space.templates)[0]!;
  const { domain } = template.model.variables.find(({ name }) => name === "F.i.rows")!;
  // C and D of a row are 2 · 128 · 4 bytes.
  expect(Math.max(...(domain as readonly number[]))).toBe(32);
  const limits = template.model.constraints.filter(({ why }) => why.includes("passes on"));
  expect(limits.map(({ why }) => why)).toEqual(["what a block of i passes on fits half of L2, 32768 bytes"]);
});

test("operands that all blocks read alike are packed once, before them; the others in each block", () => {
  const [template] = blocked(templatesOf(gemmExpGemm));
  const packs = template!.instructions.flatMap(({ instruction: it }) =>
    it.kind === "cache-read" || it.kind === "transform-layout" ? [`${it.kind} ${it.buffer}`] : [],
  );
  expect([...new Set(packs)].sort()).toEqual([
    "cache-read A",
    "cache-read D",
    "transform-layout B",
    "transform-layout E",
  ]);
});

turn("blocks are predicted where the stages would pass on more than L3 holds", () => {
  const predicted = (rows: number): string | undefined => {
    const op = instantiate(attention({ heads: 2, M: rows, N: rows, D: 16 }), {}, "op");
    return predict(generateSpace({ op, target: frozenTargets.avx2, numerics: "fast", threads: 1 }))?.template;
  };
  expect(predicted(32)).not.toContain(" in blocks of ");
  expect(predicted(1024)).toContain("scores.sum to O in blocks of i");
});

test("the tutorial's schedule, its register tiles and packs added, is a member", () => {
  const shape = { M: 512, N: 256, K: 128, L: 384 };
  const op = instantiate(gemmExpGemm, shape, "chain");
  const space = generateSpace({ op, target: frozenTargets.avx2, numerics: "fast", threads: 1 });
  const tile = { "F.i.1.register": 4, "F.i.1.block-tiles": 4, "F.l.register": 2, "F.l.block-tiles": 24, "F.l.tail": 0 };
  const first = { "C.i.register": 4, "C.i.block-tiles": 4, "C.j.register": 2, "C.j.block-tiles": 16, "C.j.tail": 0 };
  const reductions = { "F.n.steps": 256, "F.n.unroll": 1, "C.k.steps": 128, "C.k.unroll": 1 };
  const orders = { "F.order": 0, "F.pack.D": 1, "F.pack.E": 0, "C.order": 0, "C.pack.A": 1, "C.pack.B": 0 };
  const assignment = { "F.i.rows": 16, ...tile, ...first, ...reductions, ...orders, "D.j.unroll": 1 };
  expect(
    findPoint(searchSpace(space), { template: "C to F in blocks of i; F tiled; C tiled", assignment }),
  ).not.toBeNull();
});

/** A case of the oracle chain with a schedule by blocks; products by instructions where there are such. */
function blockedCase(number: number, family: string, op: ComputeDef, rng: Rng): ChainCase {
  const target = rng.pick(chainTargets);
  const numerics = rng.pick(["fast", "strict"] as const);
  const templates = blocked(generateSpace({ op, target, numerics, threads: 1 }).templates);
  const tensorized = templates.filter(({ name }) => name.split(" for ").length === 3);
  const template = rng.pick(tensorized.length > 0 ? tensorized : templates);
  const result = sample(compileModel(template.model), rng);
  if (result.kind !== "found") throw new Error(`${template.name}: ${result.kind}`);
  const trace = instantiateTemplate(template.instructions, result.assignment);
  const replayed = replay(fromCompute(op), trace);
  const reference = referenceOf(op, rng, checkPlan(op));
  const scheduled = replayed.kind === "ok" ? replayed.nest : replayed.diagnostic;
  return {
    number,
    family,
    target,
    numerics,
    reference,
    template: template.name,
    definition: op,
    trace,
    constants: [],
    scheduled,
  };
}

const chains: readonly (readonly [string, ComputeDef])[] = [
  ["two products", instantiate(gemmExpGemm, { M: 37, N: 19, K: 29, L: 29 }, "products")],
  ["two products of powers of two", instantiate(gemmExpGemm, { M: 32, N: 64, K: 32, L: 32 }, "products2")],
  ["two layers", instantiate(layers, { M: 13, K: 29, N: 27, L: 34 }, "layers")],
  ["attention", instantiate(attention({ heads: 2, M: 11, N: 17, D: 8 }), {}, "attention")],
  ["two layers of bytes", instantiate(byteLayers, { M: 13, K: 30, N: 27, L: 33 }, "bytes")],
];

turn.each(chains)("%s through the oracle chain", async (family, op) => {
  const report = newReport();
  const rng = createRng(1);
  await runCases(
    report,
    Array.from({ length: 4 }, (_, number) => blockedCase(number, family, op, rng)),
  );
  expect([...report.rejected, ...report.failures]).toEqual([]);
});
