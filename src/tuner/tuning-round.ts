// One round of a tuning: candidates → observations, each recorded at once.

import { factRows } from "./cost-model/fact-rows.ts";
import type { RankingFacts } from "./cost-model/ranker.ts";
import { extentsOf, familyOf } from "./family.ts";
import { measurable } from "./measurable.ts";
import { noProfiler, type Profiler } from "./profile.ts";
import { recordSchema, type TuningRecord } from "./record/record.ts";
import type { Observation } from "./search/search-state.ts";
import type { GeneratedSpace } from "./space/generate.ts";
import type { Candidate } from "./space/space.ts";
import { targetClass } from "./store/key.ts";
import type { TuningTask } from "./task.ts";
import type { TuningOptions } from "./tuning.ts";
import type { MeasurableSource, Refusal } from "./workbench.ts";

/** Characters of C in one round, about a second of gcc on two cores: a round is shorter where kernels are long. */
const roundText = 240_000;

export interface Round {
  /** Null: nothing has run yet. */
  readonly bestNs: number | null;
  /** Of the first candidate. */
  readonly trial: number;
  readonly elapsedMs: () => number;
  readonly isOver: () => boolean;
  readonly factsOf: (candidate: Candidate) => readonly RankingFacts[] | null;
}

/** Whatever ends the tuning, what was measured is kept. */
export async function measureRound(
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
export function* sourcesOf(
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
