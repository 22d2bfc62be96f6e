// Selects which of many scored points are measured: mostly the best, of different kinds, and some at random, because the
// prediction may be wrong about a whole region.

import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import type { Point } from "../point/search-space.ts";
import type { ScoredPoint } from "./evolve.ts";

/** Share of a batch taken by score; the rest is drawn with weights by score (Heron §4.1 takes 0.6). */
const greedyShare = 0.75;

/** Selects a batch from `points`, which are sorted, the highest score first. */
export function selectBatch(points: readonly ScoredPoint[], count: number, rng: Rng): Candidate[] {
  const greedy = diverse(points, Math.ceil(count * greedyShare));
  const taken = new Set(greedy);
  const rest = points.filter((one) => !taken.has(one));
  const chosen = [...greedy, ...roulette(rest, count - greedy.length, rng)];
  return chosen.map(({ point }) => point.candidate);
}

/** Returns the best points of which no two differ in a single decision only; filled up with the best where they run out. */
export function diverse(points: readonly ScoredPoint[], count: number): ScoredPoint[] {
  const chosen: ScoredPoint[] = [];
  const passed: ScoredPoint[] = [];
  for (const one of points) {
    if (chosen.length === count) break;
    const isNear = chosen.some(({ point }) => distance(point, one.point) < 2);
    (isNear ? passed : chosen).push(one);
  }
  return [...chosen, ...passed.slice(0, count - chosen.length)];
}

/** Counts the decisions in which two points differ; all, when their templates do. */
function distance(left: Point, right: Point): number {
  if (left.template !== right.template) return Number.POSITIVE_INFINITY;
  const [a, b] = [left.candidate.assignment, right.candidate.assignment];
  return Object.keys(a).filter((name) => a[name] !== b[name]).length;
}

/** Draws without replacement, with weight score − least score. */
function roulette(points: readonly ScoredPoint[], count: number, rng: Rng): ScoredPoint[] {
  const left = [...points];
  const least = points.at(-1)?.score ?? 0;
  const chosen: ScoredPoint[] = [];
  while (chosen.length < count && left.length > 0) {
    const weights = left.map(({ score }) => score - least + 1e-9);
    chosen.push(...left.splice(weightedIndex(weights, rng), 1));
  }
  return chosen;
}

/** Picks one of the items, with these weights; all weights ≥ 0, and one > 0. */
export function pickWeighted<T>(items: readonly T[], weights: readonly number[], rng: Rng): T {
  return items[weightedIndex(weights, rng)]!;
}

function weightedIndex(weights: readonly number[], rng: Rng): number {
  let target = rng.unit() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    target -= weight;
    return target < 0;
  });
  // Rounding may leave a crumb beyond the last weight: it belongs to the last that has one.
  return at >= 0 ? at : weights.findLastIndex((weight) => weight > 0);
}

/** Takes the first of `ranked` each time, but with probability `epsilon` one of `random`, which are among them. */
export function epsilonGreedy(
  ranked: readonly ScoredPoint[],
  random: readonly Point[],
  { count, epsilon }: { readonly count: number; readonly epsilon: number },
  rng: Rng,
): Candidate[] {
  const chosen = new Set<Point>();
  const byLot = rng.shuffle(random).values();
  const byScore = ranked.map(({ point }) => point).values();
  while (chosen.size < Math.min(count, ranked.length)) {
    const next = (rng.unit() < epsilon ? byLot.next().value : undefined) ?? byScore.next().value;
    if (next) chosen.add(next);
  }
  return [...chosen].map(({ candidate }) => candidate);
}
