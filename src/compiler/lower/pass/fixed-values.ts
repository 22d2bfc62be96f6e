// Values that take long and that a loop computes anew in every iteration → locals before it. Compilers of C move what is straight, but no function
// that they make a branch of; engines of WebAssembly move nothing.
//
//   for j in 0..64                              let value.0: f32 = sqrt(v + 1.0)
//     Y[i*64 + j] = X[i*64 + j] / sqrt(v + 1.0)    →    for j in 0..64
//                                                     Y[i*64 + j] = X[i*64 + j] / value.0

import { define, localFrom } from "../../ir/build.ts";
import { exprKey } from "../../ir/expr-key.ts";
import type { Define, Expr, For, Stmt } from "../../ir/loop-ir.ts";
import { seqOf } from "../../ir/simplify.ts";
import { changedIn, isLeaf, spliced } from "../../ir/statements.ts";
import { isThreadLoop } from "../../ir/thread-axes.ts";
import { updateFor } from "../../ir/update.ts";
import { mapChildren, mapOperands, mapOwnExprs, ownExprs, someExpr, walkStmt } from "../../ir/visit.ts";
import { isExpandedBinary, isExpandedUnary } from "../math/expansions.ts";

/** Values that leave one loop: each takes a register from the loop's body. */
const mostFixed = 8;

/**
 * The body with such locals before its loops.
 *
 * @param fresh gives the name of the next local
 */
export function hoistFixedValues(body: Stmt, fresh: () => string): Stmt {
  return takesLong(body) ? hoisted(body, fresh) : body;
}

function hoisted(stmt: Stmt, fresh: () => string): Stmt {
  const inner = mapChildren(stmt, (child) => hoisted(child, fresh));
  if (inner.kind === "seq") return inner === stmt ? stmt : spliced(inner.body);
  // Threads of a parallel loop do not have the registers of the code around it.
  if (inner.kind !== "for" || inner.extent < 1 || inner.mark === "parallel" || isThreadLoop(inner)) return inner;
  return beforeLoop(inner, fresh);
}

function beforeLoop(loop: For, fresh: () => string): Stmt {
  const [changed, assigned] = [changedIn(loop), assignedIn(loop)];
  const fixed = new Map<string, Define>();
  const isFixed = (expr: Expr): boolean => !someExpr(expr, (each) => changes(each, changed));
  const replaced = (expr: Expr): Expr => {
    if (!someExpr(expr, isCostly)) return expr;
    if (!isFixed(expr)) return mapOperands(expr, replaced);
    const key = exprKey(expr);
    const known = fixed.get(key);
    if (!known && fixed.size >= mostFixed) return expr;
    const local = known ?? define(fresh(), expr);
    fixed.set(key, local);
    return localFrom(local);
  };
  const rest: Stmt[] = [];
  for (const stmt of spliced([loop.body]).body) {
    const isWhole = stmt.kind === "define" && !assigned.has(stmt.name) && isFixed(stmt.value) && fixed.size < mostFixed;
    if (isWhole) {
      fixed.set(`${stmt.name} ${exprKey(stmt.value)}`, stmt);
      changed.delete(stmt.name);
    } else rest.push(isLeaf(stmt) ? mapOwnExprs(stmt, replaced) : stmt);
  }
  return fixed.size === 0 ? loop : seqOf([...fixed.values(), updateFor(loop, { body: seqOf(rest) })]);
}

/** Says whether a statement, or one inside, computes something that takes long. */
function takesLong(stmt: Stmt): boolean {
  let found = false;
  walkStmt(stmt, (each) => {
    found ||= ownExprs(each).some((expr) => someExpr(expr, isCostly));
  });
  return found;
}

/** Functions, roots and quotients of floats: nothing that cannot be computed where the program would not. */
function isCostly(expr: Expr): boolean {
  if (expr.kind === "unary") return expr.op === "sqrt" || isExpandedUnary(expr.op);
  return expr.kind === "binary" && (isExpandedBinary(expr.op) || (expr.op === "div" && expr.dtype !== "i32"));
}

/** Says whether a node may have another value in another iteration. */
const changes = (expr: Expr, changed: ReadonlySet<string>): boolean =>
  expr.kind === "load" || ((expr.kind === "var" || expr.kind === "local") && changed.has(expr.name));

/** Locals that have several values in turn. */
function assignedIn(loop: For): ReadonlySet<string> {
  const assigned = new Set<string>();
  walkStmt(loop, (each) => {
    if (each.kind === "assign") assigned.add(each.name);
  });
  return assigned;
}
