// Machines that kernels are made for, as the compiler knows them: numbers as data, one file a target.

import type { Intrinsic } from "../ir/intrinsic.ts";

export const targetNames = ["wasm", "avx2", "avx512", "avx512-vnni", "avx512-bf16", "amx"] as const;
export type TargetName = (typeof targetNames)[number];

export interface Target {
  readonly name: TargetName;
  /** Code generator that serves the target. */
  readonly codegen: "wasm" | "c";
  /** Resolved instruction-set features, sorted, never spellings such as `native`: ["avx2", "fma"], ["simd128"]. */
  readonly features: readonly string[];
  readonly vectorBytes: number;
  /** Architectural vector registers. */
  readonly vectorRegisters: number;
  /** Whether a·b + c is one instruction. */
  readonly hasFma: boolean;
  /** Whether a vector store can leave its tail lanes alone in one instruction. */
  readonly hasMaskedStore: boolean;
  readonly l1Bytes: number;
  readonly l2Bytes: number;
  /** Bytes of the L3 cache that are one core's share. */
  readonly l3Bytes: number;
  /** Number of threads that share `parallel` loops, the caller's among them. */
  readonly threads: number;
  /** Name that a user gave to a target of one's own, which differs from ours of this `name` in its numbers; none: it is ours. */
  readonly own?: string;
  /** Intrinsics that a user brings, preferred to ours; none: ours alone. */
  readonly intrinsics?: readonly Intrinsic[];
}

/** Most threads that a kernel may ask for. */
export const mostThreads = 256;

/** "fast": sums may be reassociated, products and sums fused. "strict": the order and the roundings of the reference. */
export type Numerics = "fast" | "strict";
