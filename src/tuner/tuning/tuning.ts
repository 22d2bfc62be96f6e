// A tuning that is carried on round by round: propose → build, check, time → learn → record; at the end the finalists
// race. A round is decided while the last candidates of the one before it are measured. A caller with several tunings decides
// which goes on. The same seed and the same records give the same candidates.

import { boostedTrees } from "../cost-model/boosted-trees.ts";
import type { CostModel } from "../cost-model/cost-model.ts";
import { type FeatureKind, featuresOf } from "../cost-model/feature-kinds.ts";
import type { OwnFeatures } from "../cost-model/own-features.ts";
import type { Measurement, Timing } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { Budget, TuningTask } from "../data/task.ts";
import { ownRecords, recordsOfRelatives } from "../experience/known-records.ts";
import { knownOf, withExperience } from "../experience/transfer.ts";
import { killsItsWorker } from "../fleet/result.ts";
import { finalistsOf } from "../measure/finalists.ts";
import type { MachineModel } from "../prior/machine-model.ts";
import type { RankingFacts } from "../prior/ranker.ts";
import type { RecordDatabase } from "../record/database.ts";
import type { ConvergenceRun } from "../report/convergence.ts";
import { provenSearchSpace } from "../search/point/proven-search-space.ts";
import { findPoint, type Mutator, type SearchSpace } from "../search/point/search-space.ts";
import { type Proposals, proposalsOf } from "../search/proposals.ts";
import { type ConvergenceRule, convergenceFor, hasConverged } from "../search/state/convergence.ts";
import {
  awaiting,
  observe,
  rankedTrials,
  type SearchState,
  startSearch,
  trialCount,
} from "../search/state/search-state.ts";
import { timedModel, timedSpace } from "../search/state/timed-search.ts";
import type { Strategy } from "../search/strategy/strategy.ts";
import { countUnmeasured } from "../search/strategy/unmeasured.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { noProfiler, type Profile, type Profiler } from "../support/profile.ts";
import { createRng } from "../support/rng.ts";
import type { LeftMs } from "../support/time-limit.ts";
import { hasPostprocessors, underPostprocessors } from "../workbench/measurable.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { chooseWinner, raceAfter } from "./choose-winner.ts";
import { mostCounted } from "./nothing-tried.ts";
import { finalistsIn, fittingIn, isTimeToRace, type RoundCost, raceMsOf } from "./time-left.ts";
import { startHistory } from "./tuning-history.ts";
import { type LoggedTuning, loggedTuning } from "./tuning-log.ts";
import { firstOf, measureRound, prepareRound, type Round } from "./tuning-round.ts";

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

/**
 * Reason why a tuning ended. "budget": its seconds or trials are spent. "converged": the best hardly improved, or the strategy
 * proposed nothing new. "exhausted": the strategy proposed nothing at all, as where nothing is left to try.
 */
export type TuningEnd = "budget" | "converged" | "exhausted";

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

export async function startTuning(task: TuningTask, space: GeneratedSpace, options: TuningOptions): Promise<Tuning> {
  const { budget, strategy, signal, profiler = noProfiler } = options;
  const { convergence = convergenceFor(task.target) } = options;
  const rng = createRng(options.seed);
  const proposals = proposalsOf(strategy, rng);
  const history = startHistory();
  const time = startTime(options, history.hasRun);
  const { elapsedMs, leftMs, hardMs } = time;
  let state = await firstState(task, space, options);
  const searched = state.space;
  const recorded = trialCount(state);
  let round = 0;
  let lastRound: RoundCost | null = null;
  /** The next round, where it was decided while the last one was measured. */
  let decided: Round | null = null;
  let late: string | null = null;
  function onTrial(trial: TimedTrial): void {
    history.add(trial);
    options.onTrial?.(trial);
  }
  const factsOf = (candidate: Candidate) => factsIn(space, searched, candidate);
  const isKept = (measurement: Measurement): boolean => isRecorded(measurement, space);
  const leftForRoundsMs = (): number => leftMs() - raceMsOf(budget, state.best?.ns ?? null);
  const isOver = (): boolean => leftForRoundsMs() <= 0 || time.isLate();

  function nextRound(most: number, awaited: readonly Candidate[] = []): Round | TuningEnd {
    const fitting = lastRound ? fittingIn(leftForRoundsMs(), lastRound) : Number.POSITIVE_INFINITY;
    const left = Math.min(most, budget.trials - recorded - history.trials() - awaited.length, fitting);
    const isSpent = round > 0 || state.best ? isOver() : hardMs() <= 0;
    if (left <= 0 || isSpent) return "budget";
    signal?.throwIfAborted();
    if (convergence && hasConverged(state, convergence)) return "converged";
    if (decided) return firstOf(decided, left);
    const candidates = profiler.time("search", () => proposals.next(awaiting(state, awaited), left));
    if (typeof candidates === "string") return candidates;
    if (options.workbench.byDecisions) return { candidates, sources: [] };
    return prepareRound(task, space, candidates, profiler, hardMs);
  }

  function progress(): TuneProgress {
    const failed = failuresOf(state).length;
    return { round, measured: history.trials(), failed, bestNs: state.best?.ns ?? null, elapsedMs: elapsedMs() };
  }

  return {
    state: () => state,
    progress,
    async advance(most = roundSize) {
      options.onProgress?.(progress());
      const startMs = elapsedMs();
      const next = nextRound(most);
      decided = null;
      if (typeof next === "string") return history.end(next, elapsedMs());
      const before = history.trials();
      const at = { bestNs: state.best?.ns ?? null, trial: recorded + before };
      const place = { ...at, elapsedMs, isOver, leftMs: hardMs, factsOf, isKept };
      const missed = await measureRound(task, next, place, { ...options, onTrial }, (observations, awaited) => {
        state = profiler.time("search", () => observe(state, observations));
        if (awaited.length === 0) return;
        const following = nextRound(most, awaited);
        decided = typeof following === "string" ? null : following;
      });
      late ??= missed;
      // Nothing is known of the candidates that were left out, so they would be proposed again.
      if (missed !== null && history.trials() === before) return history.end("budget", elapsedMs());
      round += 1;
      lastRound = { measured: history.trials() - before, ms: elapsedMs() - startMs };
      return true;
    },
    async finish() {
      const isFresh = history.trials() > 0;
      const winner = await profiler.timeAsync("run", () => winnerOf(task, space, { state, time, isFresh }, options));
      const [profile, told] = [profiler.profile(), triedIn(state, proposals)];
      const found = { winner, recorded, late, profile, ...told };
      const result: TuneResult = { ...found, elapsedMs: elapsedMs(), ...history.summary() };
      if (result.measured > 0) options.onEnd?.(loggedTuning(task, options, result));
      return result;
    },
  };
}

function isRecorded(measurement: Measurement, space: GeneratedSpace): boolean {
  if (measurement.kind === "crashed") return measurement.reason !== killsItsWorker;
  return measurement.kind !== "build-failed" || !hasPostprocessors(space);
}

/** State and time of a tuning at its end. */
interface Outcome {
  readonly state: SearchState;
  readonly time: TuningTime;
  /** Whether anything was measured now: if not, the records have decided. */
  readonly isFresh: boolean;
}

function winnerOf(
  task: TuningTask,
  space: GeneratedSpace,
  { state, time, isFresh }: Outcome,
  options: TuningOptions,
): ReturnType<typeof chooseWinner> {
  const bestNs = state.best?.ns ?? 0;
  const race = isFresh && isTimeToRace(time.hardMs(), bestNs) ? raceAfter(time, options) : null;
  return chooseWinner(task, space, finalistsOf(rankedTrials(state), finalistsIn(time.leftMs(), bestNs)), race);
}

/** Clock and limits of one tuning. */
export interface TuningTime {
  readonly elapsedMs: () => number;
  /** Milliseconds left of the budget. */
  readonly leftMs: LeftMs;
  /** Milliseconds left of everything that limits the tuning: what runs at their end is killed. */
  readonly hardMs: LeftMs;
  /** Whether nothing is to be begun that need not be. */
  readonly isLate: () => boolean;
}

/** Milliseconds added while nothing has run: on a busy machine one candidate takes a second, and is worth more than none. */
const graceMs = 750;

function startTime(
  { budget, clock, startMs = clock(), isOver, leftMs: outerMs }: TuningOptions,
  hasRun: () => boolean,
): TuningTime {
  const elapsedMs = (): number => clock() - startMs;
  const leftMs = (): number => budget.seconds * 1_000 - elapsedMs();
  return {
    elapsedMs,
    leftMs,
    hardMs: () => Math.min(leftMs() + (hasRun() ? 0 : graceMs), outerMs?.() ?? Number.POSITIVE_INFINITY),
    isLate: () => leftMs() <= 0 || isOver?.() === true,
  };
}

/** Makes the state before the first round, from records of other tasks and of earlier tunings of this one. */
async function firstState(task: TuningTask, space: GeneratedSpace, options: TuningOptions): Promise<SearchState> {
  const { profiler = noProfiler, machine } = options;
  const relatives = recordsOfRelatives(task, options);
  const experienced = profiler.time("training", () => withExperience(space, task, relatives, machine));
  const features = featuresOf(options.features ?? "variables and facts", space, task);
  const searched = await profiler.timeAsync("space", () =>
    provenSearchSpace(experienced, { features, mutators: options.mutators }),
  );
  const known = profiler.time("search", () => knownOf(task, space, searched, relatives, machine));
  const model = timedModel(options.costModel ?? boostedTrees(), profiler);
  const records = underPostprocessors(task, space, ownRecords(task, options));
  const empty = startSearch(timedSpace(searched, profiler), model, known);
  return records.length > 0 ? observe(empty, records) : empty;
}

function factsIn(
  { facts }: GeneratedSpace,
  searched: SearchSpace,
  candidate: Candidate,
): readonly RankingFacts[] | null {
  const point = findPoint(searched, candidate);
  return point && facts(point.template.template, point.assignment);
}

const failuresOf = ({ rounds }: SearchState): readonly Failure[] =>
  rounds.flat().flatMap(({ point, measurement }): Failure[] => {
    return measurement.kind === "ok" ? [] : [{ candidate: point.candidate, measurement }];
  });

const triedIn = (state: SearchState, proposals: Proposals): Pick<TuneResult, "failures" | "repeated" | "untried"> => ({
  failures: failuresOf(state),
  repeated: proposals.repeated(),
  untried: state.seen.size === 0 ? countUnmeasured(state, mostCounted, createRng(1)) : 0,
});
