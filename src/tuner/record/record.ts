// One measurement, kept for good: a line of JSON. Stage 10.

import type { FactRow } from "../cost-model/fact-rows.ts";
import type { Extents } from "../family.ts";
import type { Measurement } from "../measure/measurement.ts";
import type { Candidate } from "../space/space.ts";

export const recordSchema = 2;

export interface TuningRecord {
  readonly schema: typeof recordSchema;
  /** Digest of the task: operator, shapes, dtypes, target features, numerics, threads. */
  readonly task: string;
  /** Digest of the operator without its sizes: tasks that can learn from each other. Null in records of schema 1. */
  readonly family: string | null;
  /** The sizes. Null in records of schema 1. */
  readonly extents: Extents | null;
  /** Target class on which it was measured: the resolved features and cache sizes. */
  readonly targetClass: string;
  /** Version of compiler and code generator, e.g. "gcc 12.2.0" or "wasm". */
  readonly toolchain: string;
  readonly candidate: Candidate;
  /** What was known of the candidate before it was measured, a row a stage; null: nothing. */
  readonly facts: readonly FactRow[] | null;
  readonly measurement: Measurement;
  /** Position in the tuning that made it, from 0. */
  readonly trial: number;
}
