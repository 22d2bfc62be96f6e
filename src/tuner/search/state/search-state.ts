// Knowledge of a search, as a value: the space, what was measured in each round, and what the cost model learned of it.
// The tuning loop is `state = observe(state, measure(propose(state)))`.

import type { CostModel, Predictor } from "../../cost-model/cost-model.ts";
import { type Measurement, searchedNs } from "../../data/measurement.ts";
import type { Candidate } from "../../data/space.ts";
import { steadyLog2 } from "../../support/steady.ts";
import { type Known, nothingKnown } from "../point/known.ts";
import { priorNs } from "../point/prior.ts";
import { candidateKey, findPoint, type Point, type SearchSpace } from "../point/search-space.ts";

export interface Observation {
  readonly candidate: Candidate;
  readonly measurement: Measurement;
}

/** A measured point. */
export interface Trial {
  readonly point: Point;
  readonly measurement: Measurement;
  /** Median nanoseconds; null for a failure. */
  readonly ns: number | null;
}

export interface SearchState {
  readonly space: SearchSpace;
  readonly costModel: CostModel;
  /** Knowledge from other tasks. */
  readonly known: Known;
  /** Trials by round, in the order of their measurement. */
  readonly rounds: readonly (readonly Trial[])[];
  /** Keys of the candidates measured or awaited, including failures and those that the space no longer holds. */
  readonly seen: ReadonlySet<string>;
  /** Returns the model of the trials; null: nothing was learned yet. Trained at the first call: not every strategy asks. */
  readonly predictor: () => Predictor | null;
  /** The fastest trial so far; null: every trial failed, or there was none. */
  readonly best: Trial | null;
  /** The prior's least nanoseconds among the trials: its scores are relative to this. */
  readonly bestPriorNs: number;
}

/** A state before learning. */
type UntrainedState = Omit<SearchState, "predictor">;

export function startSearch(space: SearchSpace, costModel: CostModel, known: Known = nothingKnown): SearchState {
  const nothing = { predictor: () => null, best: null, bestPriorNs: 1 };
  return { space, costModel, known, rounds: [], seen: new Set(), ...nothing };
}

/** Returns first candidates from other tasks that were not yet measured here. */
export const seedsOf = ({ known, seen }: SearchState): readonly Candidate[] =>
  known.seeds.filter((candidate) => !seen.has(candidateKey(candidate)));

/** Marks candidates as being measured, so that they are not proposed again. */
export function awaiting(state: SearchState, candidates: readonly Candidate[]): SearchState {
  return { ...state, seen: new Set([...state.seen, ...candidates.map(candidateKey)]) };
}

/** Adds one round and learns from all. Records of earlier tunings count as a round like any other. */
export function observe(state: SearchState, observations: readonly Observation[]): SearchState {
  const round = observations.flatMap((observation) => trialOf(state.space, observation));
  const seen = new Set([...state.seen, ...observations.map(({ candidate }) => candidateKey(candidate))]);
  const rounds = [...state.rounds, round];
  const trials = rounds.flat();
  const best = fastest(trials);
  const bestPriorNs = Math.min(...trials.map(({ point }) => priorNs(state.space, point)));
  const next: UntrainedState = { ...state, rounds, seen, best, bestPriorNs: trials.length > 0 ? bestPriorNs : 1 };
  let predictor: Predictor | null = null;
  return {
    ...next,
    predictor() {
      if (best) predictor ??= learn(next, instructiveTrials(next, mostLearned));
      return predictor;
    },
  };
}

/** Most trials learned from: training takes longer with each, and beyond these they hardly teach more. */
const mostLearned = 500;

/**
 * Returns the trials; of more than `most`, the best half and the latest of the others, in the order of their measurement.
 */
export function instructiveTrials(state: UntrainedState, most: number): readonly Trial[] {
  const all = state.rounds.flat();
  if (all.length <= most) return all;
  const best = new Set(rankedTrials(state).slice(0, most / 2));
  const latest = new Set(all.filter((trial) => !best.has(trial)).slice(best.size - most));
  return all.filter((trial) => best.has(trial) || latest.has(trial));
}

function trialOf(space: SearchSpace, { candidate, measurement }: Observation): Trial[] {
  const point = findPoint(space, candidate);
  if (!point) return [];
  const ns = searchedNs(measurement);
  return [{ point, measurement, ns: ns === null ? null : Math.max(ns, leastNs) }];
}

/** Least time of a trial, in nanoseconds, for a clock that saw nothing pass: ratios of times need more than 0. */
const leastNs = 1e-3;

/** Returns the first of the fastest trials. */
function fastest(trials: readonly Trial[]): Trial | null {
  return trials.reduce<Trial | null>((best, trial) => (isFaster(trial, best) ? trial : best), null);
}

function isFaster({ ns }: Trial, best: Trial | null): boolean {
  return ns !== null && (best === null || ns < best.ns!);
}

/** Octaves from the best time at which the score is 0, as for failures: how slow slow candidates are teaches nothing. */
const scoredOctaves = 4;

/** Scores a time: 1 for the best, a quarter less for each doubling, at least 0. */
export function scoreOf(ns: number | null, bestNs: number): number {
  return ns === null ? 0 : Math.max(0, 1 - steadyLog2(ns / bestNs) / scoredOctaves);
}

function learn(state: UntrainedState, trials: readonly Trial[]): Predictor {
  const points = trials.map(({ point }) => point);
  const scores = Float64Array.from(trials, ({ ns }) => scoreOf(ns, state.best!.ns!));
  return state.costModel.fit({ features: state.space.features.rows(points), scores, base: priorScores(state, points) });
}

/** Scores points by the prior alone; all are equal where it predicts nothing. */
export function priorScores(state: UntrainedState, points: readonly Point[]): Float64Array {
  return Float64Array.from(
    points,
    (point) => 1 - steadyLog2(priorNs(state.space, point) / state.bestPriorNs) / scoredOctaves,
  );
}

/**
 * Predicts scores: higher is expected to be faster. The prior, corrected by what was learned; all equal when there is
 * neither.
 */
export function predictScores(state: SearchState, points: readonly Point[]): Float64Array {
  const base = priorScores(state, points);
  const predictor = points.length > 0 ? state.predictor() : null;
  if (!predictor) return base;
  const learned = predictor.predict(state.space.features.rows(points));
  return base.map((score, k) => score + learned[k]!);
}

export function trialCount({ rounds }: SearchState): number {
  return rounds.reduce((sum, round) => sum + round.length, 0);
}

/** Returns the successful trials, the fastest first. */
export function rankedTrials({ rounds }: UntrainedState): Trial[] {
  return rounds
    .flat()
    .filter(({ ns }) => ns !== null)
    .sort((left, right) => left.ns! - right.ns!);
}
