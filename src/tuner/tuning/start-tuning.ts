// Carries a tuning out round by round: propose → build, check, time → learn → record; at the end the finalists
// race. A round is decided while the last candidates of the one before it are measured. A caller with several tunings decides
// which goes on. The same seed and the same records give the same candidates.

import { hasRelaxedTwin } from "../../compiler/index.ts";
import { boostedTrees } from "../cost-model/boosted-trees.ts";
import { featuresOf } from "../cost-model/feature-kinds.ts";
import { killsItsWorker, type Measurement } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { ownRecords, recordsOfRelatives } from "../experience/known-records.ts";
import { knownOf, withExperience } from "../experience/transfer.ts";
import { finalistsOf } from "../measure/finalists.ts";
import type { RankingFacts } from "../prior/ranker.ts";
import { provenSearchSpace } from "../search/point/proven-search-space.ts";
import { findPoint, type SearchSpace } from "../search/point/search-space.ts";
import { type Proposals, proposalsOf } from "../search/proposals.ts";
import { convergenceFor, hasConverged } from "../search/state/convergence.ts";
import {
  awaiting,
  observe,
  rankedTrials,
  type SearchState,
  startSearch,
  trialCount,
} from "../search/state/search-state.ts";
import { timedModel, timedSpace } from "../search/state/timed-search.ts";
import { countUnmeasured } from "../search/strategy/unmeasured.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { noProfiler } from "../support/profile.ts";
import { createRng } from "../support/rng.ts";
import { hasPostprocessors, underPostprocessors } from "../workbench/measurable.ts";
import { chooseWinner, raceAfter } from "./choose-winner.ts";
import { mostCounted } from "./nothing-tried.ts";
import { finalistsIn, fittingIn, isTimeToRace, type RoundCost, raceMsOf, type TuningTime } from "./time-left.ts";
import {
  type Failure,
  roundSize,
  type TimedTrial,
  type TuneProgress,
  type TuneResult,
  type Tuning,
  type TuningOptions,
} from "./tuning.ts";
import { startHistory, type TuningEnd } from "./tuning-history.ts";
import { loggedTuning } from "./tuning-log.ts";
import { firstOf, measureRound, prepareRound, type Round } from "./tuning-round.ts";

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
  // Each finalist runs in both forms.
  const runNs = (state.best?.ns ?? 0) * (hasRelaxedTwin(task.target, task.numerics) ? 2 : 1);
  const race = isFresh && isTimeToRace(time.hardMs(), runNs) ? raceAfter(time, options) : null;
  return chooseWinner(task, space, finalistsOf(rankedTrials(state), finalistsIn(time.leftMs(), runNs)), race);
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
