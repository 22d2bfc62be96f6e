// An expression that is to be evaluated even where the program would not → the same, in no danger: a load asks whether it
// is inside of its buffer, an integer divisor is positive. Where the program evaluates it, it has the value that it had.

import { add, and, broadcast, constInt, constOf, ge, le, max, min, select } from "./build.ts";
import { lanesOf } from "./lanes.ts";
import type { Buffer, Expr, Load } from "./loop-ir.ts";
import { mapOperands, operandsOf } from "./operands.ts";
import { updateBinary, updateSelect } from "./update.ts";

export interface Memory {
  readonly buffers: ReadonlyMap<string, Buffer>;
  /** Whether all that the loops around can make of the indices lies in the buffer. */
  readonly isInside: (load: Load) => boolean;
}

/** The operands that are evaluated whenever the expression is. */
export function evaluatedWith(expr: Expr): readonly Expr[] {
  if (expr.kind === "select" && lanesOf(expr.condition) === 1) return [expr.condition];
  const isLazy = expr.kind === "binary" && (expr.op === "and" || expr.op === "or");
  return isLazy ? [expr.left] : operandsOf(expr);
}

/** Null: a load of some lanes at a place that no comparison of scalars tells. */
export function speculated(expr: Expr, memory: Memory): Expr | null {
  const evaluated = new Set(evaluatedWith(expr));
  let isPossible = true;
  const inner = (operand: Expr): Expr => {
    const safe = evaluated.has(operand) ? speculated(operand, memory) : operand;
    isPossible &&= safe !== null;
    return safe ?? operand;
  };
  // A side of a choice stays one, whatever else of the choice is the same expression.
  const own =
    expr.kind === "select" && evaluated.size === 1
      ? updateSelect(expr, { condition: inner(expr.condition) })
      : mapOperands(expr, inner);
  if (!isPossible) return null;
  if (own.kind === "load") return memory.isInside(own) ? own : guarded(own, memory.buffers.get(own.buffer)!);
  const divides = own.kind === "binary" && (own.op === "floorDiv" || own.op === "mod");
  if (!divides || isConstant(own.right)) return own;
  const one = broadcast(constOf(own.dtype, 1), lanesOf(own.right));
  return updateBinary(own, { right: max(own.right, one) });
}

const isConstant = (expr: Expr): boolean =>
  expr.kind === "broadcast" ? isConstant(expr.value) : expr.kind === "const";

function guarded(load: Load, { shape }: Buffer): Expr | null {
  const conditions = load.indices.flatMap((index, dim) => {
    const ends = endsOf(index, load.active);
    return ends ? [ge(ends.first, constInt(0)), le(ends.last, constInt(shape[dim]! - 1))] : [null];
  });
  const known = conditions.filter((condition) => condition !== null);
  if (known.length < conditions.length) return null;
  return select(known.reduce(and), load, broadcast(constOf(load.dtype, 0), lanesOf(load)));
}

/** The first and the last element that an index names, if only `active` lanes do; null: no scalars tell. */
function endsOf(index: Expr, active: Expr | null): { readonly first: Expr; readonly last: Expr } | null {
  if (lanesOf(index) === 1) return { first: index, last: index };
  if (index.kind !== "ramp") return null;
  const { base, stride, lanes } = index;
  if (active) {
    if (stride !== 1 || lanesOf(base) > 1) return null;
    return { first: base, last: add(base, add(min(active, constInt(lanes)), constInt(-1))) };
  }
  const inner = endsOf(base, null);
  const reach = stride * (lanes / lanesOf(base) - 1);
  if (!inner) return null;
  return { first: add(inner.first, constInt(Math.min(0, reach))), last: add(inner.last, constInt(Math.max(0, reach))) };
}
