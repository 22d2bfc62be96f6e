// One measurement, kept for good: a line of JSON. Stage 10.

import type { FactRow } from "../prior/fact-rows.ts";
import type { Extents } from "./family.ts";
import type { Measurement } from "./measurement.ts";
import type { Candidate } from "./space.ts";

export const recordSchema = 3;

export interface TuningRecord {
  readonly schema: typeof recordSchema;
  /** Digest by `taskKey`: the operator with its shapes and dtypes, numerics, threads, constants, and a user's own space. */
  readonly task: string;
  /** Digest of the operator without its sizes: tasks that can learn from each other. Null in records of schema 1. */
  readonly family: string | null;
  /** Extents of the axes. Null in records of schema 1. */
  readonly extents: Extents | null;
  /** Target class on which it was measured: the resolved features and cache sizes. */
  readonly targetClass: string;
  /** Identity of the compiler that built it, e.g. "gcc 12.2.0", or "wasm". */
  readonly toolchain: string;
  /** Version of the space rules, passes and code generators. Null in records of schemas 1 and 2: some older one. */
  readonly codegen: string | null;
  readonly candidate: Candidate;
  /** Facts known of the candidate before it was measured, a row a stage; null: none. */
  readonly facts: readonly FactRow[] | null;
  readonly measurement: Measurement;
  /** Position in the tuning that made it, from 0. */
  readonly trial: number;
}
