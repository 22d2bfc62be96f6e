// Expr → a text that is the same exactly for the same expression: what maps and orders of expressions go by.
// Shorter and faster than the printed form, and not meant to be read.

import type { Expr } from "./loop-ir.ts";
import { operandsOf } from "./visit.ts";

function list(exprs: readonly Expr[]): string {
  let keys = "";
  for (const expr of exprs) keys += keys === "" ? exprKey(expr) : `,${exprKey(expr)}`;
  return keys;
}

export function exprKey(expr: Expr): string {
  switch (expr.kind) {
    case "const":
      return Object.is(expr.value, -0) ? `-0:${expr.dtype}` : `${expr.value}:${expr.dtype}`;
    case "var":
      return expr.name;
    case "local":
      return `%${expr.name}`;
    case "load":
      return `${expr.buffer}[${list(expr.indices)}${expr.active ? `;${exprKey(expr.active)}` : ""}]`;
    case "unary":
      return `${expr.op}(${exprKey(expr.operand)})`;
    case "binary":
      return `(${exprKey(expr.left)} ${expr.op} ${exprKey(expr.right)})`;
    case "select":
      return `(${exprKey(expr.condition)}?${exprKey(expr.then)}:${exprKey(expr.else)})`;
    case "cast":
    case "bitcast":
      return `${expr.kind}:${expr.dtype}(${exprKey(expr.operand)})`;
    case "ramp":
      return `ramp(${exprKey(expr.base)},${expr.stride},${expr.lanes})`;
    case "broadcast":
      return `x${expr.lanes}(${exprKey(expr.value)})`;
    case "lanes":
      return `{${list(expr.elements)}}`;
    case "interleave":
      return `interleave(${list(expr.parts)})`;
    case "intrinsic":
      return `${expr.name}(${list(expr.operands)})`;
  }
}

/** As a comparison of keys, without building them. */
export function sameExpr(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.dtype !== b.dtype || !sameNode(a, b)) return false;
  const [left, right] = [operandsOf(a), operandsOf(b)];
  return left.length === right.length && left.every((operand, at) => sameExpr(operand, right[at]!));
}

/** What a node says beside its kind, type and operands. */
function sameNode(a: Expr, b: Expr): boolean {
  switch (a.kind) {
    case "const":
      return b.kind === a.kind && Object.is(a.value, b.value);
    case "var":
    case "local":
    case "intrinsic":
      return b.kind === a.kind && a.name === b.name;
    case "load":
      return b.kind === a.kind && a.buffer === b.buffer && (a.active === null) === (b.active === null);
    case "unary":
    case "binary":
      return b.kind === a.kind && a.op === b.op;
    case "ramp":
      return b.kind === a.kind && a.stride === b.stride && a.lanes === b.lanes;
    case "broadcast":
      return b.kind === a.kind && a.lanes === b.lanes;
    case "select":
    case "cast":
    case "bitcast":
    case "lanes":
    case "interleave":
      return true;
  }
}
