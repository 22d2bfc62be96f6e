// An expression that is to be evaluated even where the program would not → the same, in no danger: a load asks whether it
// is inside of its buffer, an integer divisor is positive. Where the program evaluates it, it has the value that it had.

import type { Interval } from "../affine/interval.ts";
import { add, and, broadcast, constInt, constOf, ge, le, max, min, select } from "./build.ts";
import { lanesOf } from "./lanes.ts";
import type { Buffer, Expr, Load } from "./loop-ir.ts";
import { mapOperands } from "./operands.ts";
import { updateBinary } from "./update.ts";

export interface Surroundings {
  readonly buffers: ReadonlyMap<string, Buffer>;
  /** Returns the bounds of an index over the loops around it. */
  readonly boundsOf: (index: Expr) => Interval;
}

/**
 * Makes an expression safe where the program would not evaluate it; null: a load of some lanes at a place that no comparison of
 * scalars tells.
 */
export function speculated(expr: Expr, around: Surroundings): Expr | null {
  let isPossible = true;
  const own = mapOperands(expr, (operand) => {
    // The sides of a choice too: what the condition tells of them it may tell only where the choice is made.
    const safe = speculated(operand, around);
    isPossible &&= safe !== null;
    return safe ?? operand;
  });
  if (!isPossible) return null;
  if (own.kind === "load") return guarded(own, around);
  const divides = own.kind === "binary" && (own.op === "floorDiv" || own.op === "mod");
  if (!divides || isConstant(own.right)) return own;
  const one = broadcast(constOf(own.dtype, 1), lanesOf(own.right));
  return updateBinary(own, { right: max(own.right, one) });
}

const isConstant = (expr: Expr): boolean =>
  expr.kind === "broadcast" ? isConstant(expr.value) : expr.kind === "const";

function guarded(load: Load, { buffers, boundsOf }: Surroundings): Expr | null {
  const zero = broadcast(constOf(load.dtype, 0), lanesOf(load));
  const conditions: Expr[] = [];
  for (const [dim, index] of load.indices.entries()) {
    const last = buffers.get(load.buffer)!.shape[dim]! - 1;
    const { min: low, max: high } = boundsOf(index);
    if (low >= 0 && high <= last) continue;
    const ends = endsOf(index, load.active);
    if (!ends) return null;
    conditions.push(ge(ends.first, constInt(0)), le(ends.last, constInt(last)));
  }
  const open = conditions.filter((condition) => condition.kind !== "const" || condition.value === 0);
  if (open.some(({ kind }) => kind === "const")) return zero;
  return open.length === 0 ? load : select(open.reduce(and), load, zero);
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
