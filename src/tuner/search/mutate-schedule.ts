// Changes one decision of a schedule, and as few others as the constraints want: a step of a user's own search.

import type { Candidate, Space } from "../data/space.ts";
import { createRng } from "../support/rng.ts";
import { keyDomain, move, mutate } from "./move/mutate.ts";
import { findPoint, searchSpace } from "./point/search-space.ts";

export interface MutateOptions {
  /** The decision to change; default: one that can change, at random. */
  readonly decision?: string;
  readonly seed?: number;
}

/**
 * Returns the changed schedule. Null: the space does not hold the schedule, or the decision (or, by default, any) cannot
 * change.
 */
export function mutateSchedule(
  space: Space,
  schedule: Candidate,
  { decision, seed = 1 }: MutateOptions = {},
): Candidate | null {
  const search = searchSpace(space);
  const point = findPoint(search, schedule);
  if (!point) return null;
  const rng = createRng(seed);
  if (decision === undefined) return mutate(search, point, rng)?.candidate ?? null;
  if (point.candidate.assignment[decision] === undefined) return null;
  const others = keyDomain(point, decision).filter((value) => value !== point.assignment[decision]);
  return others.length === 0 ? null : (move(search, point, decision, others, rng)?.candidate ?? null);
}
