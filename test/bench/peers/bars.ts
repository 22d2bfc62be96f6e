// Bars that our kernels have to reach, suite by suite.

import type { Rival, Spread } from "./contest.ts";
import type { WorkResult } from "./result.ts";
import type { SuiteName } from "./work.ts";

export interface Bar {
  readonly suite: SuiteName;
  /** Target of the works; default: native, as the machine has it. */
  readonly target?: typeof wasm;
  /** Number of threads; default: 1. */
  readonly threads?: number;
  /** Smaller works are left out. */
  readonly leastFlops?: number;
  /** Against the fastest of those that were measured. */
  readonly rivals: readonly string[];
  /** Figure that the bar is for: one for all works of the suite together, or each work's. */
  readonly of: "geometric mean" | "each";
  /** Their time over ours. */
  readonly least: number;
}

/** Our own kernel beside one of several threads. */
export const oneThread = "ours, one thread";

/** Our own kernels beside one on bytes. */
export const ownWasm = "ours, WASM";
export const ownFloats = "ours, f32";

/** No libraries. */
export const ownNames: readonly string[] = [oneThread, ownWasm, ownFloats];

export const wasm = "wasm";

const products = ["OpenBLAS", "BLIS", "oneDNN"];

const forBrowsers = ["onnxruntime-web", "tfjs-backend-wasm", "jax-js", "numpy-ts"];

export const bars: readonly Bar[] = [
  { suite: "gemm", rivals: products, of: "each", least: 1 },
  { suite: "gemm", rivals: products, of: "geometric mean", least: 1.08 },
  { suite: "gemm", threads: 2, leastFlops: 2 * 256 ** 3, rivals: [oneThread], of: "each", least: 1.8 },
  { suite: "gemm", threads: 2, rivals: products, of: "each", least: 1 },
  { suite: "small", rivals: ["LIBXSMM"], of: "geometric mean", least: 1 },
  { suite: "small", rivals: ["OpenBLAS", "oneDNN"], of: "geometric mean", least: 1.3 },
  { suite: "batch", rivals: ["LIBXSMM"], of: "geometric mean", least: 1 },
  { suite: "odd", rivals: [...products, "LIBXSMM"], of: "geometric mean", least: 1.15 },
  { suite: "packed", rivals: ["oneDNN"], of: "each", least: 1 },
  { suite: "packed", rivals: ["oneDNN"], of: "geometric mean", least: 1.05 },
  { suite: "fused", rivals: ["oneDNN"], of: "geometric mean", least: 1.15 },
  { suite: "fused", rivals: ["OpenBLAS", "BLIS"], of: "geometric mean", least: 1.25 },
  { suite: "chain", rivals: ["OpenBLAS"], of: "each", least: 1.15 },
  { suite: "gemv", rivals: products, of: "geometric mean", least: 1 },
  { suite: "int8", rivals: ["oneDNN"], of: "each", least: 1 },
  { suite: "int8", rivals: ["oneDNN"], of: "geometric mean", least: 1.15 },
  { suite: "int8-packed", rivals: ["oneDNN"], of: "each", least: 1 },
  { suite: "bf16", rivals: ["oneDNN"], of: "each", least: 1 },
  { suite: "conv", rivals: ["oneDNN"], of: "geometric mean", least: 1 },
  { suite: "conv", rivals: ["onnxruntime-node"], of: "geometric mean", least: 1.3 },
  { suite: "depthwise", rivals: ["oneDNN"], of: "geometric mean", least: 1 },
  { suite: "depthwise", rivals: ["onnxruntime-node"], of: "geometric mean", least: 1.3 },
  { suite: "softmax", rivals: ["onnxruntime-node"], of: "each", least: 1.3 },
  { suite: "layer-norm", rivals: ["onnxruntime-node"], of: "each", least: 1.3 },
  { suite: "layouts", rivals: [...products, "onnxruntime-node"], of: "each", least: 1 },
  { suite: "pixels", rivals: ["loops in C"], of: "each", least: 1 },
  { suite: "rows", rivals: [...products, "loops in C"], of: "each", least: 1 },
  { suite: "filters", rivals: ["loops in C"], of: "each", least: 1 },
  { suite: "short", rivals: ["loops in C"], of: "each", least: 1 },
  { suite: "bytes", rivals: [ownWasm], of: "each", least: 1 },
  { suite: "bytes", rivals: [ownFloats], of: "each", least: 1 },
  { suite: "gemm", target: wasm, threads: 2, leastFlops: 2 * 256 ** 3, rivals: [oneThread], of: "each", least: 1.8 },
  { suite: "gemm", target: wasm, threads: 2, rivals: forBrowsers, of: "each", least: 1.3 },
  ...(["gemm", "packed", "conv", "depthwise", "int8", "layouts"] as const).map(
    (suite): Bar => ({ suite, target: wasm, rivals: forBrowsers, of: "each", least: 1.3 }),
  ),
  ...(["pixels", "rows", "filters", "short"] as const).map(
    (suite): Bar => ({ suite, target: wasm, rivals: ["loops in JavaScript"], of: "each", least: 1.3 }),
  ),
];

export interface Judged {
  readonly bar: Bar;
  /** The least of the works, or their mean. Null: nothing was measured against any of these. */
  readonly reached: number | null;
  /** Works that are below it. */
  readonly below: readonly string[];
  /** Works whose ratios are not steady, left out of a mean. */
  readonly leftOut: readonly string[];
  readonly isMet: boolean;
}

/** Most that the ninetieth per cent of a ratio may be above its tenth: beyond it the median says as much of the machine as of the kernels. */
const steadySpread = 1.5;

export const isSteady = ({ low, high }: Spread): boolean => high <= steadySpread * low;

export function judge(bar: Bar, results: readonly WorkResult[]): Judged {
  const works = results.filter((result) => isOf(bar, result));
  const all = ratiosAgainst(works, bar.rivals);
  const counted = bar.of === "each" ? all : all.filter(({ ratio }) => isSteady(ratio));
  const leftOut = all.filter((it) => !counted.includes(it)).map(({ name }) => name);
  if (counted.length === 0) return { bar, reached: null, below: [], leftOut, isMet: false };
  const values = counted.map(({ ratio }) => ratio.median);
  const reached = bar.of === "each" ? Math.min(...values) : geometricMean(values);
  const below = counted.filter(({ ratio }) => ratio.median < bar.least).map(({ name }) => name);
  return { bar, reached, below, leftOut, isMet: reached >= bar.least };
}

/** Whether a bar is about a work. */
export const isOf = (bar: Bar, { suite, target, threads, flops }: WorkResult): boolean =>
  suite === bar.suite &&
  (target === wasm) === (bar.target === wasm) &&
  threads === (bar.threads ?? 1) &&
  flops >= (bar.leastFlops ?? 0);

/** Name of a work, and its ratio to the fastest of these libraries; works that none of them has are left out. */
export interface NamedRatio {
  readonly name: string;
  readonly ratio: Spread;
}

export const ratiosAgainst = (results: readonly WorkResult[], names: readonly string[]): readonly NamedRatio[] =>
  results.flatMap((result) => {
    const rival = bestOf(result, names);
    return rival ? [{ name: result.name, ratio: rival.ratio }] : [];
  });

/** The fastest of these rivals. Null: none of them was measured. */
export function bestOf({ rivals }: WorkResult, names: readonly string[]): Rival | null {
  const own = rivals.filter(({ name }) => names.includes(name));
  return own.reduce<Rival | null>((a, b) => (a && a.ratio.median <= b.ratio.median ? a : b), null);
}

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
