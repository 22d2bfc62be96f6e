// Machines that kernels are made for, as the compiler knows them: numbers as data, one file a target.

import type { Intrinsic } from "../ir/intrinsic.ts";

import { invariant } from "../support/invariant.ts";

/**
 * The targets of each family of processors stand from the narrowest to the widest: `native` is the last one that a machine runs. Those of
 * one class of engines come first, as `wasm` serves all of them.
 */
export const targetNames = [
  "wasm-x86",
  "wasm-arm",
  "wasm-x86-relaxed",
  "wasm-arm-relaxed",
  "wasm",
  "neon",
  "neon-dot",
  "neon-i8mm",
  "avx2",
  "avx512",
  "avx512-vnni",
  "avx512-bf16",
  "amx",
] as const;
export type TargetName = (typeof targetNames)[number];

/** Cores whose numbers the analytic prior knows, by what their makers call them; those of Apple by their two kinds. */
export const coreNames = [
  "cortex-a76",
  "neoverse-n1",
  "neoverse-n2",
  "neoverse-v1",
  "neoverse-v2",
  "apple-e",
  "apple-p",
] as const;
export type CoreName = (typeof coreNames)[number];

/** A machine, by the kind of its resources. A kind's numbers are what its rules, passes and estimates ask for. */
export type Target = CpuTarget | AcceleratorTarget;

/** Parts that a user may bring to a target of any kind. */
interface OwnParts {
  /** Name that a user gave to a target of one's own, which differs from ours of this `name` in its numbers; none: it is ours. */
  readonly own?: string;
  /** Intrinsics that a user brings, preferred to ours; none: ours alone. */
  readonly intrinsics?: readonly Intrinsic[];
}

/** One core with vectors and caches, and threads that share its loops. */
export interface CpuTarget extends OwnParts {
  readonly kind: "cpu";
  readonly name: TargetName;
  /** Name of the back end that serves the target. */
  readonly backend: "wasm" | "c";
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
  /** Its core, by which the prior predicts; none: as most cores of the target are. Spaces do not depend on it. */
  readonly core?: CoreName;
  /** Number of threads that share `parallel` loops, the caller's among them. */
  readonly threads: number;
}

/**
 * A machine of a foreign back end: scratchpads, matrix units, whatever it has. Its numbers have names of its own, which only its own
 * rules and code generator know.
 */
export interface AcceleratorTarget extends OwnParts {
  readonly kind: "accelerator";
  readonly name: string;
  readonly backend: string;
  readonly features: readonly string[];
  /** Number of threads of the host that share a kernel's loops; 1 where the machine works alone. */
  readonly threads: number;
  /** Sizes and speeds by name: `{ inputBytes: 32_768, clockMhz: 100 }`. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Returns the target as a CPU's; null: it is no CPU. */
export function asCpu(target: Target): CpuTarget | null {
  switch (target.kind) {
    case "cpu":
      return target;
    case "accelerator":
      return null;
  }
}

/** Returns the target as a CPU's, for code that only CPUs get to. */
export function cpuTarget(target: Target): CpuTarget {
  const cpu = asCpu(target);
  invariant(cpu, `${target.name} is no CPU`);
  return cpu;
}

/** Bytes of a vector register; 0: the machine has none. */
export const vectorBytesOf = (target: Target): number =>
  target.kind === "cpu" ? target.vectorBytes : (target.limits.vectorBytes ?? 0);

/** Most threads that a kernel may ask for. */
export const mostThreads = 256;

/** "fast": sums may be reassociated, products and sums fused. "strict": the order and the roundings of the reference. */
export type Numerics = "fast" | "strict";
