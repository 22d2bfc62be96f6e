// Why a space is empty, in the words of its constraints: a smallest set of limits that clash, given the definitions.
// QuickXplain (Junker, AAAI 2004), with the propagation solver as its oracle: 1 to 70 ms on schedule spaces.

import { createRng } from "../rng.ts";
import { compileModel } from "./compile.ts";
import type { Constraint, ConstraintModel } from "./constraint.ts";
import { solve } from "./sample.ts";

export interface Explanation {
  /** Each of them is needed for the contradiction. */
  readonly clash: readonly Constraint[];
  /** One line a constraint, under a heading. */
  readonly text: string;
}

/**
 * Null: the model has a solution, or the solver could not refute it.
 *
 *     no schedule satisfies all of these:
 *       - the accumulators i.2 × j.2 fit 16 vector registers
 *       - i.2 is 16, as the options say
 */
export function explain(model: ConstraintModel): Explanation | null {
  const limits = model.constraints.filter(({ role }) => role === "limit");
  const definitions = model.constraints.filter(({ role }) => role === "definition");
  const refuted = (constraints: readonly Constraint[]): boolean => isRefuted({ ...model, constraints });
  if (!refuted(model.constraints)) return null;
  // Definitions that contradict each other would make any limit look guilty.
  const isLimit = !refuted(definitions);
  const clash = isLimit ? quickXplain(definitions, limits, refuted) : quickXplain([], definitions, refuted);
  const heading = isLimit ? "no schedule satisfies all of these:" : "the space is empty by its construction:";
  const lines = [...new Set(clash.map(({ why }) => `  - ${why}`))];
  return { clash, text: [heading, ...lines].join("\n") };
}

/** Certain when true; a search that gives up counts as not refuted. */
function isRefuted(model: ConstraintModel): boolean {
  return solve(compileModel(model), createRng(1)) === "infeasible";
}

type Refuted = (constraints: readonly Constraint[]) => boolean;

/** A minimal part of `suspects` that the background refutes; background ∪ suspects must be refuted. */
function quickXplain(
  background: readonly Constraint[],
  suspects: readonly Constraint[],
  refuted: Refuted,
): readonly Constraint[] {
  const recur = (known: readonly Constraint[], grew: boolean, rest: readonly Constraint[]): readonly Constraint[] => {
    if (grew && refuted(known)) return [];
    if (rest.length <= 1) return rest;
    const half = Math.floor(rest.length / 2);
    const [first, second] = [rest.slice(0, half), rest.slice(half)];
    const fromSecond = recur([...known, ...first], true, second);
    const fromFirst = recur([...known, ...fromSecond], fromSecond.length > 0, first);
    return [...fromFirst, ...fromSecond];
  };
  return recur(background, false, suspects);
}
