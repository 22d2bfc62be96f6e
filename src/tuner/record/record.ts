// One measurement, kept for good: a line of JSON. Stage 10.

import type { Measurement } from "../measure/measurement.ts";
import type { Candidate } from "../space/space.ts";

export const recordSchema = 1;

export interface TuningRecord {
  readonly schema: typeof recordSchema;
  /** Digest of the task: operator, shapes, dtypes, target features, numerics, threads. */
  readonly task: string;
  /** Target class on which it was measured: the resolved features and cache sizes. */
  readonly targetClass: string;
  /** Version of compiler and code generator, e.g. "gcc 12.2.0" or "wasm". */
  readonly toolchain: string;
  readonly candidate: Candidate;
  readonly measurement: Measurement;
  /** Position in the tuning that made it, from 0. */
  readonly trial: number;
}
