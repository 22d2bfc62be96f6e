// One round of a tuning: candidates → their code → observations, each recorded at once.

import { codegenVersion, generatorOf, needsToolchain } from "../../compiler/index.ts";
import { extentsOf, familyOf } from "../data/family.ts";
import { targetClass } from "../data/key.ts";
import type { Measurement } from "../data/measurement.ts";
import { recordSchema, type TuningRecord } from "../data/record.ts";
import type { Candidate } from "../data/space.ts";
import type { TuningTask } from "../data/task.ts";
import { charactersIn, compileMs } from "../kernel/source-size.ts";
import { factRows } from "../prior/fact-rows.ts";
import type { RankingFacts } from "../prior/ranker.ts";
import type { Observation } from "../search/state/search-state.ts";
import type { GeneratedSpace } from "../space/generate.ts";
import { noProfiler, type Profiler } from "../support/profile.ts";
import { forever, type LeftMs, noTime, tooLong } from "../support/time-limit.ts";
import { measurable } from "../workbench/measurable.ts";
import type { Buildable } from "../workbench/workbench.ts";
import type { TuningOptions } from "./tuning.ts";

/** Most characters of C in one round, about a second of gcc on two cores: a round is shorter where kernels are long. */
const roundText = 240_000;

export interface Round {
  readonly candidates: readonly Candidate[];
  /** Source of each candidate. WASM is generated when it is asked for. */
  readonly sources: Iterable<Buildable>;
}

/** Makes a round of as many of the candidates as are worth measuring together. */
export function prepareRound(
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
  profiler: Profiler,
  leftMs: LeftMs = forever,
): Round {
  const laterMs = Math.min(mostLaterMs, leftMs() * laterShare);
  const generated = sourcesOf(task, space, candidates, profiler, () => leftMs() - laterMs);
  if (!needsToolchain(task.target)) return { candidates, sources: generated };
  const characters = Math.min(roundText, charactersIn(leftMs() * buildShare));
  const sources = [...upTo(characters, generated, leftMs)];
  return { candidates: candidates.slice(0, sources.length), sources };
}

/** Share of the time left for generating and building one round: it has to be measured, and others come after it. */
const buildShare = 1 / 4;

/** Returns the characters that a compiler has to read of a source. */
const lengthOf = (source: Buildable): number =>
  "parameters" in source ? generatorOf(source).sizeOf(source).characters : 0;

/**
 * Time at the end in which no candidate is generated, as it could be neither built nor run: milliseconds at most, and a
 * share.
 */
const mostLaterMs = 500;
const laterShare = 1 / 6;

export const firstOf = ({ candidates, sources }: Round, most: number): Round => ({
  candidates: candidates.slice(0, most),
  sources: first(sources, most),
});

function* first<T>(items: Iterable<T>, most: number): Generator<T> {
  let left = most;
  for (const item of items) {
    if (left-- > 0) yield item;
    if (left <= 0) return;
  }
}

export interface RoundPlace {
  /** Time of the best so far; null: nothing has run yet. */
  readonly bestNs: number | null;
  /** Number of the first candidate's trial. */
  readonly trial: number;
  readonly elapsedMs: () => number;
  readonly isOver: () => boolean;
  /** Returns the milliseconds that are left: no candidate is measured after them. */
  readonly leftMs: LeftMs;
  readonly factsOf: (candidate: Candidate) => readonly RankingFacts[] | null;
  /** Whether a record is made of a measurement. */
  readonly isKept: (measurement: Measurement) => boolean;
}

/**
 * Number of a round's candidates that are still being measured when the next round is decided: both take about as long. It
 * does not depend on timing, so that the same measurements give the same candidates, however fast they came.
 */
const awaitedOf = (candidates: number): number => Math.min(5, Math.floor(candidates / 3));

/**
 * Measures a round. Its measurements are kept however the tuning ends.
 *
 * @returns why some were not measured for lack of time; null: all were
 * @param onPart receives most observations while the last candidates are measured, and the others at the end
 */
export async function measureRound(
  task: TuningTask,
  { candidates, sources }: Round,
  { bestNs, trial, elapsedMs, isOver, leftMs, factsOf, isKept }: RoundPlace,
  options: TuningOptions,
  onPart: (observations: readonly Observation[], awaited: readonly Candidate[]) => void,
): Promise<string | null> {
  const { workbench, database, onTrial, profiler = noProfiler } = options;
  const awaited = candidates.slice(candidates.length - awaitedOf(candidates.length));
  const { byDecisions } = workbench;
  const results = byDecisions
    ? byDecisions.measure(candidates, leftMs)
    : workbench.measure(sources, bestNs, profiler, leftMs);
  let late: string | null = null;
  let part: Observation[] = [];
  let hasRun = bestNs !== null;
  for (const [at, candidate] of candidates.entries()) {
    const result = await results.next();
    if (result.done) break;
    if (result.value.kind === "no-time") {
      late ??= result.value.reason;
      continue;
    }
    const observation = { candidate, measurement: result.value };
    if (isKept(observation.measurement))
      database.append(recordOf(task, options, observation, factsOf(candidate), trial + at));
    part.push(observation);
    onTrial?.({ ...observation, elapsedMs: elapsedMs() });
    hasRun ||= observation.measurement.kind === "ok";
    // A slow operator may need more than the budget for one round; without any time there would be nothing to choose.
    if (hasRun && isOver()) break;
    if (candidates[at + 1] === awaited[0] && awaited.length > 0) {
      onPart(part, awaited);
      part = [];
    }
  }
  if (part.length > 0) onPart(part, []);
  return late;
}

/** Yields the source of each candidate, generated when it is asked for. */
export function* sourcesOf(
  task: TuningTask,
  space: GeneratedSpace,
  candidates: readonly Candidate[],
  profiler: Profiler,
  leftMs: LeftMs = forever,
  make: (task: TuningTask, space: GeneratedSpace, candidate: Candidate, leftMs: LeftMs) => Buildable = measurable,
): Generator<Buildable> {
  for (const candidate of candidates) {
    yield leftMs() <= 0 ? notReached : profiler.time("lowering", () => make(task, space, candidate, leftMs));
  }
}

const notReached = noTime("the time was over before it");

/**
 * Yields sources until they have this many characters for a compiler, or until generating them has taken its share of the time.
 * A source that no compiler can finish in the time left is replaced by a refusal.
 */
function* upTo(characters: number, sources: Iterable<Buildable>, leftMs: LeftMs): Generator<Buildable> {
  const endMs = leftMs() * (1 - buildShare);
  let total = 0;
  for (const source of sources) {
    const length = lengthOf(source);
    const what = `a compiler's work on ${length} characters`;
    const late = length > 0 ? tooLong(what, compileMs(length), leftMs) : null;
    yield late ?? source;
    total += late ? 0 : length;
    if (total >= characters || (total > 0 && leftMs() < endMs)) return;
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
  codegen: codegenVersion,
  candidate,
  facts: facts && factRows(facts),
  measurement,
  trial,
});
