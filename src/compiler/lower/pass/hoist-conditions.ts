// A condition that a loop does not change → out of the loop; neighbours under one condition → one `if`.
//
//   for k: if (i < 11) X   →   if (i < 11) for k: X

import { and, ifThen } from "../../ir/build.ts";
import { conjunctsOf } from "../../ir/compare.ts";
import { exprKey } from "../../ir/expr-key.ts";
import type { Expr, For, If, Stmt } from "../../ir/loop-ir.ts";
import { seqOf } from "../../ir/simplify.ts";
import { mapStmt, someExpr } from "../../ir/visit.ts";
import type { Pass } from "./pass.ts";

export const hoistConditions: Pass = {
  name: "hoist-conditions",
  run: (func) => ({ ...func, body: mapStmt(func.body, hoist) }),
};

function hoist(stmt: Stmt): Stmt {
  if (stmt.kind === "for") return hoistFrom(stmt);
  if (stmt.kind === "seq") return seqOf(joinNeighbours(stmt.body));
  return stmt;
}

function hoistFrom(loop: For): Stmt {
  const { body } = loop;
  if (body.kind !== "if" || body.else) return loop;
  const conditions = conjunctsOf(body.condition);
  const fixed = conditions.filter((condition) => !mayChange(condition, loop.name));
  if (fixed.length === 0) return loop;
  const rest = conditions.filter((condition) => !fixed.includes(condition));
  const inner = rest.length > 0 ? ifThen(rest.reduce(and), body.then) : body.then;
  return ifThen(fixed.reduce(and), { ...loop, body: inner });
}

/** What a condition loads may be stored in the loop. */
const mayChange = (condition: Expr, loop: string): boolean =>
  !isFixed(condition) || someExpr(condition, (each) => each.kind === "var" && each.name === loop);

const isFixed = (condition: Expr): boolean => !someExpr(condition, ({ kind }) => kind === "load" || kind === "local");

function joinNeighbours(stmts: readonly Stmt[]): readonly Stmt[] {
  const joined: Stmt[] = [];
  for (const stmt of stmts) {
    const last = joined.at(-1);
    if (last && isPlainIf(last) && isPlainIf(stmt) && exprKey(last.condition) === exprKey(stmt.condition)) {
      joined[joined.length - 1] = ifThen(last.condition, seqOf([last.then, stmt.then]));
    } else joined.push(stmt);
  }
  return joined;
}

const isPlainIf = (stmt: Stmt): stmt is If => stmt.kind === "if" && !stmt.else && isFixed(stmt.condition);
