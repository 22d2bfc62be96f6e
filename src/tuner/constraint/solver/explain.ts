// Why a space is empty, in the words of its constraints: a minimal set of limits that clash, given the definitions.
// QuickXplain (Junker, AAAI 2004) deletes limits as long as what is left still clashes. The oracle that says so is the
// propagation solver, 1 to 70 ms on schedule spaces, and z3 where it is given and propagation cannot tell.

import { createRng } from "../../support/rng.ts";
import type { Constraint, ConstraintModel } from "../constraint.ts";
import { compileModel } from "./compile.ts";
import { solve } from "./sample.ts";
import type { Z3 } from "./z3.ts";

export interface Explanation {
  /** Constraints that contradict each other; where `isMinimal`, leaving out any of them lets schedules in. */
  readonly clash: readonly Constraint[];
  /** Whether the clash is known to be minimal; false: the solver could not tell whether some of it can be left out. */
  readonly isMinimal: boolean;
  /** A heading, then one line a constraint. */
  readonly text: string;
}

/** "refuted" and "solvable" are proven. */
export type Solvability = "refuted" | "solvable" | "unknown";

/** Longest time of one check by z3, in milliseconds. */
const mostMs = 2_000;
/** Checks without an answer after which z3 is not asked again: an explanation is worth seconds, not minutes. */
const mostUnanswered = 3;

/** Returns a function that decides models by propagation and search, and by `z3`, where there is one, when that gives up. */
export function solvabilityBy(z3: Z3 | null): (model: ConstraintModel) => Solvability {
  let unanswered = 0;
  return (model) => {
    const outcome = solve(compileModel(model), createRng(1));
    if (outcome === "found") return "solvable";
    if (outcome === "infeasible") return "refuted";
    const solver = unanswered < mostUnanswered ? z3?.load(model, mostMs) : null;
    if (!solver) return "unknown";
    const verdict = solver.check([]);
    solver.dispose();
    if (verdict === "sat") return "solvable";
    if (verdict === "unsat") return "refuted";
    unanswered += 1;
    return "unknown";
  };
}

/**
 * Explains why a model has no solution. Null: it has one, or could not be refuted.
 *
 *     no schedule satisfies all of these:
 *       - the accumulators i.2 × j.2 fit 16 vector registers
 *       - i.2 is 16, as the options say
 */
export function explain(model: ConstraintModel, z3: Z3 | null = null): Explanation | null {
  const solvabilityOf = solvabilityBy(z3);
  let isMinimal = true;
  const refuted = (constraints: readonly Constraint[]): boolean => {
    const verdict = solvabilityOf({ ...model, constraints });
    if (verdict === "unknown") isMinimal = false;
    return verdict === "refuted";
  };
  if (!refuted(model.constraints)) return null;
  const definitions = model.constraints.filter(({ role }) => role === "definition");
  const limits = model.constraints.filter(({ role }) => role === "limit");
  // Definitions that contradict each other would make any limit look guilty.
  const isLimit = !refuted(definitions);
  const clash = isLimit ? quickXplain(definitions, limits, refuted) : quickXplain([], definitions, refuted);
  return { clash, isMinimal, text: textOf(clash, { isLimit, isMinimal }) };
}

interface Kind {
  readonly isLimit: boolean;
  readonly isMinimal: boolean;
}

function textOf(clash: readonly Constraint[], { isLimit, isMinimal }: Kind): string {
  const heading = isLimit ? "no schedule satisfies all of these:" : "the space is empty by its construction:";
  const lines = [...new Set(clash.map(({ why }) => `  - ${why}`))];
  return [heading, ...lines, ...(isMinimal ? [] : ["some of them may not be needed: the solver could not tell"])].join(
    "\n",
  );
}

type Refuted = (constraints: readonly Constraint[]) => boolean;

/** Returns a minimal part of `suspects` that the background refutes; background ∪ suspects must be refuted. */
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
