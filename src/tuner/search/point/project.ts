// A candidate of one space → the nearest point of another of the same family: the same template, each decision at the
// value nearest to the old one that the constraints still allow.

import { invariant } from "../../../compiler/index.ts";
import type { VariableId } from "../../constraint/normal-form.ts";
import type { CompiledModel } from "../../constraint/solver/compile.ts";
import type { Restrictions } from "../../constraint/solver/sample.ts";
import type { Candidate } from "../../data/space.ts";
import type { Rng } from "../../support/rng.ts";
import { drawPoint, type Point, type SearchSpace, type SearchTemplate } from "./search-space.ts";

/** Returns the nearest point. Null: the space has no such template, or the solver finds nothing near. */
export function projectCandidate(space: SearchSpace, candidate: Candidate, rng: Rng): Point | null {
  const template = space.templates.find((one) => one.template.name === candidate.template);
  if (!template) return null;
  const decided = Object.entries(nearestDecisions(template, candidate));
  // Propagation sees most conflicts, not all: then the decisions that were made last are drawn.
  for (let kept = decided.length; kept > 0; kept = Math.floor((kept * 3) / 4)) {
    const restrictions = Object.fromEntries(decided.slice(0, kept));
    const point = drawPoint(space, template, rng, { restrictions });
    if (point) return point;
  }
  return null;
}

/** Fixes first the decisions that can stay as they are, then each other at the nearest value that is left. */
function nearestDecisions({ template, compiled }: SearchTemplate, { assignment }: Candidate): Restrictions {
  const { engine, ids, root } = compiled;
  engine.store.restore(root);
  const keys = template.model.variables.filter(({ key, name }) => key && assignment[name] !== undefined);
  const decided: Record<string, readonly number[]> = {};
  for (const most of [1, Number.POSITIVE_INFINITY]) {
    for (const { name } of keys) {
      if (decided[name]) continue;
      const value = fixNearest(compiled, ids.get(name)!, assignment[name]!, most);
      if (value !== null) decided[name] = [value];
    }
  }
  return decided;
}

/** Fixes the variable at the nearest value that holds, at most `mostTimes` away as a factor; null: none does. */
function fixNearest({ engine }: CompiledModel, id: VariableId, wanted: number, mostTimes: number): number | null {
  const { store } = engine;
  const domain = store.domain(id);
  invariant("length" in domain, "a key variable has a list of values");
  const nearest = domain
    .map((value) => ({ value, times: timesApart(value, wanted) }))
    .filter(({ times }) => times <= mostTimes)
    .sort((left, right) => left.times - right.times);
  const frame = store.save();
  for (const { value } of nearest) {
    if (store.fixIndex(id, store.indexOf(id, value)) && engine.propagate()) return value;
    store.restore(frame);
  }
  return null;
}

/** Returns the factor by which two values differ, both increased by 1 so that 0 has one too; 1 for equal values. */
const timesApart = (left: number, right: number): number => (Math.max(left, right) + 1) / (Math.min(left, right) + 1);
