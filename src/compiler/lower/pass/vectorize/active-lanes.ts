// Conditions over the lanes of a vectorised loop → how many leading lanes meet them all.
//
//   j0*16 + v < 83   →   83 - j0*16

import { addConstant, coefficientOf, fromAffine, scaleAffine, toAffine, withoutVar } from "../../../ir/affine.ts";
import { min } from "../../../ir/build.ts";
import { divideAffine } from "../../../ir/divide.ts";
import type { Expr } from "../../../ir/loop-ir.ts";
import type { Ranges } from "../../../ir/ranges.ts";
import { simplifyIndex } from "../../../ir/simplify.ts";
import { someExpr } from "../../../ir/visit.ts";

/** Number of leading lanes that meet the conditions. Null: all lanes. Undefined: those that meet them are no leading run. */
export function activeLanes(conditions: readonly Expr[], lane: string, ranges: Ranges): Expr | null | undefined {
  let fewest: Expr | null = null;
  for (const condition of conditions) {
    const count = leading(condition, lane, ranges);
    if (!count) return undefined;
    fewest = fewest ? simplifyIndex(min(fewest, count), ranges) : count;
  }
  return fewest;
}

/** Number of lanes for c·lane + rest ≤ limit with c > 0: floor((limit - rest) / c) + 1. */
function leading(condition: Expr, lane: string, ranges: Ranges): Expr | null {
  if (condition.kind !== "binary" || condition.right.kind !== "const" || condition.left.dtype !== "i32") return null;
  if (condition.op !== "lt" && condition.op !== "ge") return null;
  const sign = condition.op === "lt" ? 1 : -1;
  const limit = condition.op === "lt" ? condition.right.value - 1 : -condition.right.value;
  const form = scaleAffine(toAffine(condition.left), sign);
  const step = coefficientOf(form, lane);
  const rest = withoutVar(form, lane);
  if (step <= 0 || rest.terms.some(({ atom }) => mentions(atom, lane))) return null;
  const room = addConstant(scaleAffine(rest, -1), limit);
  return fromAffine(addConstant(divideAffine(room, step, ranges), 1));
}

export const mentions = (expr: Expr, name: string): boolean =>
  someExpr(expr, (each) => each.kind === "var" && each.name === name);
