// Kernels for NVIDIA's GPUs that tests run on the CPU: drawn schedules of the sweep's operators, and schedules of a product.

import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  type AcceleratorTarget,
  authoring,
  type ComputeDef,
  type CudaSource,
  cudaGenerator,
  cudaSm80,
  cudaSm90,
  fromCompute,
  instantiate,
  isCudaSource,
  type LoopFunc,
  schedule,
  type Trace,
} from "../../../src/compiler/index.ts";
import { byGroups, productOf } from "../../compiler/cuda/schedules.ts";
import { firstSchedules } from "../../support/first-schedules.ts";
import { fewer } from "../../support/long.ts";
import { type Reference, referenceOn } from "../../support/reference.ts";
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

/** Ways of a product by four warps, with the sizes of each. In clusters two groups compute two blocks each, and copy the columns together. */
export const productsOfGroups = {
  "by threads": { sizes, blocks, copies: "by threads" },
  "by boxes": { sizes, blocks, copies: "by boxes" },
  "warp-specialized": { sizes, blocks, copies: "by boxes, warp-specialized" },
  "in clusters": {
    sizes: { ...sizes, M: 256, N: 128 },
    blocks: { ...blocks, neighbours: 2, rounds: 2, cluster: 2 },
    copies: "by boxes, warp-specialized",
  },
} as const;

/** A kernel for such a product. */
export function productOfGroups(way: keyof typeof productsOfGroups): {
  readonly op: ComputeDef;
  readonly trace: Trace;
} {
  const { sizes, blocks, copies } = productsOfGroups[way];
  return { op: productOf(sizes), trace: byGroups(sizes, blocks, 128, copies) };
}

/** A kernel for a product, as a schedule has it. */
export function kernelOf(op: ComputeDef, trace: Trace): { readonly flat: LoopFunc; readonly source: CudaSource } {
  const options = { target: cudaSm90, numerics: "fast" } as const;
  const flat = lower(schedule(fromCompute(op), trace), options);
  return { flat, source: cudaGenerator.generate(flat, { ...options, relaxed: false }) as CudaSource };
}

const { compute, defineOp, tensor } = authoring;

/** The operator that casts 64 numbers. */
const castOf = (from: "f32" | "f64", to: "i32" | "i8"): ComputeDef =>
  instantiate(
    defineOp({}, () => {
      const X = tensor("X", [64], from);
      return compute("Y", [64], (i) => X(i).cast(to) as authoring.Expr);
    }),
    {},
    "casts",
  );

/** Kernels that cast NaN and numbers that no integer of the type is, and the right results. */
export function castsOf(
  from: "f32" | "f64",
): readonly { readonly reference: Reference; readonly source: CudaSource }[] {
  const special = [Number.NaN, 3e9, -3e9, 1e30, -1e30, -1.9, 300, -300];
  const values = Array.from({ length: 64 }, (_, at) => special[at % special.length]!);
  const X = from === "f32" ? Float32Array.from(values) : Float64Array.from(values);
  return (["i32", "i8"] as const).map((to) => {
    const op = castOf(from, to);
    const task = { op, target: cudaSm80, numerics: "fast", threads: 1 } as const;
    return { reference: referenceOn(op, [X]), source: firstSchedules(task, 1, isCudaSource)[0]!.source };
  });
}
