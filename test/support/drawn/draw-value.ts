// Random values: expressions over reads, with parts that are used more than once.

import * as authoring from "../../../src/compiler/expr/authoring.ts";
import { drawRead } from "./draw-read.ts";
import { type Drawing, type DrawnAxis, once, oneOf } from "./drawing.ts";

type Expr = authoring.Expr;

/** The types that values are computed in. */
export type Computed = "f32" | "f64" | "i32" | "i16" | "i8" | "u8";

/** Types of tensors whose elements are read as such a value, converted or not. */
const sources: Readonly<Record<Computed, readonly authoring.DType[]>> = {
  f32: ["f32", "f32", "f32", "f32", "f16", "bf16", "i8", "u8", "i32"],
  f64: ["f64", "f64", "f32"],
  i32: ["i32", "i32", "i8", "u8", "i16", "bool"],
  i16: ["i16", "i16", "i8", "u8"],
  i8: ["i8"],
  u8: ["u8", "u8", "bool"],
};

export interface Scope {
  readonly axes: readonly DrawnAxis[];
  readonly dtype: Computed;
  /** Values of this type that stand somewhere in the stage already: they may be used again. */
  readonly shared: Expr[];
}

export const isFloat = (dtype: Computed): boolean => dtype === "f32" || dtype === "f64";

export const drawElement = (drawing: Drawing, { axes, dtype }: Scope): Expr => {
  const read = drawRead(drawing, axes, sources[dtype]);
  return read.dtype === dtype ? read : read.cast(dtype);
};

export function drawValue(drawing: Drawing, scope: Scope, depth: number): Expr {
  const { rng } = drawing;
  if (scope.shared.length > 0 && once(drawing, 6)) return rng.pick(scope.shared);
  const value = depth === 0 || once(drawing, 3) ? drawLeaf(drawing, scope) : drawNode(drawing, scope, depth - 1);
  scope.shared.push(value);
  return value;
}

function drawLeaf(drawing: Drawing, scope: Scope): Expr {
  const { axes, dtype } = scope;
  const { rng } = drawing;
  return oneOf<() => Expr>(drawing, [
    [12, () => drawElement(drawing, scope)],
    [1, () => authoring.cast(1 + rng.below(4), dtype)],
    [axes.length > 0 ? 1 : 0, () => rng.pick(axes).expr.mod(5).cast(dtype)],
  ])();
}

function drawNode(drawing: Drawing, scope: Scope, depth: number): Expr {
  const value = (): Expr => drawValue(drawing, scope, depth);
  const both = (op: (a: Expr, b: Expr) => Expr) => () => op(value(), value());
  const exact = drawing.manner === "exact";
  const whole = !isFloat(scope.dtype);
  return oneOf<() => Expr>(drawing, [
    [5, both((a, b) => a.add(b))],
    [4, both((a, b) => a.sub(b))],
    [4, both((a, b) => a.mul(b))],
    [2, both((a, b) => a.max(b))],
    [2, both((a, b) => a.min(b))],
    [1, () => value().neg()],
    [1, () => value().abs()],
    [2, () => value().max(0)],
    [2, () => squared(value())],
    [1, () => chain(drawing, scope)],
    [exact ? 3 : 0, () => chosen(drawing, value)],
    [1, () => placed(drawing, scope, value)],
    [exact && whole ? 1 : 0, () => value().floorDiv(drawing.rng.pick([2, 3, 4, 7, 8, 16]))],
    [exact && whole ? 1 : 0, () => value().mod(drawing.rng.pick([2, 3, 4, 5, 8]))],
    [exact ? 1 : 0, () => narrowed(drawing, value(), scope.dtype)],
    [exact && !whole ? 1 : 0, () => drawing.rng.pick([authoring.floor, authoring.ceil, authoring.round])(value())],
    [exact ? 0 : 4, () => smooth(drawing, value)],
  ])();
}

/** Steps each of which uses the last twice, as iterations do: written out they would be 2ⁿ. */
function chain(drawing: Drawing, scope: Scope): Expr {
  const [start, other] = [drawElement(drawing, scope), drawElement(drawing, scope)];
  const step = drawing.manner === "exact" ? distance : meanWithQuotient;
  const steps = 2 + drawing.rng.below(15);
  return Array.from({ length: steps }).reduce<Expr>((y) => step(y, other), start);
}

const distance = (a: Expr, b: Expr): Expr => a.max(b).sub(a.min(b));

const meanWithQuotient = (a: Expr, b: Expr): Expr => a.add(b.div(a.abs().add(1))).mul(0.5);

const squared = (value: Expr): Expr => value.mul(value);

function chosen({ rng }: Drawing, value: () => Expr): Expr {
  const [a, b] = [value(), value()];
  const condition = rng.pick([authoring.lt, authoring.le, authoring.gt, authoring.eq, authoring.ne])(a, b);
  return authoring.select(condition, value(), value());
}

/** A choice by place: borders, triangles, stripes. */
function placed({ rng }: Drawing, { axes }: Scope, value: () => Expr): Expr {
  if (axes.length === 0) return value();
  const [a, b] = [rng.pick(axes), rng.pick(axes)];
  const condition = rng.pick([
    () => a.expr.lt(b.expr),
    () => a.expr.ge(Math.floor(a.extent / 2)),
    () => a.expr.mod(2).eq(0),
    () => a.expr.eq(b.expr),
  ])();
  return authoring.select(condition, value(), value());
}

/** Through a narrower type and back: wraps, saturates or rounds. */
function narrowed({ rng }: Drawing, value: Expr, dtype: Computed): Expr {
  const narrow = rng.pick((["i8", "u8", "i16", "i32", "f16", "bf16"] as const).filter((it) => it !== dtype));
  return value.cast(narrow).cast(dtype);
}

function smooth({ rng }: Drawing, value: () => Expr): Expr {
  return rng.pick([
    () => authoring.tanh(value()),
    () => authoring.sigmoid(value()),
    () => authoring.erf(value()),
    () => authoring.exp(value().min(4).max(-4)),
    () => authoring.sqrt(value().abs().add(1)),
    () => value().div(value().abs().add(1)),
    () => authoring.log(value().abs().add(1)),
    () =>
      value()
        .abs()
        .min(2)
        .add(1)
        .pow(rng.pick([2, 3, -1, 0.5])),
  ])();
}
