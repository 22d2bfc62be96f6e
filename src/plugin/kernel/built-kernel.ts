// A kernel that was built: its code by role, and what is to be known of it.

import type { PreparationFacts, WasmSource } from "../../compiler/index.ts";
import type { Decision } from "../../tuner/data/decision.ts";
import type { Blobs } from "../../tuner/store/blobs.ts";

export interface ScheduleFacts {
  /** The schedule as text. */
  readonly trace: string;
  /** Error bound of the algorithm that the schedule is of; see `info.errorBound`. */
  readonly errorBound: number;
  /** Part that is computed from the operator's constants alone; null: there is none. */
  readonly preparation: PreparationFacts | null;
}

/** A built kernel: its code by role, and what is to be known of it. */
export interface BuiltBlobs {
  readonly blobs: Blobs;
  readonly facts: ScheduleFacts;
}

/** Modules of one schedule. */
export interface WasmPair {
  readonly wasm: WasmSource;
  /** Module with relaxed SIMD; null where it would be the same module. */
  readonly relaxed: WasmSource | null;
  /** Computes what both take of constant inputs; null: nothing. */
  readonly prepare: WasmSource | null;
  readonly facts: ScheduleFacts;
  /** Schedule that the modules were generated from. */
  readonly schedule: Decision;
}

/** A way out where the twin alone fails. */
export const withoutTwin = "fallback=none leaves it out";
