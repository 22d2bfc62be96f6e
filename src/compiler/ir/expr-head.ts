// Node of an expression → a text of all that it says beside its operands: equal heads and equal operands are one value.

import type { Expr } from "./loop-ir.ts";

export function headOf(expr: Expr): string {
  switch (expr.kind) {
    case "const":
      return `${Object.is(expr.value, -0) ? "-0" : expr.value}:${expr.dtype}`;
    case "var":
      return expr.name;
    case "local":
      return `%${expr.name}`;
    case "load":
      return `${expr.dtype} ${expr.buffer}[${expr.active ? ";" : ""}]`;
    case "unary":
    case "binary":
      return expr.op;
    case "select":
    case "lanes":
    case "interleave":
      return expr.kind;
    case "cast":
    case "bitcast":
      return `${expr.kind}:${expr.dtype}`;
    case "shuffle":
      return `shuffle ${expr.mask}`;
    case "ramp":
      return `ramp ${expr.stride} ${expr.lanes}`;
    case "broadcast":
      return `x${expr.lanes}`;
    case "pick":
      return `pick ${expr.picks}`;
    case "fold":
      return `fold ${expr.op}`;
    case "intrinsic":
      return `${expr.name}()`;
  }
}
