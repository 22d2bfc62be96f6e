// Small moves in a space: one decision changes, the others stay, except those that must follow it to keep the
// constraints (the other tiles of the same split). Valid by construction, since the solver makes them.

import type { Rng } from "../../support/rng.ts";
import { drawPoint, type Point, type SearchSpace } from "../point/search-space.ts";

/** Returns the point with another value of a random decision; null: no decision of it can change. */
export function mutate(space: SearchSpace, point: Point, rng: Rng): Point | null {
  for (const name of rng.shuffle(Object.keys(point.candidate.assignment))) {
    const others = keyDomain(point, name).filter((value) => value !== point.assignment[name]);
    const moved = others.length > 0 ? move(space, point, name, others, rng) : null;
    if (moved) return moved;
  }
  return null;
}

/**
 * Returns the point with `name` at one of `values`, and as few other decisions changed as can be: none, one that is related,
 * or all that are.
 */
export function move(
  space: SearchSpace,
  point: Point,
  name: string,
  values: readonly number[],
  rng: Rng,
): Point | null {
  const related = rng.shuffle(point.template.related.get(name) ?? []);
  const freed: readonly (readonly string[])[] = [[], ...related.map((other) => [other]), related];
  for (const free of freed) {
    const restrictions = pin(point, [name, ...free]);
    const moved = drawPoint(space, point.template, rng, { restrictions: { ...restrictions, [name]: values } });
    if (moved) return moved;
  }
  return null;
}

/** Fixes every decision of the point but the free ones. */
function pin(point: Point, free: readonly string[]): Record<string, readonly number[]> {
  const decisions = Object.entries(point.candidate.assignment).filter(([name]) => !free.includes(name));
  return Object.fromEntries(decisions.map(([name, value]) => [name, [value]]));
}

/** Returns the values of a key variable that the root pass left. */
export function keyDomain({ template }: Point, name: string): readonly number[] {
  const { compiled } = template;
  const { store } = compiled.engine;
  const id = compiled.ids.get(name)!;
  store.restore(compiled.root);
  return store.domain(id) as readonly number[];
}
