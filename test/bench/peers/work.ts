// A work that is measured: an operator at one shape, and the call of libraries that computes the same.

import { instantiate, type Op, type Target } from "../../../src/compiler/index.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";

export const suiteNames = [
  "gemm",
  "small",
  "batch",
  "odd",
  "packed",
  "fused",
  "chain",
  "gemv",
  "int8",
  "int8-packed",
  "bf16",
  "conv",
  "depthwise",
  "softmax",
  "layer-norm",
  "attention",
  "bytes",
  "layouts",
  "pixels",
  "rows",
  "filters",
  "short",
] as const;
export type SuiteName = (typeof suiteNames)[number];

/** Type whose products a suite sums by instructions of its own, so that its limit is not that of f32; null: there are none. */
export const dotsOf = (suite: SuiteName): "int8" | "bf16" | null => {
  if (suite === "int8" || suite === "int8-packed") return "int8";
  return suite === "bf16" ? "bf16" : null;
};

export interface Work {
  readonly suite: SuiteName;
  /** Name of the work within its suite: "512×768×768". */
  readonly name: string;
  readonly op: Op;
  /** Inputs that stay the same: our kernel and libraries that can prepare them do so before the clock starts. */
  readonly constants?: readonly string[];
  /** Null: no library has it. */
  readonly call: PeerCall | null;
  /** The same on f32, which competes, as does our own WASM. */
  readonly floats?: Op;
}

/** A function of a library with its arguments: native/*.c know the names, and which extents come in which order. */
export interface PeerCall {
  readonly name: string;
  readonly extents: readonly number[];
}

/** Returns the function that makes works of a suite, from an operator and the call of loops that computes the same. */
export const worksOf =
  (suite: SuiteName) =>
  (name: string, op: Op, call: string, ...extents: readonly number[]): Work => ({
    suite,
    name,
    op,
    call: { name: call, extents },
  });

export const workKey = ({ suite, name }: Pick<Work, "suite" | "name">): string => `${suite} ${name}`;

export const taskOf = ({ op, constants }: Pick<Work, "op" | "constants">, target: Target): TuningTask => ({
  op: instantiate(op, {}, "kernel"),
  target,
  numerics: "fast",
  threads: target.threads,
  ...(constants ? { constants } : {}),
});
