// Mistakes planted in kernels of all templates for threads: the interpreter finds each, and names the accesses that meet. What it lets
// through accesses the same elements as before.

import { describe, expect, test } from "vitest";
import {
  type ComputeDef,
  cudaSm90,
  fromCompute,
  instantiate,
  type LoopFunc,
  lower,
  type Op,
  opLibrary,
  printFunc,
  schedule,
  type TypedArray,
} from "../../../src/compiler/index.ts";
import { accessFindings, type Element, type Finding, printFinding } from "../../../src/compiler/ir/access-findings.ts";
import { mismatch } from "../../../src/native/runner/compare.ts";
import type { KernelArray } from "../../../src/native/runner/protocol.ts";
import { useBackend } from "../../../src/tuner/backend/backend.ts";
import { cudaBackend } from "../../../src/tuner/backend/cuda-backend.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { type Defect, defectKinds, plantDefects } from "../../support/plant-defects.ts";
import { type Reference, referenceOf } from "../../support/reference.ts";
import { drawSchedules, loweredThreads, threadSpace } from "../../support/thread-schedules.ts";

const { attention, batchMatmul, conv2d, gemm, gemmExpGemm, gemv, layerNorm, map, maxPool2d, softmax, sum } = opLibrary;

useBackend(cudaBackend);

interface Kernel {
  readonly title: string;
  readonly op: ComputeDef;
  readonly func: LoopFunc;
}

const defined = (op: Op): ComputeDef => instantiate(op, {}, "op");

/** A kernel of each template for threads. */
const inTiles = (title: string, library: Op): readonly Kernel[] => {
  const op = defined(library);
  return threadSpace(op).templates.map((template, at) => {
    const [drawn] = drawSchedules(template, 1, 11 + at);
    return { title: `${title}: ${template.name}`, op, func: loweredThreads(op, drawn!) };
  });
};

/** The same for tensor cores. */
const onTensorCores = (title: string, library: Op): readonly Kernel[] => {
  const op = defined(library);
  const { templates } = generateSpace({ op, target: cudaSm90, numerics: "fast", threads: 1 });
  return templates.map((template, at) => {
    const [drawn] = drawSchedules(template, 1, 5 + at);
    const func = lower(schedule(fromCompute(op), drawn!.trace), { target: cudaSm90, numerics: "fast" });
    return { title: `${title}: ${template.name}`, op, func };
  });
};

const half = { dtype: "f16" } as const;

const kernels: readonly Kernel[] = [
  ...inTiles("gemm", gemm({ M: 16, N: 16, K: 24 })),
  ...inTiles("gemm with odd extents", gemm({ M: 9, N: 11, K: 13 }, { bias: true })),
  ...inTiles("few rows", gemm({ M: 2, N: 9, K: 64 }, { activation: "relu" })),
  ...inTiles("bytes", gemm({ M: 8, N: 12, K: 16, dtype: "i8" })),
  ...inTiles("batches", batchMatmul({ batch: 2, M: 8, N: 8, K: 8 })),
  ...inTiles("convolution", conv2d({ H: 6, W: 6, C: 4, F: 6, padding: 1 })),
  ...inTiles("pool", maxPool2d({ H: 8, W: 8, C: 4, size: 2 })),
  ...inTiles("a vector", gemv({ M: 12, K: 70 })),
  ...inTiles("rows", sum({ M: 4, N: 100 })),
  ...inTiles("softmax", softmax({ M: 4, N: 40 })),
  ...inTiles("layerNorm", layerNorm({ M: 3, N: 50 })),
  ...inTiles("map", map({ N: 100 }, (x) => x.mul(2))),
  ...inTiles("attention", attention({ heads: 1, M: 4, N: 8, D: 4 })).slice(0, 2),
  ...inTiles("two products", gemmExpGemm({ M: 8, N: 8, K: 8, L: 8 })).slice(0, 2),
  ...onTensorCores("gemm in tiles", gemm({ M: 32, N: 32, K: 64, ...half })),
  ...onTensorCores("bias in tiles", gemm({ M: 64, N: 32, K: 32, ...half }, { bias: true, activation: "relu" })),
  ...onTensorCores("batches in tiles", batchMatmul({ batch: 2, M: 32, N: 32, K: 32, ...half })),
  ...onTensorCores("four warps", gemm({ M: 64, N: 64, K: 64, dtype: "bf16" })),
];

/** A wrong element of some outputs; null: all are right. */
const wrongOf =
  ({ expected }: Reference) =>
  (outputs: Readonly<Record<string, TypedArray>>): Element | null => {
    for (const each of expected) {
      const { name, shape } = each.parameter;
      const text = mismatch(each, outputs[name] as KernelArray);
      if (text === null) continue;
      const at = /\[([\d, ]*)\]/.exec(text)![1]!.split(",").map(Number);
      return { buffer: name, element: at.reduce((offset, index, dim) => offset * shape[dim]! + index, 0) };
    }
    return null;
  };

type Outcome = Finding["kind"] | "refused" | "same accesses" | "let through";

interface Result {
  readonly kernel: string;
  readonly kind: Defect["kind"];
  readonly outcome: Outcome;
  readonly texts: readonly string[];
}

function judge(kernel: Kernel, reference: Reference, trail: number, { kind, func }: Defect): Result {
  const result = { kernel: kernel.title, kind };
  try {
    const watched = accessFindings(func, reference.inputsByName, wrongOf(reference));
    const [first] = watched.findings;
    const texts = watched.findings.map(printFinding);
    if (first) return { ...result, outcome: first.kind, texts };
    return { ...result, outcome: watched.trail === trail ? "same accesses" : "let through", texts: kind === "no barrier" ? [printFunc(func), "ORIG", printFunc(kernel.func)] : [] };
  } catch (error) {
    return { ...result, outcome: "refused", texts: [(error as Error).message] };
  }
}

const results: Result[] = [];

describe("mistakes in", () => {
  test.each(kernels.map((kernel) => [kernel.title, kernel] as const))("%s", (_, kernel) => {
    const reference = referenceOf(kernel.op, createRng(3));
    const right = accessFindings(kernel.func, reference.inputsByName, wrongOf(reference));
    expect(right.findings.map(printFinding)).toEqual([]);
    results.push(
      ...plantDefects(kernel.func, 4).map((defect) => judge(kernel, reference, right.trail, defect)),
    );
  });
});

test("counts", () => {
  const table = new Map<string, number>();
  for (const { kind, outcome } of results) table.set(`${kind}: ${outcome}`, (table.get(`${kind}: ${outcome}`) ?? 0) + 1);
  console.log(kernels.length, results.length, [...table].sort().map(([k,v])=>k+" "+v).join("\n"));
  for (const { kernel, kind, outcome, texts } of results)
    if (outcome === "refused" || outcome === "let through" || (outcome === "same accesses")) console.log(kernel, "|", kind, "|", outcome, texts.join("\n"));
  for (const { kernel, kind, outcome, texts } of results.filter((r, i) => i % 25 === 0 || r.outcome === 'overwritten')) console.log("SAMPLE", kernel, "|", kind, "|", outcome, texts.join("\n"));
  expect(defectKinds.length).toBe(8);
});
