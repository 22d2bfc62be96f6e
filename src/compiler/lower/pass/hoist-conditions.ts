// A condition that a loop does not change → out of the loop; neighbours of which one's condition implies the other's →
// one inside the other.
//
// Choices with two sides too, where the condition is the same to the letter.
//
//   for k: if (i < 11) X            if (i < 11)
//   if (i < 11 && i != 3) Y    →      for k: X
//                                     if (i != 3) Y

import { and, ifThen } from "../../ir/build.ts";
import { assume, conjunctsOf } from "../../ir/compare.ts";
import { sameExpr } from "../../ir/expr-key.ts";
import type { Expr, For, If, Stmt } from "../../ir/loop-ir.ts";
import { noRanges, type Ranges, withRange } from "../../ir/ranges.ts";
import { seqOf, simplifyExpr } from "../../ir/simplify.ts";
import { updateFor, updateIf } from "../../ir/update.ts";
import { someExpr } from "../../ir/visit.ts";
import type { Pass } from "./pass.ts";

export const hoistConditions: Pass = {
  name: "hoist-conditions",
  run: (func) => ({ ...func, body: hoist(func.body, noRanges) }),
};

function hoist(stmt: Stmt, ranges: Ranges): Stmt {
  switch (stmt.kind) {
    case "for":
      return hoistFrom(updateFor(stmt, { body: hoist(stmt.body, withRange(ranges, stmt.name, 0, stmt.extent - 1)) }));
    case "seq":
      return seqOf(hintsInside(joined(stmt.body, ranges)));
    case "if": {
      const yes = hoist(stmt.then, assume(stmt.condition, ranges));
      return updateIf(stmt, { then: yes, else: stmt.else && hoist(stmt.else, ranges) });
    }
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return stmt;
  }
}

// ── out of loops ────────────────────────────────────────────────────────────────────────────────────────────────────

function hoistFrom(loop: For): Stmt {
  const { body } = loop;
  if (body.kind !== "if") return loop;
  if (body.else)
    return mayChange(body.condition, loop.name) ? loop : branchedLoop(loop, body.condition, body.then, body.else);
  const conditions = conjunctsOf(body.condition);
  const fixed = conditions.filter((condition) => !mayChange(condition, loop.name));
  if (fixed.length === 0) return loop;
  const rest = conditions.filter((condition) => !fixed.includes(condition));
  return guarded(fixed, updateFor(loop, { body: guarded(rest, body.then) }));
}

/** A branch with a copy of the loop on each side; the conditions inside know no more than before. */
const branchedLoop = (loop: For, condition: Expr, yes: Stmt, no: Stmt): Stmt => ({
  kind: "if",
  condition,
  then: hoistFrom(updateFor(loop, { body: yes })),
  else: hoistFrom(updateFor(loop, { body: no })),
});

const guarded = (conditions: readonly Expr[], stmt: Stmt): Stmt =>
  conditions.length === 0 ? stmt : ifThen(conditions.reduce(and), stmt);

/** Says whether a condition may change within the loop. One that loads may: the loop may store to what it loads. */
const mayChange = (condition: Expr, loop: string): boolean =>
  !isFixed(condition) || someExpr(condition, (each) => each.kind === "var" && each.name === loop);

const isFixed = (condition: Expr): boolean => !someExpr(condition, ({ kind }) => kind === "load" || kind === "local");

// ── neighbours ──────────────────────────────────────────────────────────────────────────────────────────────────────

function joined(stmts: readonly Stmt[], ranges: Ranges): readonly Stmt[] {
  const list: Stmt[] = [];
  for (const stmt of stmts) append(list, hoist(stmt, ranges), ranges);
  return list;
}

function append(list: Stmt[], stmt: Stmt, ranges: Ranges): void {
  const last = list.at(-1);
  const both = last && (isPlainIf(last) && isPlainIf(stmt) ? join(last, stmt, ranges) : joinBranches(last, stmt));
  if (both) list[list.length - 1] = both;
  else list.push(stmt);
}

/** Moves hints under a condition that all the rest is under: where nothing is computed none is needed, so they are not in its way. */
function hintsInside(stmts: readonly Stmt[]): readonly Stmt[] {
  const [only, ...others] = stmts.filter(({ kind }) => kind !== "prefetch");
  if (!only || others.length > 0 || stmts.length === 1 || !isPlainIf(only)) return stmts;
  return [updateIf(only, { then: seqOf(stmts.map((stmt) => (stmt === only ? only.then : stmt))) })];
}

/** Joins two choices by one condition. */
function joinBranches(first: Stmt, second: Stmt): Stmt | null {
  if (first.kind !== "if" || second.kind !== "if" || !first.else || !second.else) return null;
  if (!isFixed(first.condition) || !sameExpr(first.condition, second.condition)) return null;
  return updateIf(first, { then: seqOf([first.then, second.then]), else: seqOf([first.else, second.else]) });
}

const isPlainIf = (stmt: Stmt): stmt is If => stmt.kind === "if" && !stmt.else && isFixed(stmt.condition);

/** Joins two choices under the weaker condition; null if neither condition implies the other. */
function join(first: If, second: If, ranges: Ranges): Stmt | null {
  const underFirst = assume(first.condition, ranges);
  const restOfSecond = open(second, underFirst);
  const restOfFirst = open(first, assume(second.condition, ranges));
  if (restOfFirst.length > 0 && restOfSecond.length > 0) return null;
  const outer = restOfFirst.length === 0 ? first : second;
  const inside = [...partsOf(restOfFirst, first)];
  const known = outer === first ? underFirst : assume(second.condition, ranges);
  for (const part of partsOf(restOfSecond, second)) append(inside, part, known);
  return updateIf(outer, { then: seqOf(inside) });
}

/** The conditions that what is known does not imply: those that it excludes are among them. */
const open = (stmt: If, known: Ranges): readonly Expr[] =>
  conjunctsOf(stmt.condition).filter((condition) => {
    const decided = simplifyExpr(condition, known);
    return decided.kind !== "const" || decided.value === 0;
  });

function partsOf(rest: readonly Expr[], stmt: If): readonly Stmt[] {
  if (rest.length > 0) return [guarded(rest, stmt.then)];
  return stmt.then.kind === "seq" ? stmt.then.body : [stmt.then];
}
