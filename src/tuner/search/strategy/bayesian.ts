// Strategy `bayesian`: constrained Bayesian optimisation. Measures where the expected improvement of a Gaussian process,
// times the learned probability that a point runs, is greatest among draws of the solver and mutants of good points.

import type { FeatureMatrix } from "../../cost-model/cost-model.ts";
import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import { rank, type ScoredPoint, score } from "../move/evolve.ts";
import { mutate } from "../move/mutate.ts";
import { Pool } from "../move/pool.ts";
import { selectBatch } from "../move/select.ts";
import type { Point } from "../point/search-space.ts";
import {
  instructiveTrials,
  priorScores,
  rankedTrials,
  type SearchState,
  scoreOf,
  type Trial,
} from "../state/search-state.ts";
import { expectedImprovement } from "../surrogate/expected-improvement.ts";
import { type Feasibility, learnFeasibility } from "../surrogate/feasibility.ts";
import { fitGaussianProcess, type GaussianProcess, type Posterior } from "../surrogate/gaussian-process.ts";
import { random } from "./random.ts";
import type { Strategy } from "./strategy.ts";

/**
 * The objective is modelled by a Gaussian process rather than by an ensemble of trees because with tens of trials its
 * uncertainty tells near points from far ones, and a batch can be chosen so that its points are far from each other.
 * Expected improvement × probability of feasibility: Gardner et al., ICML 2014; that it is worth learning what known
 * constraints miss: BE-CBO, Tian et al., ICML 2024, whose band around the boundary of feasibility is not followed.
 */
export const bayesian: Strategy = {
  name: "bayesian",
  propose: (state, count, rng) => (state.best ? bestExpected(state, count, rng) : firstBatch(state, count, rng)),
};

export const bayesianParameters = {
  /** Most trials that the process is fitted to. */
  trials: 192,
  draws: 64,
  /**
   * Number of good points, and of mutants of each: first of the best measured, then of those with the greatest expected
   * gain.
   */
  parents: 10,
  mutants: 4,
  refinements: 2,
  /** Points of the greatest expected gain that a batch is chosen from. */
  finalists: 64,
  /** Share of a batch that may be expected to fail; at least one candidate may. */
  mostLosses: 0.1,
} as const;

/** Chooses the first batch, where nothing is known but the prior, if there is one. */
function firstBatch(state: SearchState, count: number, rng: Rng): readonly Candidate[] {
  if (!state.space.prior) return random.propose(state, count, rng);
  const pool = new Pool(state);
  pool.draw(Math.max(count, bayesianParameters.draws), rng, "plain");
  return selectBatch(rank(score(state, pool.points)), count, rng);
}

function bestExpected(state: SearchState, count: number, rng: Rng): Candidate[] {
  const { draws, parents, refinements, finalists } = bayesianParameters;
  const belief = learn(state, rng);
  const pool = new Pool(state);
  pool.draw(Math.max(count, draws), rng, "plain");
  addMutants(state, rankedTrials(state).slice(0, parents), pool, rng);
  let promising = byGain(belief, pool.points);
  for (let k = 0; k < refinements; k++) {
    const before = pool.points.length;
    addMutants(state, promising.slice(0, parents), pool, rng);
    promising = rank([...promising, ...byGain(belief, pool.points.slice(before))]);
  }
  const points = promising.slice(0, Math.max(count, finalists)).map(({ point }) => point);
  return chooseBatch(points, belief(points), count);
}

/** Returns the points with their expected gains, the greatest first. */
function byGain(belief: Belief, points: readonly Point[]): ScoredPoint[] {
  const gains = expectedGains(belief(points));
  return rank(points.map((point, k) => ({ point, score: gains[k]! })));
}

function addMutants({ space }: SearchState, parents: readonly { readonly point: Point }[], pool: Pool, rng: Rng): void {
  for (const { point } of parents) {
    for (let k = 0; k < bayesianParameters.mutants; k++) {
      const mutant = mutate(space, point, rng);
      if (mutant) pool.add(mutant);
    }
  }
}

/**
 * Chooses points one after the other, each as if those before had come out as expected, so that a batch is no crowd around
 * one point. Points that will likely fail are taken only until the batch expects to lose its share.
 */
function chooseBatch(points: readonly Point[], believed: Believed, count: number): Candidate[] {
  const { posterior, feasible } = believed;
  const chosen = new Set<number>();
  let losses = Math.max(1, bayesianParameters.mostLosses * count);
  while (chosen.size < Math.min(count, points.length)) {
    const left = points.flatMap((_, k) => (chosen.has(k) ? [] : [k]));
    const safe = left.filter((k) => 1 - feasible[k]! <= Math.max(losses, doubt));
    const gains = expectedGains(believed);
    const next = (safe.length > 0 ? safe : left).reduce((best, k) => (gains[k]! > gains[best]! ? k : best));
    chosen.add(next);
    losses -= 1 - feasible[next]!;
    posterior.condition(next);
  }
  return [...chosen].map((k) => points[k]!.candidate);
}

/** Probability of failure that counts as none. */
const doubt = 0.05;

/** Beliefs about some points. */
interface Believed {
  readonly posterior: Posterior;
  /** Scores by the prior, which the process corrects. */
  readonly base: Float64Array;
  readonly feasible: Float64Array;
}

/** Returns the expected improvement over the best score, 1, times the probability that a point runs. */
const expectedGains = ({ posterior: { means, variances }, base, feasible }: Believed): Float64Array =>
  means.map((mean, k) => expectedImprovement(base[k]! + mean, variances[k]!, 1) * feasible[k]!);

type Belief = (points: readonly Point[]) => Believed;

function learn(state: SearchState, rng: Rng): Belief {
  const trials = instructiveTrials(state, bayesianParameters.trials);
  const all = state.space.features.rows(trials.map(({ point }) => point));
  const unit = unitColumns(all);
  const feasibility: Feasibility = learnFeasibility(
    all,
    trials.map(({ ns }) => ns !== null),
    rng,
  );
  const process = fitScores(state, trials, unit);
  return (points) => {
    const features = state.space.features.rows(points);
    return {
      posterior: process.posterior(unit(features)),
      base: priorScores(state, points),
      feasible: feasibility(features),
    };
  };
}

/**
 * Fits a process to what the prior does not explain. Failed points get the values that the others make likely: they lower
 * no mean, but points near them promise nothing new.
 */
function fitScores(
  state: SearchState,
  trials: readonly Trial[],
  unit: (features: FeatureMatrix) => FeatureMatrix,
): GaussianProcess {
  const { features } = state.space;
  const ran = trials.filter(({ ns }) => ns !== null).map(({ point }) => point);
  const failed = trials.filter(({ ns }) => ns === null).map(({ point }) => point);
  const base = priorScores(state, ran);
  const values = trials.flatMap(({ ns }) => (ns === null ? [] : [scoreOf(ns, state.best!.ns!)]));
  const residuals = values.map((value, k) => value - base[k]!);
  const process = fitGaussianProcess(unit(features.rows(ran)), residuals);
  if (failed.length === 0) return process;
  const { means } = process.posterior(unit(features.rows(failed)));
  return fitGaussianProcess(unit(features.rows([...ran, ...failed])), [...residuals, ...means]);
}

/** Maps the range of each column over these rows to [0, 1]; columns that do not vary keep their scale. */
function unitColumns({ rows, columns, data }: FeatureMatrix): (features: FeatureMatrix) => FeatureMatrix {
  const column = (c: number): number[] => Array.from({ length: rows }, (_, row) => data[row * columns + c]!);
  const least = Array.from({ length: columns }, (_, c) => Math.min(...column(c)));
  const spans = Array.from({ length: columns }, (_, c) => Math.max(...column(c)) - least[c]!);
  return (features) => ({
    ...features,
    data: features.data.map((value, at) => (value - least[at % columns]!) / (spans[at % columns]! || 1)),
  });
}
