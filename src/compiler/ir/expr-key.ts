// Expr → a text that is the same exactly for the same expression: what maps and orders of expressions go by.
// Shorter and faster than the printed form, and not meant to be read.

import { sha256 } from "../support/digest.ts";
import { operandsFirst } from "../support/graph.ts";
import { headOf } from "./expr-head.ts";
import { isLargeExpr } from "./graph.ts";
import type { Expr } from "./loop-ir.ts";
import { operandsOf } from "./operands.ts";

function list(exprs: readonly Expr[]): string {
  let keys = "";
  for (const expr of exprs) keys += keys === "" ? textOf(expr) : `,${textOf(expr)}`;
  return keys;
}

/** Key of an expression; that of a large one is a digest, because its text may have any length. */
export const exprKey = (expr: Expr): string => (isLargeExpr(expr) ? digestOf(expr) : textOf(expr));

const digests = new WeakMap<Expr, string>();

function digestOf(expr: Expr): string {
  const open = (each: Expr): readonly Expr[] => (digests.has(each) ? none : operandsOf(each));
  for (const each of operandsFirst(expr, open)) {
    const operands = operandsOf(each).map((operand) => digests.get(operand));
    if (!digests.has(each)) digests.set(each, sha256(`${headOf(each)} ${operands.join()}`));
  }
  return digests.get(expr)!;
}

const none: readonly never[] = [];

function textOf(expr: Expr): string {
  switch (expr.kind) {
    case "const":
      return Object.is(expr.value, -0) ? `-0:${expr.dtype}` : `${expr.value}:${expr.dtype}`;
    case "var":
      return expr.name;
    case "local":
      return `%${expr.name}`;
    case "load":
      return `${expr.buffer}[${list(expr.indices)}${expr.active ? `;${textOf(expr.active)}` : ""}]`;
    case "unary":
      return `${expr.op}(${textOf(expr.operand)})`;
    case "binary":
      return `(${textOf(expr.left)} ${expr.op} ${textOf(expr.right)})`;
    case "select":
      return `(${textOf(expr.condition)}?${textOf(expr.then)}:${textOf(expr.else)})`;
    case "cast":
    case "bitcast":
      return `${expr.kind}:${expr.dtype}(${textOf(expr.operand)})`;
    case "shuffle":
      return `shuffle(${textOf(expr.operand)},${expr.mask})`;
    case "ramp":
      return `ramp(${textOf(expr.base)},${expr.stride},${expr.lanes})`;
    case "broadcast":
      return `x${expr.lanes}(${textOf(expr.value)})`;
    case "lanes":
      return `{${list(expr.elements)}}`;
    case "interleave":
      return `interleave(${list(expr.parts)})`;
    case "pick":
      return `pick(${list(expr.parts)};${expr.picks})`;
    case "fold":
      return `fold ${expr.op}(${list([expr.operand])})`;
    case "intrinsic":
      return `${expr.name}(${list(expr.operands)})`;
  }
}

/** Says whether two expressions have the same key, without building the keys. */
export function sameExpr(a: Expr, b: Expr): boolean {
  left = comparisons;
  const isSame = sameTree(a, b);
  return left < 0 ? exprKey(a) === exprKey(b) : isSame;
}

/** Nodes of trees that are compared one by one; what is larger has its key. */
const comparisons = 256;
let left = 0;

function sameTree(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (--left < 0) return false;
  if (a.kind !== b.kind || a.dtype !== b.dtype || !sameNode(a, b)) return false;
  const [these, those] = [operandsOf(a), operandsOf(b)];
  return these.length === those.length && these.every((operand, at) => sameTree(operand, those[at]!));
}

/** Compares two nodes without their kind, type and operands. */
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
    case "shuffle":
      return b.kind === a.kind && a.mask === b.mask;
    case "ramp":
      return b.kind === a.kind && a.stride === b.stride && a.lanes === b.lanes;
    case "broadcast":
      return b.kind === a.kind && a.lanes === b.lanes;
    case "pick":
      return b.kind === a.kind && a.picks.join() === b.picks.join();
    case "fold":
      return b.kind === a.kind && a.op === b.op;
    case "select":
    case "cast":
    case "bitcast":
    case "lanes":
    case "interleave":
      return true;
  }
}
