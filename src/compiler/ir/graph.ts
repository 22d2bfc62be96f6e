// Expressions as graphs: what one block or statement computes may use a value many times. See `support/graph.ts` for
// when one is walked as a tree. A rebuilt large one shares equal parts as one node, so no pass makes copies of them.

import { foldOnce, type NodeFunction, operandsFirst } from "../support/graph.ts";
import { headOf } from "./expr-head.ts";
import type { Expr } from "./loop-ir.ts";
import { lessNodes, mapOperands, operandsOf } from "./operands.ts";

/** Nodes of an expression written out as a tree, up to which it is walked as one. */
const treeNodes = 256;

export const isLargeExpr = (expr: Expr): boolean => lessNodes(expr, treeNodes) < 0;

/** A value worked out from the operands up, once for each node of a large expression. `f` depends on nothing but the node. */
export function foldExpr<T>(expr: Expr, f: NodeFunction<Expr, T>): T {
  if (isLargeExpr(expr)) return foldOnce(expr, operandsOf, f);
  const visit = (each: Expr): T => f(each, visit);
  return visit(expr);
}

/** Works like `foldExpr` for results that are expressions; in the result of a large one equal parts are one node. */
export function rebuild(expr: Expr, f: NodeFunction<Expr, Expr>): Expr {
  // Counting nodes while rebuilding saves a walk of its own. An expression that turns out to be large is rebuilt anew, as a graph.
  let left = treeNodes;
  const visit = (each: Expr): Expr => (--left < 0 ? each : f(each, visit));
  const rebuilt = visit(expr);
  if (left >= 0) return rebuilt;
  const intern = interner();
  return foldOnce<Expr, Expr>(expr, operandsOf, (each, of) => intern(f(each, of)));
}

/** A function that gives the same node for equal expressions. */
export function interner(): (expr: Expr) => Expr {
  const numbers = new Map<Expr, number>();
  const nodes = new Map<string, Expr>();
  const interned = new Map<Expr, Expr>();
  const known = (expr: Expr): Expr => (numbers.has(expr) ? expr : interned.get(expr)!);
  const open = (expr: Expr): readonly Expr[] => (numbers.has(expr) || interned.has(expr) ? [] : operandsOf(expr));
  return (root) => {
    for (const expr of operandsFirst(root, open)) {
      if (numbers.has(expr) || interned.has(expr)) continue;
      const key = `${headOf(expr)}(${operandsOf(expr)
        .map((operand) => numbers.get(known(operand)))
        .join()})`;
      const equal = nodes.get(key);
      const own = equal ?? mapOperands(expr, known);
      if (!equal) {
        nodes.set(key, own);
        numbers.set(own, numbers.size);
      }
      if (own !== expr) interned.set(expr, own);
    }
    return known(root);
  };
}
