// Strategy `exhaustive`: every candidate once, in a fixed order: template after template, and within one in the order
// of its decisions and their values. For spaces small enough to be measured whole, and as the truth in tests.

import type { Assignment } from "../../../compiler/index.ts";
import type { CompiledModel } from "../../constraint/solver/compile.ts";
import { enumerate } from "../../constraint/solver/enumerate.ts";
import { keyDomain } from "../move/mutate.ts";
import { Pool } from "../move/pool.ts";
import { type Point, pointOf, type SearchTemplate } from "../point/search-space.ts";
import type { SearchState } from "../state/search-state.ts";
import type { Strategy } from "./strategy.ts";

/**
 * Enumerates candidates in the order of a ring, starting behind the last trial, even if another strategy chose that. Earlier trials of
 * this strategy are not enumerated again until the ring is closed, and then once.
 */
export const exhaustive: Strategy = {
  name: "exhaustive",
  propose: (state, count) => {
    const pool = new Pool(state);
    for (const point of ring(state)) {
      if (pool.points.length >= count) break;
      pool.add(point);
    }
    return pool.points.map(({ candidate }) => candidate);
  },
};

/** Yields all points, those behind the last trial first. */
function* ring(state: SearchState): Generator<Point> {
  const { templates } = state.space;
  const last = state.rounds.flat().at(-1)?.point;
  const start = last ? templates.indexOf(last.template) : 0;
  if (last) yield* pointsOf(last.template, successors(last));
  for (let k = last ? 1 : 0; k <= templates.length; k++) {
    const template = templates[(start + k) % templates.length];
    if (template) yield* pointsOf(template, enumerate(template.compiled));
  }
}

function* pointsOf(template: SearchTemplate, assignments: Iterable<Assignment>): Generator<Point> {
  for (const assignment of assignments) yield pointOf(template, assignment);
}

/** Yields the solutions that `enumerate` gives after this one: an ever shorter prefix kept, the next decision larger. */
function* successors(point: Point): Generator<Assignment> {
  const { compiled } = point.template;
  const names = keyNames(compiled);
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const name = names[depth]!;
    const larger = keyDomain(point, name).filter((value) => value > point.assignment[name]!);
    if (larger.length === 0) continue;
    const prefix = names.slice(0, depth).map((other) => [other, [point.assignment[other]!]] as const);
    yield* enumerate(compiled, { ...Object.fromEntries(prefix), [name]: larger });
  }
}

const keyNames = ({ model }: CompiledModel): string[] =>
  model.variables.filter(({ key }) => key).map(({ name }) => name);
