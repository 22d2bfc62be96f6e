// A planned run and its result: one line of results.jsonl. Nothing in it depends on the repository's history.

import type { TargetName } from "../../../src/compiler/index.ts";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { StrategyName } from "../../../src/tuner/search/strategy/strategy.ts";
import type { Profile } from "../../../src/tuner/support/profile.ts";
import type { TuningEnd } from "../../../src/tuner/tuning/tuning.ts";

/** Task and target: runs are compared only where both are equal. */
export interface Place {
  readonly task: string;
  readonly target: TargetName;
}

export interface PlannedRun extends Place {
  readonly strategy: StrategyName;
  readonly seed: number;
  /** Seconds of its budget. */
  readonly seconds: number;
  /** Looks for the best known: strategy default, ten times as long, not stopped by convergence. */
  readonly isLong: boolean;
}

/** A candidate that was faster than all before it. */
export interface Improvement {
  /** The candidate's number from 1. */
  readonly trial: number;
  /** Milliseconds since time zero. */
  readonly elapsedMs: number;
  /** Its median in nanoseconds, as the search saw it. */
  readonly ns: number;
  readonly candidate: Candidate;
}

export type FailureKind = Exclude<Measurement["kind"], "ok">;

export interface RunResult extends PlannedRun {
  readonly cpu: string;
  readonly node: string;
  /** "gcc 12.2.0 …" or "wasm". */
  readonly toolchain: string;
  readonly codegen: string;
  readonly finishedAt: string;
  /** Time zero is when a user begins to wait; all milliseconds but `referenceMs` and the profile's count from there. */
  readonly referenceMs: number;
  /** Milliseconds until the first candidate was asked for. */
  readonly startedMs: number;
  /** Milliseconds until the last candidate was measured; the race of the finalists is not in it. */
  readonly endedMs: number;
  readonly raceMs: number;
  /** Milliseconds of its process without the tuning's rounds. */
  readonly overheadMs: number;
  readonly ended: TuningEnd;
  /** Candidates measured, failures included. */
  readonly trials: number;
  readonly invalid: Readonly<Partial<Record<FailureKind, number>>>;
  readonly improvements: readonly Improvement[];
  readonly profile: Profile;
  /** Choice of the race. Null: nothing ran. */
  readonly winner: Candidate | null;
  /** How often this run was done, this one included; as it is read. */
  readonly attempts?: number;
}

/** Key of a run. It leaves out the version of the code: an older result is in the report until the same run is done again. */
export const runKey = (cpu: string, { task, target, strategy, seed, seconds, isLong }: PlannedRun): string =>
  [cpu, task, target, strategy, seed, seconds, isLong].join("|");
