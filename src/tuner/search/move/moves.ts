// Moves from points of a space to others, for users' own strategies. Each gives valid points, or none.

import type { Rng } from "../../support/rng.ts";
import { drawPoint, type Point, type SearchSpace } from "../point/search-space.ts";
import { crossover } from "./crossover.ts";
import { keyDomain, move } from "./mutate.ts";

/**
 * Draws a random point, about uniform over its template's solutions. Null: there is none, or the solver finds none.
 *
 * @param template name of a template; default: any of the space's
 */
export function random(space: SearchSpace, rng: Rng, template?: string): Point | null {
  const among = space.templates.filter((one) => template === undefined || one.template.name === template);
  return among.length === 0 ? null : drawPoint(space, rng.pick(among), rng, { spread: "look-ahead" });
}

/**
 * Yields the points with another value of one decision, and of as few others as the constraints want.
 *
 * @param steps values tried on each side of a decision's present one
 */
export function* neighbours(space: SearchSpace, point: Point, rng: Rng, steps = 2): Generator<Point> {
  for (const [name, value] of Object.entries(point.candidate.assignment)) {
    const domain = keyDomain(point, name);
    const below = domain.filter((other) => other < value).slice(-steps);
    const above = domain.filter((other) => other > value).slice(0, steps);
    for (const other of [...below, ...above]) {
      const neighbour = move(space, point, name, [other], rng);
      if (neighbour) yield neighbour;
    }
  }
}

/**
 * Draws a child of two points of one template: `share` of its decisions have the value of either parent, but for one that is
 * dropped at random; the solver draws that one and all others. Null: the parents have different templates, or the solver
 * gives up.
 */
export function inherit(space: SearchSpace, mother: Point, father: Point, rng: Rng, share = 0.7): Point | null {
  if (mother.template !== father.template) return null;
  const names = rng.shuffle(Object.keys(mother.candidate.assignment));
  return crossover(space, mother, father, names.slice(0, Math.max(2, Math.ceil(names.length * share))), rng);
}
