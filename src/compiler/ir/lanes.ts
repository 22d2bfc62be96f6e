// Expr → how many lanes its value has: 1 is a scalar.

import type { Expr } from "./loop-ir.ts";

/** Number of lanes. Trusts the expression: that operands agree is verify's business. A load has as many lanes as its last index. */
export function lanesOf(expr: Expr): number {
  let node = expr;
  for (let steps = 0; ; steps++) {
    const next = sameLanes(node);
    const lanes = next === null ? ownLanes(node) : steps > far ? known.get(node) : undefined;
    if (lanes !== undefined) {
      if (steps > far) known.set(expr, lanes);
      return lanes;
    }
    node = next!;
  }
}

/** Steps after which an answer is remembered: code that asks all nodes of a long chain, from its end, has short ways. */
const far = 32;
const known = new WeakMap<Expr, number>();

/** The operand that has the lanes of the expression; null: the expression itself tells them. */
function sameLanes(expr: Expr): Expr | null {
  switch (expr.kind) {
    case "load":
      return expr.indices.at(-1) ?? null;
    case "unary":
    case "cast":
    case "bitcast":
    case "shuffle":
      return expr.operand;
    case "binary":
      return expr.left;
    case "select":
      return expr.then;
    case "const":
    case "var":
    case "local":
    case "ramp":
    case "broadcast":
    case "intrinsic":
    case "lanes":
    case "interleave":
    case "pick":
    case "fold":
      return null;
  }
}

/** Says whether a lane of a load or a store is among the active ones; null: only a run knows. */
export function isLaneActive(active: Expr | null, lane: number): boolean | null {
  if (!active) return true;
  return active.kind === "const" ? active.value > lane : null;
}

function ownLanes(expr: Expr): number {
  switch (expr.kind) {
    case "local":
    case "ramp":
    case "broadcast":
    case "intrinsic":
      return expr.lanes;
    case "lanes":
      return expr.elements.length;
    case "interleave":
      return expr.parts.length * lanesOf(expr.parts[0]!);
    case "pick":
      return expr.picks.length;
    case "const":
    case "var":
    case "load":
    case "unary":
    case "cast":
    case "bitcast":
    case "shuffle":
    case "fold":
    case "binary":
    case "select":
      return 1;
  }
}
