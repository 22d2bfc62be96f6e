// Puts polynomials in place of exp, log, rsqrt, tanh, erf, sigmoid and pow, made of operations that every back end has
// for vectors. Terms used more than once become locals in front of the statement. Bounds: `maxUlp` in lower/math.
//
//   B[i] = exp(A[i])   →   let exp.0: f32 = min(max(A[i], -104.0), 89.0)
//                          let exp.1: f32 = …
//                          B[i] = …
//
// Locals are computed before the statement, also where its scalar conditions are false, so a load that moves out of a
// select is guarded anew: select(i < n, exp(A[i]), 0.0) computes exp of select(i < n, A[i], 0.0).

import { broadcast, constOf, define, lanesFrom, localFrom, select } from "../../ir/build.ts";
import type { Binary, Expr, Lanes, LoopFunc, Stmt, Unary } from "../../ir/loop-ir.ts";
import { updateSelect } from "../../ir/update.ts";
import { lanesOf, mapExpr, mapOperands, mapOwnExprs, someExpr } from "../../ir/visit.ts";
import { expandBinary, expandUnary, isExpandedBinary, isExpandedUnary } from "../math/expansions.ts";
import type { FloatType, Terms } from "../math/terms.ts";
import { expandLeaves, type Fresh, freshNames, type Leaf } from "./leaves.ts";
import type { Pass } from "./pass.ts";

export const expandMath: Pass = { name: "expand-math", run: (func) => expandMathIn(func) };

export function expandMathIn(func: LoopFunc): LoopFunc {
  const fresh = freshNames(func);
  return expandLeaves(func, (leaf) => expandOwn(leaf, fresh));
}

function expandOwn(stmt: Leaf, fresh: Fresh): readonly Stmt[] {
  const defines: Stmt[] = [];
  const expanded = mapOwnExprs(stmt, (expr) => (someExpr(expr, isMath) ? expandExpr(expr, [], defines, fresh) : expr));
  return [...defines, expanded];
}

const isMath = (expr: Expr): boolean =>
  (expr.kind === "unary" && isExpandedUnary(expr.op)) || (expr.kind === "binary" && isExpandedBinary(expr.op));

/** A scalar condition that an expression is evaluated under, and which way. */
interface Guard {
  readonly condition: Expr;
  readonly holds: boolean;
}

function expandExpr(expr: Expr, guards: readonly Guard[], defines: Stmt[], fresh: Fresh): Expr {
  const inner = (operand: Expr): Expr => expandExpr(operand, guards, defines, fresh);
  if (expr.kind === "select" && lanesOf(expr.condition) === 1) {
    const condition = inner(expr.condition);
    const side = (operand: Expr, holds: boolean): Expr =>
      expandExpr(operand, [...guards, { condition, holds }], defines, fresh);
    return updateSelect(expr, { condition, then: side(expr.then, true), else: side(expr.else, false) });
  }
  const joined = expr.kind === "lanes" ? joinLanes(expr) : expr;
  const mapped = mapOperands(joined, inner);
  if (!isMath(mapped)) return mapped;
  return expandNode(mapped as Unary | Binary, guards, defines, fresh);
}

function expandNode(expr: Unary | Binary, guards: readonly Guard[], defines: Stmt[], fresh: Fresh): Expr {
  const terms: Terms = {
    lanes: lanesOf(expr),
    bind: (value) => {
      if (value.kind === "local") return value;
      const local = define(fresh(expr.op), value);
      defines.push(local);
      return localFrom(local);
    },
  };
  const operand = (value: Expr): Expr => (guards.length === 0 ? value : guardLoads(value, guards));
  const type = expr.dtype as FloatType;
  if (expr.kind === "unary") return terms.bind(expandUnary(expr.op, type, operand(expr.operand), terms));
  return terms.bind(expandBinary(expr.op, type, operand(expr.left), operand(expr.right), terms));
}

/** Puts every load under the conditions that it had in its old place, the outermost asked first. */
const guardLoads = (value: Expr, guards: readonly Guard[]): Expr =>
  mapExpr(value, (expr) => {
    if (expr.kind !== "load") return expr;
    const zero = broadcast(constOf(expr.dtype, 0), lanesOf(expr));
    const guarded = (inner: Expr, { condition, holds }: Guard): Expr =>
      holds ? select(condition, inner, zero) : select(condition, zero, inner);
    return guards.reduceRight(guarded, expr as Expr);
  });

/** lanes(exp(a), exp(b)) → exp(lanes(a, b)): one expansion of a vector instead of several of scalars. */
function joinLanes(expr: Lanes): Expr {
  const ops = new Set(expr.elements.map((each) => (each.kind === "unary" && isMath(each) ? each.op : null)));
  const [op] = ops;
  if (ops.size !== 1 || !op) return expr;
  const operands = expr.elements.map((each) => (each as Unary).operand);
  return { kind: "unary", dtype: expr.dtype, op, operand: lanesFrom(operands) };
}
