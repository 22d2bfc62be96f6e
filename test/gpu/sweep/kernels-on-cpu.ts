// Kernels for NVIDIA's GPUs that tests run on the CPU: drawn schedules of the sweep's operators, and schedules of a product.

import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  type AcceleratorTarget,
  type ComputeDef,
  type CudaSource,
  cudaGenerator,
  cudaSm80,
  cudaSm90,
  fromCompute,
  type LoopFunc,
  schedule,
  type Trace,
} from "../../../src/compiler/index.ts";
import { fewer } from "../../support/long.ts";
import { drawRound, type Round } from "./draw-round.ts";
import { sweptFor } from "./operators.ts";

/** Operators of the sweep whose kernels have all that is printed. */
export const swept = [
  "gemm of whole tiles",
  "two products of whole tiles",
  "products of bytes of whole tiles",
  "gemm: bias, gelu",
  "batchMatmul, deep",
  "conv2d",
  "gemv, long",
  "attention",
  "softmax, long",
  "layerNorm, long",
  "reductions to one number",
  "maxPool2d",
  "padding and slices",
  "casts",
  "transpose",
];

export function drawn(title: string, seed = 5, round = 0, target: AcceleratorTarget = cudaSm80): Round {
  const operator = sweptFor(target).find((it) => it.title === title)!;
  return drawRound(operator, seed, round, { target, wanted: fewer(8) })!;
}

/** Schedules of a product for `wgmma`, some with operands that threads copy, some with boxes. */
export const inPanels = (round: number): Round => drawn("products of whole panels", 5, round, cudaSm90);

export const sourcesOf = ({ schedules }: Round): readonly CudaSource[] =>
  schedules.map(({ kernel, text }) => {
    if (typeof kernel === "string") throw new Error(`${kernel}\n${text}`);
    return kernel.source as CudaSource;
  });

export const sizes = { M: 128, N: 256, K: 256, dtype: "bf16" } as const;
export const blocks = { rows: 64, columns: 128, depth: 64, across: 1, along: 1, stages: 3, neighbours: 1 };

/** A kernel for a product, as a schedule has it. */
export function kernelOf(op: ComputeDef, trace: Trace): { readonly flat: LoopFunc; readonly source: CudaSource } {
  const options = { target: cudaSm90, numerics: "fast" } as const;
  const flat = lower(schedule(fromCompute(op), trace), options);
  return { flat, source: cudaGenerator.generate(flat, { ...options, relaxed: false }) as CudaSource };
}
