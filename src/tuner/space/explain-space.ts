// Explains why a space has no schedule, in the operator's words: what clashes in its templates, each contradiction named once.

import { explain, solvabilityBy } from "../constraint/solver/explain.ts";
import { loadedZ3, loadZ3, type Z3 } from "../constraint/solver/z3.ts";
import type { Space, Template } from "../data/space.ts";

export interface EmptySpace {
  readonly message: string;
  /** Contradictions in words; null: there are none to name. */
  readonly detail: string | null;
}

/** Most contradictions named for one space. */
const mostTold = 3;

/**
 * Explains without waiting: z3 is asked only if the process has loaded it before.
 *
 *     no schedule satisfies all of these:
 *       - the accumulators i × j and their operands fit 2 vector registers
 */
export function explainSpace({ templates }: Space, z3: Z3 | null = loadedZ3()): EmptySpace {
  if (templates.length === 0) return { message: "no rule knows how to schedule this operator", detail: null };
  const named = new Map<string, string[]>();
  const solvabilityOf = solvabilityBy(z3);
  for (const { name, model } of templates) {
    const text = explain(model, z3)?.text ?? (solvabilityOf(model) === "unknown" ? undecided : found);
    named.set(text, [...(named.get(text) ?? []), name]);
  }
  const told = [...named];
  const message =
    named.has(undecided) || named.has(found) ? "no schedule was found" : "no schedule satisfies all limits";
  if (told.length === 1) return { message, detail: told[0]![0] };
  const more = told.slice(mostTold).reduce((count, [, names]) => count + names.length, 0);
  const parts = told.slice(0, mostTold).map(([text, names]) => `${namesOf(names)}: ${text}`);
  return { message, detail: [...parts, ...(more > 0 ? [`and ${more} more templates`] : [])].join("\n") };
}

/** Prints message and detail as one text. */
export function printEmptySpace(space: Space): string {
  const { message, detail } = explainSpace(space);
  return detail === null ? message : `${message}\n${detail}`;
}

/** Explains a space with z3, which is loaded where propagation cannot decide a template. */
export async function explainSpaceFully(space: Space): Promise<EmptySpace> {
  const decide = solvabilityBy(null);
  const isHard = ({ model }: Template): boolean => decide(model) === "unknown";
  return explainSpace(space, space.templates.some(isHard) ? await loadZ3() : loadedZ3());
}

const found = "has schedules, and none was taken";
const undecided = "neither a schedule nor a contradiction was found";

const namesOf = ([first, ...others]: readonly string[]): string =>
  others.length === 0 ? `"${first}"` : `"${first}" and ${others.length} more`;
