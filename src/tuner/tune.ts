// The tuning loop: space → propose → build, check, time → learn → record; then the finalists race. The same seed and the
// same records give the same sequence of candidates.

import { boostedTrees } from "./cost-model/boosted-trees.ts";
import { measurable } from "./measurable.ts";
import type { Measurement } from "./measure/measurement.ts";
import type { RecordDatabase } from "./record/database.ts";
import { recordSchema, type TuningRecord } from "./record/record.ts";
import { createRng } from "./rng.ts";
import { hasConverged } from "./search/convergence.ts";
import { provenSearchSpace } from "./search/proven-search-space.ts";
import {
  type Observation,
  observe,
  rankedTrials,
  type SearchState,
  startSearch,
  trialCount,
} from "./search/search-state.ts";
import type { Strategy } from "./search/strategy.ts";
import type { GeneratedSpace } from "./space/generate.ts";
import type { Candidate } from "./space/space.ts";
import { targetClass } from "./store/key.ts";
import type { Budget, TuningTask } from "./task.ts";
import type { MeasurableSource, Refusal, Workbench } from "./workbench.ts";

export interface TuneOptions {
  readonly budget: Budget;
  readonly strategy: Strategy;
  readonly seed: number;
  /** Digest that records carry: the schedule key of the task. */
  readonly taskKey: string;
  readonly database: RecordDatabase;
  readonly workbench: Workbench;
  /** Milliseconds, for the budget only. */
  readonly clock: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TuneProgress) => void) | undefined;
}

export interface TuneProgress {
  readonly round: number;
  readonly measured: number;
  readonly failed: number;
  readonly bestNs: number | null;
  readonly elapsedMs: number;
}

export interface TuneResult {
  /** Null: nothing that was tried ran. */
  readonly winner: { readonly candidate: Candidate; readonly medianNs: number } | null;
  /** Measured now, and read from records. */
  readonly measured: number;
  readonly recorded: number;
  readonly elapsedMs: number;
  /** Of records too. A wrong result is a bug of ours. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly candidate: Candidate;
  readonly measurement: Exclude<Measurement, { readonly kind: "ok" }>;
}

/** Candidates of one round: enough to share a compiler run, few enough to learn between. */
const roundSize = 24;
const finalists = 4;

export async function tune(task: TuningTask, space: GeneratedSpace, options: TuneOptions): Promise<TuneResult> {
  const { budget, strategy, seed, clock, signal, onProgress } = options;
  const start = clock();
  const rng = createRng(seed);
  const records = recordsOf(task, options);
  let state = startSearch(await provenSearchSpace(space), boostedTrees());
  if (records.length > 0) state = observe(state, records);
  const recorded = trialCount(state);
  let measured = 0;
  for (let round = 0; ; round++) {
    const elapsedMs = clock() - start;
    const bestNs = state.best?.ns ?? null;
    onProgress?.({ round, measured, failed: failuresOf(state).length, bestNs, elapsedMs });
    const left = Math.min(roundSize, budget.trials - recorded - measured);
    if (left <= 0 || elapsedMs >= budget.seconds * 1000 || hasConverged(state)) break;
    signal?.throwIfAborted();
    const candidates = strategy.propose(state, left, rng);
    if (candidates.length === 0) break;
    const isOver = (): boolean => clock() - start >= budget.seconds * 1000;
    const observations = await measureRound(
      task,
      space,
      candidates,
      { bestNs, trial: recorded + measured, isOver },
      options,
    );
    measured += observations.length;
    state = observe(state, observations);
  }
  const winner = await decide(task, space, state, options.workbench, measured > 0);
  return { winner, measured, recorded, elapsedMs: clock() - start, failures: failuresOf(state) };
}

const recordsOf = (task: TuningTask, { database, taskKey, workbench }: TuneOptions): readonly TuningRecord[] =>
  database
    .records({ task: taskKey, targetClass: targetClass(task.target) })
    .filter((record) => record.toolchain === workbench.toolchain);

const failuresOf = ({ rounds }: SearchState): readonly Failure[] =>
  rounds.flat().flatMap(({ point, measurement }): Failure[] => {
    return measurement.kind === "ok" ? [] : [{ candidate: point.candidate, measurement }];
  });

interface Round {
  readonly bestNs: number | null;
  /** Of the first candidate. */
  readonly trial: number;
  readonly isOver: () => boolean;
}

/** Each outcome is recorded at once: whatever ends the tuning, what was measured is kept. */
async function measureRound(
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
  { bestNs, trial, isOver }: Round,
  options: TuneOptions,
): Promise<readonly Observation[]> {
  const results = options.workbench.measure(sourcesOf(task, space, candidates), bestNs);
  const observations: Observation[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const observation = { candidate, measurement: (await results.next()).value! };
    options.database.append(recordOf(task, options, observation, trial + at));
    observations.push(observation);
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
): Generator<MeasurableSource | Refusal> {
  for (const candidate of candidates) yield measurable(task, space, candidate);
}

/** The fastest few raced against each other; without fresh measurements the records have decided already. */
async function decide(
  task: TuningTask,
  space: GeneratedSpace,
  state: SearchState,
  workbench: Workbench,
  isRaced: boolean,
): Promise<TuneResult["winner"]> {
  const ranked = rankedTrials(state).slice(0, finalists);
  const sources = sourcesOf(
    task,
    space,
    ranked.map(({ point }) => point.candidate),
  );
  const place = isRaced && ranked.length > 1 ? await workbench.race([...sources]) : 0;
  const winner = ranked[place];
  return winner ? { candidate: winner.point.candidate, medianNs: winner.ns! } : null;
}

const recordOf = (
  task: TuningTask,
  { taskKey, workbench }: TuneOptions,
  { candidate, measurement }: Observation,
  trial: number,
): TuningRecord => ({
  schema: recordSchema,
  task: taskKey,
  targetClass: targetClass(task.target),
  toolchain: workbench.toolchain,
  candidate,
  measurement,
  trial,
});
