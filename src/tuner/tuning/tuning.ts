// A tuning as its caller sees it: what it is given, what it tells on the way, and what it results in. `start-tuning.ts` carries it out.

import type { CostModel } from "../cost-model/cost-model.ts";
import type { FeatureKind } from "../cost-model/feature-kinds.ts";
import type { OwnFeatures } from "../cost-model/own-features.ts";
import type { Measurement, Timing } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { Budget } from "../data/task.ts";
import type { MachineModel } from "../prior/machine-model.ts";
import type { RecordDatabase } from "../record/database.ts";
import type { ConvergenceRun } from "../report/convergence.ts";
import type { Mutator } from "../search/point/search-space.ts";
import type { ConvergenceRule } from "../search/state/convergence.ts";
import type { SearchState } from "../search/state/search-state.ts";
import type { Strategy } from "../search/strategy/strategy.ts";
import type { Profile, Profiler } from "../support/profile.ts";
import type { LeftMs } from "../support/time-limit.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { TuningEnd } from "./tuning-history.ts";
import type { LoggedTuning } from "./tuning-log.ts";

export interface TuningOptions {
  readonly budget: Budget;
  readonly strategy: Strategy;
  readonly seed: number;
  /** `taskKey` of the task: records carry it. */
  readonly taskKey: string;
  readonly database: RecordDatabase;
  readonly workbench: Workbench;
  /** Returns milliseconds, for the budget only. */
  readonly clock: () => number;
  /** Cost model that learns from the trials; default: boosted trees. */
  readonly costModel?: CostModel;
  /** Features that the cost model sees, by name or a user's own; default: "variables and facts". */
  readonly features?: FeatureKind | OwnFeatures;
  /** Mutators of a user's, in place of ours. */
  readonly mutators?: readonly Mutator[] | undefined;
  /** Machine model from a calibration; default: the one built in for the code generator. */
  readonly machine?: MachineModel | undefined;
  /**
   * Clock's time at which the budget began; default: now. The right answers, computed before, count against the budget too.
   */
  readonly startMs?: number;
  /** Whether a limit beside the budget is reached: a round that is being measured ends early then. */
  readonly isOver?: (() => boolean) | undefined;
  /** Milliseconds left of a limit beside the budget: compilers and candidates that run at its end are killed. */
  readonly leftMs?: LeftMs | undefined;
  /** Rule that ends the tuning early; default: `convergenceFor` the target. Null: it goes on until the budget is spent. */
  readonly convergence?: ConvergenceRule | null;
  readonly profiler?: Profiler;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Receives each measurement, as it comes. */
  readonly onTrial?: ((trial: TimedTrial) => void) | undefined;
  /** Receives the tuning's log at its end, if anything was measured. */
  readonly onEnd?: ((tuning: LoggedTuning) => void) | undefined;
}

export interface TuneProgress {
  readonly round: number;
  readonly measured: number;
  readonly failed: number;
  readonly bestNs: number | null;
  readonly elapsedMs: number;
}

export interface TimedTrial {
  readonly candidate: Candidate;
  readonly measurement: Measurement;
  /** Milliseconds since the tuning started. */
  readonly elapsedMs: number;
}

export interface TuneResult {
  /** The winner; null: nothing that was tried ran. */
  readonly winner: Winner | null;
  /** Number of candidates measured now, and below it of those read from records. */
  readonly measured: number;
  readonly recorded: number;
  readonly elapsedMs: number;
  readonly ended: TuningEnd;
  /** Number of candidates that the strategy proposed again: they were not measured again. */
  readonly repeated: number;
  /** Number of candidates there were to measure, where none was measured or recorded; at most `mostCounted`. */
  readonly untried: number;
  /** Why candidates were not measured for lack of time; null: none was left out for that. */
  readonly late: string | null;
  /** Failures, those of records included. A wrong result is a bug of ours. */
  readonly failures: readonly Failure[];
  /** Improvements of the best among the candidates measured now. */
  readonly history: ConvergenceRun;
  /** Time by phase, if there was a profiler. */
  readonly profile: Profile;
}

export interface Winner {
  readonly candidate: Candidate;
  readonly medianNs: number;
  /** Times from the race, where there was one; else those recorded. `noiseOf` says how noisy they were. */
  readonly timing: Timing;
  /** The second of the race, or of the records; null: there was no other. */
  readonly runnerUp: Candidate | null;
}

export interface Failure {
  readonly candidate: Candidate;
  readonly measurement: Exclude<Measurement, { readonly kind: "ok" }>;
}

export interface Tuning {
  state(): SearchState;
  progress(): TuneProgress;
  /**
   * Carries out a round. Returns false, and does nothing, where the tuning is over: by its budget, by convergence, or because
   * nothing is left to try.
   *
   * @param most most candidates of the round; default: `roundSize`
   */
  advance(most?: number): Promise<boolean>;
  /** Races the finalists. Nothing is measured where no round was: the records have decided already. */
  finish(): Promise<TuneResult>;
}

/** Most candidates of one round: few enough to learn between rounds. */
export const roundSize = 24;
