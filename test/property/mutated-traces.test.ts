// Drawn schedules with mistakes in them, as a lock that somebody edited may hold: each is refused with its reason, or every access is
// inside, no threads race, and the result is the reference's. No mistake ends in an error of the compiler's own.
//
//     MUTATED_COUNT=2000 npx vitest run test/property/mutated-traces.test.ts

import { describe, expect, test } from "vitest";
import { codeGeneratorOf } from "../../src/compiler/backend/code-generators.ts";
import { lower } from "../../src/compiler/backend/lower.ts";
import {
  type ComputeDef,
  cudaSm80,
  cudaSm90,
  DiagnosticError,
  fromCompute,
  instantiate,
  instantiateTemplate,
  opLibrary,
  printTrace,
  replay,
  type Target,
  type Trace,
  webgpu,
} from "../../src/compiler/index.ts";
import { accessFindings, printFinding } from "../../src/compiler/ir/access-findings.ts";
import { asCpu } from "../../src/compiler/target/target.ts";
import { compileModel } from "../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng, type Rng } from "../../src/tuner/support/rng.ts";
import { frozenTargets } from "../support/frozen-targets.ts";
import { fewer } from "../support/long.ts";
import { mutateTrace } from "../support/mutate-trace.ts";
import { type Reference, referenceOf, wrongNest } from "../support/reference.ts";

const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const seed = setting("MUTATED_SEED", Math.floor(Math.random() * 1_000_000));
const count = setting("MUTATED_COUNT", fewer(120));

const { attention, batchMatmul, conv2d, gemm, gemmExpGemm, layerNorm, softmax } = opLibrary;

const tiles: readonly Target[] = [cudaSm80, cudaSm90];
const all: readonly Target[] = [...tiles, webgpu, ...Object.values(frozenTargets)];

/** Small, and of whole tiles where there are any. */
const operators = [
  [gemm({ M: 64, N: 64, K: 64, dtype: "f16" }), tiles],
  [gemm({ M: 128, N: 64, K: 128, dtype: "bf16" }, { bias: true, activation: "relu" }), tiles],
  [gemm({ M: 64, N: 32, K: 64, dtype: "i8" }), tiles],
  [gemm({ M: 60, N: 72, K: 40, dtype: "f16" }), tiles],
  [batchMatmul({ batch: 2, M: 32, N: 32, K: 32, dtype: "f16" }), tiles],
  [gemm({ M: 16, N: 24, K: 32 }, { bias: true }), all],
  [gemm({ M: 16, N: 16, K: 64, dtype: "i8" }), all],
  [conv2d({ H: 6, W: 6, C: 4, F: 8, padding: 1 }), all],
  [gemmExpGemm({ M: 8, N: 8, K: 8, L: 8 }), all],
  [softmax({ M: 4, N: 40 }), all],
  [layerNorm({ M: 3, N: 50 }), all],
  [attention({ heads: 1, M: 4, N: 8, D: 4 }), all],
] as const;

interface Drawn {
  readonly op: ComputeDef;
  readonly trace: Trace;
}

function drawnOf(op: ComputeDef, target: Target, rng: Rng): Drawn {
  const template = rng.pick(generateSpace({ op, target, numerics: "fast", threads: 1 }).templates);
  const point = sample(compileModel(template.model), rng);
  if (point.kind !== "found") throw new Error(`${template.name} is empty`);
  return { op: template.op, trace: instantiateTemplate(template.instructions, point.assignment) };
}

const noFindings: ReturnType<typeof accessFindings> = { findings: [], trail: 0 };

/** What is wrong with a schedule; null: it is refused, or right. */
function mistakeOf({ op, trace }: Drawn, target: Target, reference: Reference): string | null {
  try {
    const scheduled = replay(fromCompute(op), trace, target.intrinsics);
    if (scheduled.kind === "illegal") return null;
    const flat = lower(scheduled.nest, { target, numerics: "fast" });
    codeGeneratorOf(target).generate(flat, { target, numerics: "fast", relaxed: false });
    const { findings } = asCpu(target) === null ? accessFindings(flat, reference.inputsByName) : noFindings;
    // A split that shifts its last tile inwards stores some elements twice.
    const found = findings.filter(({ kind }) => kind !== "overwritten");
    return found.length > 0 ? found.map(printFinding).join("\n") : wrongNest(reference, flat);
  } catch (error) {
    return error instanceof DiagnosticError ? null : String((error as Error).stack);
  }
}

describe(`mutated schedules of seed ${seed} are refused or right`, () => {
  test.each(operators.map(([op, targets], at) => ({ op: instantiate(op, {}, `op${at}`), targets, at })))(
    "$at",
    ({ op, targets, at }) => {
      const rng = createRng(seed * 1_000_003 + at);
      for (let left = Math.ceil(count / operators.length); left > 0; left--) {
        const target = rng.pick(targets);
        const drawn = drawnOf(op, target, rng);
        const trace = mutateTrace(drawn.trace, rng);
        if (trace === null) continue;
        const mistake = mistakeOf({ ...drawn, trace }, target, referenceOf(drawn.op, rng));
        expect(mistake, `${target.name}\n${printTrace(trace)}`).toBeNull();
      }
    },
  );
});
