// Loops over a tile with conditions inside → the loops around the statement alone, and conditions that hold for all of the tile or for
// nothing of it. A bound that is a multiple of the tile cuts no tile apart.
//
//   for e in 0..4                              if (i < 11 && w*4 < 12)
//     if (i < 11 && w*4 + e < 12)      →         for e in 0..4
//       C[i] = C[i] + A[w*4 + e]                   C[i] = C[i] + A[w*4 + e]

import { addConstant, coefficientOf, fromAffine, toAffine, withoutVar } from "../../../ir/affine.ts";
import { constInt, lt } from "../../../ir/build.ts";
import { conjunctsOf } from "../../../ir/compare.ts";
import type { Expr, For, Stmt } from "../../../ir/loop-ir.ts";
import { updateFor } from "../../../ir/update.ts";
import { varsIn } from "../../../ir/visit.ts";
import { gcd } from "../../../support/integer-math.ts";

export interface ConditionedTile {
  readonly tile: For;
  readonly conditions: readonly Expr[];
}

/** Null: some condition cuts tiles apart. */
export function conditionsOfTile(loop: For): ConditionedTile | null {
  const loops: For[] = [];
  const conditions: Expr[] = [];
  let stmt: Stmt = loop;
  for (;;) {
    if (stmt.kind === "for") {
      loops.push(stmt);
      stmt = stmt.body;
    } else if (stmt.kind === "seq" && stmt.body.length === 1) stmt = stmt.body[0]!;
    else if (stmt.kind === "if" && !stmt.else) {
      conditions.push(...conjunctsOf(stmt.condition));
      stmt = stmt.then;
    } else break;
  }
  const ofTile = conditions.map((condition) => conditionOfTile(condition, loops));
  if (ofTile.includes(null)) return null;
  const tile = loops.reduceRight((body, each): Stmt => updateFor(each, { body }), stmt) as For;
  return { tile, conditions: ofTile as readonly Expr[] };
}

/** The condition without the loops; null: it differs from element to element. */
function conditionOfTile(condition: Expr, loops: readonly For[]): Expr | null {
  const named = varsIn(condition);
  if (!loops.some(({ name }) => named.has(name))) return condition;
  if (condition.kind !== "binary" || condition.op !== "lt" || condition.right.kind !== "const") return null;
  const form = toAffine(condition.left);
  const first = loops.reduce((left, { name }) => withoutVar(left, name), form);
  const steps = loops.map(({ name, extent }) => coefficientOf(form, name) * (extent - 1));
  const span = steps.reduce((all, step) => all + step, 1);
  const apart = first.terms.reduce((size, { coefficient }) => gcd(Math.abs(coefficient), size), 0);
  const bound = condition.right.value - first.constant;
  const isWhole = steps.every((step) => step >= 0) && span <= apart && bound % apart === 0;
  const start = fromAffine(addConstant(first, -first.constant));
  const outer = varsIn(start);
  return isWhole && !loops.some(({ name }) => outer.has(name)) ? lt(start, constInt(bound)) : null;
}
