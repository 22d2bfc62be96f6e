// Expr → how many lanes its value has: 1 is a scalar.

import type { Expr } from "./loop-ir.ts";

/** Trusts the expression: that operands agree is verify's business. A load has as many lanes as its last index. */
export function lanesOf(expr: Expr): number {
  switch (expr.kind) {
    case "const":
    case "var":
      return 1;
    case "local":
    case "ramp":
    case "broadcast":
    case "intrinsic":
      return expr.lanes;
    case "load": {
      const last = expr.indices.at(-1);
      return last ? lanesOf(last) : 1;
    }
    case "unary":
    case "cast":
    case "bitcast":
      return lanesOf(expr.operand);
    case "binary":
      return lanesOf(expr.left);
    case "select":
      return lanesOf(expr.then);
    case "lanes":
      return expr.elements.length;
    case "interleave":
      return expr.parts.length * lanesOf(expr.parts[0]!);
  }
}
