// The tuning loop: space → propose → build, check, time → learn → record; then the finalists race. The same seed and the
// same records give the same sequence of candidates.

import { type CandidateKernel, candidateKernel } from "./candidate-kernel.ts";
import { boostedTrees } from "./cost-model/boosted-trees.ts";
import type { Measurement } from "./measure/measurement.ts";
import type { RecordDatabase } from "./record/database.ts";
import { recordSchema, type TuningRecord } from "./record/record.ts";
import { createRng } from "./rng.ts";
import { hasConverged } from "./search/convergence.ts";
import { provenSearchSpace } from "./search/proven-search-space.ts";
import { observe, rankedTrials, type SearchState, startSearch, trialCount } from "./search/search-state.ts";
import type { Strategy } from "./search/strategy.ts";
import type { GeneratedSpace } from "./space/generate.ts";
import type { Candidate } from "./space/space.ts";
import { targetClass } from "./store/key.ts";
import type { Budget, TuningTask } from "./task.ts";
import type { MeasurableSource, Workbench } from "./workbench.ts";

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
  readonly best: Candidate;
  readonly medianNs: number;
  /** Measured now, and read from records. */
  readonly measured: number;
  readonly recorded: number;
  readonly elapsedMs: number;
  /** Failures by kind, for the report; a wrong result is a bug of ours. */
  readonly failures: readonly { readonly candidate: Candidate; readonly measurement: Measurement }[];
}

/** Candidates of one round: enough to share a compiler run, few enough to learn between. */
const roundSize = 16;
const finalists = 4;

/** Null: nothing in the space could be measured. */
export async function tune(task: TuningTask, space: GeneratedSpace, options: TuneOptions): Promise<TuneResult | null> {
  const { budget, strategy, seed, workbench, clock, signal, onProgress } = options;
  const start = clock();
  const rng = createRng(seed);
  const records = recordsOf(task, options);
  let state = startSearch(await provenSearchSpace(space), boostedTrees());
  if (records.length > 0) state = observe(state, records);
  const recorded = trialCount(state);
  const failures: { candidate: Candidate; measurement: Measurement }[] = [];
  let measured = 0;
  for (let round = 0; ; round++) {
    const elapsedMs = clock() - start;
    const bestNs = state.best?.ns ?? null;
    onProgress?.({ round, measured, failed: failures.length, bestNs, elapsedMs });
    const left = Math.min(roundSize, budget.trials - recorded - measured);
    if (left <= 0 || elapsedMs >= budget.seconds * 1000 || hasConverged(state)) break;
    signal?.throwIfAborted();
    const candidates = strategy.propose(state, left, rng);
    if (candidates.length === 0) break;
    const measurements = await measureRound(task, space, candidates, bestNs, workbench);
    const observations = candidates.map((candidate, at) => ({ candidate, measurement: measurements[at]! }));
    for (const [at, observation] of observations.entries()) {
      options.database.append(recordOf(task, options, observation, recorded + measured + at));
    }
    failures.push(...observations.filter(({ measurement }) => measurement.kind !== "ok"));
    measured += candidates.length;
    state = observe(state, observations);
  }
  const winner = await decide(task, space, state, workbench, measured > 0);
  return winner && { ...winner, measured, recorded, elapsedMs: clock() - start, failures };
}

const recordsOf = (task: TuningTask, { database, taskKey, workbench }: TuneOptions): readonly TuningRecord[] =>
  database
    .records({ task: taskKey, targetClass: targetClass(task.target) })
    .filter((record) => record.toolchain === workbench.toolchain);

async function measureRound(
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
  bestNs: number | null,
  workbench: Workbench,
): Promise<readonly Measurement[]> {
  const kernels = candidates.map((candidate) => candidateKernel(task, space, candidate));
  const built = kernels.filter((kernel) => kernel.kind === "ok");
  const results = (
    await workbench.measure(
      built.map(({ source }) => source),
      bestNs,
    )
  ).values();
  return kernels.map((kernel) => (kernel.kind === "ok" ? results.next().value! : refused(kernel)));
}

const refused = ({ diagnostic }: Extract<CandidateKernel, { kind: "illegal" }>): Measurement => ({
  kind: "build-failed",
  reason: `${diagnostic.code}: ${diagnostic.message}`,
});

/** The fastest few raced against each other; without fresh measurements the records have decided already. */
async function decide(
  task: TuningTask,
  space: GeneratedSpace,
  state: SearchState,
  workbench: Workbench,
  race: boolean,
): Promise<{ best: Candidate; medianNs: number } | null> {
  const ranked = rankedTrials(state).slice(0, finalists);
  const [first] = ranked;
  if (!first) return null;
  if (!race || ranked.length === 1) return { best: first.point.candidate, medianNs: first.ns! };
  const sources = ranked.map(({ point }) => candidateKernel(task, space, point.candidate));
  const { winner } = await workbench.race(
    sources.flatMap((it): MeasurableSource[] => (it.kind === "ok" ? [it.source] : [])),
  );
  const { point, ns } = ranked[winner]!;
  return { best: point.candidate, medianNs: ns! };
}

const recordOf = (
  task: TuningTask,
  { taskKey, workbench }: TuneOptions,
  { candidate, measurement }: { candidate: Candidate; measurement: Measurement },
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
