// Which of many scored points are measured: mostly the best, of different kinds, and some by lot, because the
// prediction may be wrong about a whole region.

import type { Rng } from "../rng.ts";
import type { Candidate } from "../space/space.ts";
import type { ScoredPoint } from "./evolve.ts";
import type { Point } from "./search-space.ts";

/** Share of a batch taken by score; the rest by lot weighted by score (Heron §4.1 takes 0.6). */
const greedyShare = 0.75;

/** `points` sorted, the highest score first. */
export function selectBatch(points: readonly ScoredPoint[], count: number, rng: Rng): Candidate[] {
  const greedy = diverse(points, Math.ceil(count * greedyShare));
  const taken = new Set(greedy);
  const rest = points.filter((one) => !taken.has(one));
  const chosen = [...greedy, ...roulette(rest, count - greedy.length, rng)];
  return chosen.map(({ point }) => point.candidate);
}

/** The best points of which no two differ in a single decision only; filled up with the best where they run out. */
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

/** Decisions in which two points differ; all, when their templates do. */
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
    const total = left.reduce((sum, { score }) => sum + score - least + 1e-9, 0);
    let target = rng.unit() * total;
    const at = left.findIndex(({ score }) => {
      target -= score - least + 1e-9;
      return target < 0;
    });
    chosen.push(...left.splice(Math.max(0, at), 1));
  }
  return chosen;
}
