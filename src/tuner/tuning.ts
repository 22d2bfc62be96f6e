// A tuning that is carried on round by round: propose → build, check, time → learn → record; at the end the finalists
// race. Whoever has several tunings decides which goes on. The same seed and the same records give the same candidates.

import { boostedTrees } from "./cost-model/boosted-trees.ts";
import type { CostModel } from "./cost-model/cost-model.ts";
import { factRows } from "./cost-model/fact-rows.ts";
import type { MachineModel } from "./cost-model/machine-model.ts";
import type { RankingFacts } from "./cost-model/ranker.ts";
import { extentsOf, familyOf } from "./family.ts";
import { measurable } from "./measurable.ts";
import { finalistsOf } from "./measure/finalists.ts";
import type { Measurement, Timing } from "./measure/measurement.ts";
import { noProfiler, type Profiler } from "./profile.ts";
import type { RecordDatabase } from "./record/database.ts";
import { recordSchema, type TuningRecord } from "./record/record.ts";
import { createRng } from "./rng.ts";
import { type ConvergenceRule, defaultConvergence, hasConverged } from "./search/convergence.ts";
import { type FeatureKind, featureKinds } from "./search/feature-kinds.ts";
import { provenSearchSpace } from "./search/proven-search-space.ts";
import { findPoint } from "./search/search-space.ts";
import {
  type Observation,
  observe,
  rankedTrials,
  type SearchState,
  startSearch,
  trialCount,
} from "./search/search-state.ts";
import type { Strategy } from "./search/strategy.ts";
import { timedModel, timedSpace } from "./search/timed-search.ts";
import type { GeneratedSpace } from "./space/generate.ts";
import type { Candidate } from "./space/space.ts";
import { targetClass } from "./store/key.ts";
import type { Budget, TuningTask } from "./task.ts";
import { knownOf, withExperience } from "./transfer.ts";
import type { MeasurableSource, Refusal, Workbench } from "./workbench.ts";

export interface TuningOptions {
  readonly budget: Budget;
  readonly strategy: Strategy;
  readonly seed: number;
  /** Digest that records carry: the schedule key of the task. */
  readonly taskKey: string;
  readonly database: RecordDatabase;
  readonly workbench: Workbench;
  /** Milliseconds, for the budget only. */
  readonly clock: () => number;
  /** Boosted trees unless said. */
  readonly costModel?: CostModel;
  /** What the cost model sees; "variables and facts" unless said. */
  readonly features?: FeatureKind;
  /** What a calibration found; the defaults unless said. */
  readonly machine?: MachineModel | undefined;
  /** Beside the budget: a round that is being measured ends early where no time is left. */
  readonly isOver?: (() => boolean) | undefined;
  /** Null: it goes on until the budget is spent. */
  readonly convergence?: ConvergenceRule | null;
  readonly profiler?: Profiler;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
  /** Each measurement, as it comes. */
  readonly onTrial?: ((trial: TimedTrial) => void) | undefined;
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
  /** Since the tuning started. */
  readonly elapsedMs: number;
}

export interface TuneResult {
  /** Null: nothing that was tried ran. */
  readonly winner: Winner | null;
  /** Measured now, and read from records. */
  readonly measured: number;
  readonly recorded: number;
  readonly elapsedMs: number;
  /** Of records too. A wrong result is a bug of ours. */
  readonly failures: readonly Failure[];
}

export interface Winner {
  readonly candidate: Candidate;
  readonly medianNs: number;
  /** From the race, where there was one; else what was recorded. `noiseOf` says how noisy it was. */
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
   * False: it is over, by its budget, by convergence, or because there is nothing left to try; nothing was done.
   *
   * @param most candidates of the round; `roundSize` unless said
   */
  advance(most?: number): Promise<boolean>;
  /** The race of the finalists. Nothing is measured where no round was: the records have decided already. */
  finish(): Promise<TuneResult>;
}

/** Most candidates of one round: few enough to learn between. */
export const roundSize = 24;
/** Characters of C in one round, about a second of gcc on two cores: a round is shorter where kernels are long. */
const roundText = 160_000;

export async function startTuning(task: TuningTask, space: GeneratedSpace, options: TuningOptions): Promise<Tuning> {
  const { budget, strategy, clock, signal, profiler = noProfiler, convergence = defaultConvergence } = options;
  const start = clock();
  const rng = createRng(options.seed);
  const elapsedMs = (): number => clock() - start;
  const isOver = (): boolean => elapsedMs() >= budget.seconds * 1000 || options.isOver?.() === true;
  const others = recordsOfOthers(task, options);
  const experienced = profiler.time("training", () => withExperience(space, task, others, options.machine));
  const features = featureKinds[options.features ?? "variables and facts"](space, task);
  const searched = await profiler.timeAsync("space", () => provenSearchSpace(experienced, { features }));
  const known = profiler.time("search", () => knownOf(task, space, searched, others, options.machine));
  const model = timedModel(options.costModel ?? boostedTrees(), profiler);
  const records = recordsOf(task, options);
  const empty = startSearch(timedSpace(searched, profiler), model, known);
  let state = records.length > 0 ? observe(empty, records) : empty;
  const recorded = trialCount(state);
  let [measured, round] = [0, 0];
  const factsOf = (candidate: Candidate): readonly RankingFacts[] | null => {
    const point = findPoint(empty.space, candidate);
    return point && space.facts(point.template.template, point.assignment);
  };

  function next(most: number): readonly Candidate[] {
    const left = Math.min(most, budget.trials - recorded - measured);
    if (left <= 0 || isOver() || (convergence && hasConverged(state, convergence))) return [];
    signal?.throwIfAborted();
    return profiler.time("search", () => strategy.propose(state, left, rng));
  }

  function progress(): TuneProgress {
    const failed = failuresOf(state).length;
    return { round, measured, failed, bestNs: state.best?.ns ?? null, elapsedMs: elapsedMs() };
  }

  return {
    state: () => state,
    progress,
    async advance(most = roundSize) {
      options.onProgress?.(progress());
      const candidates = next(most);
      if (candidates.length === 0) return false;
      const at = { bestNs: state.best?.ns ?? null, trial: recorded + measured, elapsedMs, isOver, factsOf };
      const observations = await measureRound(task, space, candidates, at, options);
      measured += observations.length;
      round += 1;
      state = profiler.time("search", () => observe(state, observations));
      return true;
    },
    async finish() {
      const winner = await profiler.timeAsync("run", () => decide(task, space, state, options.workbench, measured > 0));
      return { winner, measured, recorded, elapsedMs: elapsedMs(), failures: failuresOf(state) };
    },
  };
}

const recordsOf = (task: TuningTask, { database, taskKey, workbench }: TuningOptions): readonly TuningRecord[] =>
  database
    .records({ task: taskKey, targetClass: targetClass(task.target) })
    .filter((record) => record.toolchain === workbench.toolchain);

/** Of other tasks, on the same machine. */
const recordsOfOthers = (task: TuningTask, { database, taskKey, workbench }: TuningOptions): readonly TuningRecord[] =>
  database
    .records({ task: null, targetClass: targetClass(task.target) })
    .filter((record) => record.toolchain === workbench.toolchain && record.task !== taskKey);

const failuresOf = ({ rounds }: SearchState): readonly Failure[] =>
  rounds.flat().flatMap(({ point, measurement }): Failure[] => {
    return measurement.kind === "ok" ? [] : [{ candidate: point.candidate, measurement }];
  });

interface Round {
  readonly bestNs: number | null;
  /** Of the first candidate. */
  readonly trial: number;
  readonly elapsedMs: () => number;
  readonly isOver: () => boolean;
  readonly factsOf: (candidate: Candidate) => readonly RankingFacts[] | null;
}

/** Each outcome is recorded at once: whatever ends the tuning, what was measured is kept. */
async function measureRound(
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
  { bestNs, trial, elapsedMs, isOver, factsOf }: Round,
  options: TuningOptions,
): Promise<readonly Observation[]> {
  const { workbench, database, onTrial, profiler = noProfiler } = options;
  const sources = upTo(roundText, sourcesOf(task, space, candidates, profiler));
  const results = workbench.measure(sources, bestNs, profiler);
  const observations: Observation[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const result = await results.next();
    if (result.done) break;
    const observation = { candidate, measurement: result.value };
    database.append(recordOf(task, options, observation, factsOf(candidate), trial + at));
    observations.push(observation);
    onTrial?.({ ...observation, elapsedMs: elapsedMs() });
    // A slow operator may need more than the budget for one round; without any time there would be nothing to choose.
    if (isOver() && (bestNs !== null || observations.some((one) => one.measurement.kind === "ok"))) break;
  }
  return observations;
}

/** Each is generated when it is asked for. */
function* sourcesOf(
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
  profiler: Profiler,
): Generator<MeasurableSource | Refusal> {
  for (const candidate of candidates) yield profiler.time("lowering", () => measurable(task, space, candidate));
}

/** As many as have so much text for a compiler together, and the one that goes beyond. */
function* upTo(
  characters: number,
  sources: Iterable<MeasurableSource | Refusal>,
): Generator<MeasurableSource | Refusal> {
  let total = 0;
  for (const source of sources) {
    yield source;
    total += source.kind === "c" ? source.text.length : 0;
    if (total >= characters) return;
  }
}

/** The fastest few raced against each other; without fresh measurements the records have decided already. */
async function decide(
  task: TuningTask,
  space: GeneratedSpace,
  state: SearchState,
  workbench: Workbench,
  isRaced: boolean,
): Promise<TuneResult["winner"]> {
  const ranked = finalistsOf(rankedTrials(state));
  const candidates = ranked.map(({ point }) => point.candidate);
  const { winner, runnerUp, timing } =
    isRaced && ranked.length > 1
      ? await workbench.race([...sourcesOf(task, space, candidates, noProfiler)])
      : { winner: 0, runnerUp: 1, timing: null };
  const measurement = ranked[winner]?.measurement;
  if (measurement?.kind !== "ok") return null;
  const { medianNs } = timing ?? measurement.timing;
  return {
    candidate: candidates[winner]!,
    medianNs,
    timing: timing ?? measurement.timing,
    runnerUp: (runnerUp === null ? null : candidates[runnerUp]) ?? null,
  };
}

const recordOf = (
  task: TuningTask,
  { taskKey, workbench }: TuningOptions,
  { candidate, measurement }: Observation,
  facts: readonly RankingFacts[] | null,
  trial: number,
): TuningRecord => ({
  schema: recordSchema,
  task: taskKey,
  family: familyOf(task),
  extents: extentsOf(task.op),
  targetClass: targetClass(task.target),
  toolchain: workbench.toolchain,
  candidate,
  facts: facts && factRows(facts),
  measurement,
  trial,
});
