// The expression of a meaning + that of a nest → what each operand is bound to, in every way that makes them equal:
// sums and products may have their sides swapped, an element may be of a narrower type that the operand's type holds.

import { sameExpr } from "../ir/expr-key.ts";
import type { Buffer, Expr, IrType, Load, Store } from "../ir/loop-ir.ts";
import { holds } from "../ir/widening.ts";

export interface Binding {
  readonly load: Load;
  /** The index of the operand in the meaning. */
  readonly wanted: Expr;
}

/** Load that each operand of the intrinsic stands for, by the operand's name. */
export type Bindings = ReadonlyMap<string, Binding>;

/**
 * @param pattern the store of the meaning
 * @param operands buffers of the meaning; the first one is what the nest's own element stands for
 * @param target the element that the nest updates, as a load
 */
export function unify(pattern: Store, value: Expr, operands: readonly Buffer[], target: Load): readonly Bindings[] {
  const context: Context = { operands, target };
  const result: Binding = { load: target, wanted: pattern.indices[0]! };
  return unifyIn(pattern.value, value, new Map([[pattern.buffer, result]]), context);
}

interface Context {
  readonly operands: readonly Buffer[];
  readonly target: Load;
}

function unifyIn(pattern: Expr, value: Expr, bindings: Bindings, context: Context): readonly Bindings[] {
  if (pattern.kind === "load") return bind(pattern, value, bindings, context);
  if (pattern.kind !== value.kind || pattern.dtype !== value.dtype) return [];
  switch (pattern.kind) {
    case "const":
      return value.kind === "const" && value.value === pattern.value ? [bindings] : [];
    case "cast":
      return value.kind === "cast" ? unifyIn(pattern.operand, value.operand, bindings, context) : [];
    case "binary": {
      if (value.kind !== "binary" || value.op !== pattern.op) return [];
      const straight = both([pattern.left, value.left], [pattern.right, value.right], bindings, context);
      const commutes = pattern.op === "add" || pattern.op === "mul";
      const swapped = commutes ? both([pattern.left, value.right], [pattern.right, value.left], bindings, context) : [];
      return [...straight, ...swapped];
    }
    case "var":
    case "local":
    case "unary":
    case "select":
    case "bitcast":
    case "shuffle":
    case "ramp":
    case "broadcast":
    case "lanes":
    case "interleave":
    case "pick":
    case "fold":
    case "intrinsic":
      return [];
  }
}

const both = (
  [leftPattern, left]: readonly [Expr, Expr],
  [rightPattern, right]: readonly [Expr, Expr],
  bindings: Bindings,
  context: Context,
): readonly Bindings[] =>
  unifyIn(leftPattern, left, bindings, context).flatMap((bound) => unifyIn(rightPattern, right, bound, context));

function bind(pattern: Load, value: Expr, bindings: Bindings, { operands, target }: Context): readonly Bindings[] {
  const isTarget = pattern.buffer === operands[0]!.name;
  const load = isTarget ? value : withoutWidening(value, pattern.dtype);
  if (load?.kind !== "load" || load.active) return [];
  if (isTarget !== sameExpr(load, target) || (isTarget && load.dtype !== pattern.dtype)) return [];
  return [new Map(bindings).set(pattern.buffer, { load, wanted: pattern.indices[0]! })];
}

/** The element that `expr` is, if `dtype` holds all of its values; null if not. */
function withoutWidening(expr: Expr, dtype: IrType): Expr | null {
  if (!holds(dtype, expr.dtype)) return null;
  return expr.kind === "cast" ? withoutWidening(expr.operand, expr.dtype) : expr;
}
