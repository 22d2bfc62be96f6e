// Decisions on a kernel's schedule: of any origin, and from outside until one is taken.

import type { Decision } from "../../tuner/data/decision.ts";
import type { Measured, Provenance } from "../../tuner/store/store-entry.ts";
import type { BuiltBlobs } from "./built-kernel.ts";
import type { Origin } from "./compiled-kernel.ts";

export interface KernelDecision extends Decision {
  readonly origin: Origin;
  readonly measured: Measured | null;
  readonly measurements: number;
  readonly compilerRuns: number;
  /** Addon that came with the decision, signed, to a machine that has no compiler. Absent: the kernel is built here. */
  readonly built?: BuiltBlobs;
  /** Where it came from, if no build of this user tuned it. Absent for the lock's, which does not say. */
  readonly from?: Provenance;
}

/** A decision from outside that may be used. */
export interface TakenDecision {
  readonly schedule: Decision;
  /** Measurement of this machine, not the one that the decision came with; null: it is for processors that are not here. */
  readonly measured: Measured | null;
}

/** A decision from outside that is used, and what the store keeps of its origin. */
export interface OutsideDecision extends TakenDecision {
  readonly from: Provenance;
}
