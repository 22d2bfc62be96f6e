// A product of two operands along the axes of a reduction, as matrices, batches of them and tensors are multiplied: each operand
// moves along some of the spatial axes and all or most of the others, in any order, in types that machines have instructions for.

import type * as authoring from "../../../src/compiler/expr/authoring.ts";
import type { Computed } from "./draw-value.ts";
import { type Drawing, type DrawnAxis, newInput, once, sizeOf } from "./drawing.ts";

type Expr = authoring.Expr;

const operandTypes: Readonly<Record<Computed, readonly (readonly [authoring.DType, authoring.DType])[]>> = {
  f32: [
    ["f32", "f32"],
    ["f32", "f32"],
    ["bf16", "bf16"],
    ["f16", "f32"],
    ["f32", "i8"],
  ],
  f64: [["f64", "f64"]],
  i32: [
    ["u8", "i8"],
    ["i8", "i8"],
    ["i8", "u8"],
    ["u8", "u8"],
    ["i16", "i16"],
    ["i32", "i32"],
  ],
  i16: [
    ["i16", "i16"],
    ["i8", "i8"],
  ],
  i8: [["i8", "i8"]],
  u8: [["u8", "u8"]],
};

/** Pairs of types that machines multiply and add up in groups, by the type of the sum. */
const narrowTypes: Readonly<Partial<Record<Computed, readonly (readonly [authoring.DType, authoring.DType])[]>>> = {
  f32: [["bf16", "bf16"]],
  i32: [
    ["u8", "i8"],
    ["i8", "i8"],
    ["i8", "u8"],
    ["u8", "u8"],
    ["i16", "i16"],
  ],
};

/** @param isNarrow only in types that machines have instructions for */
export function drawProduct(
  drawing: Drawing,
  spatial: readonly DrawnAxis[],
  reduced: readonly DrawnAxis[],
  dtype: Computed,
  isNarrow = false,
): Expr {
  const { rng } = drawing;
  const types = rng.pick(isNarrow ? narrowTypes[dtype]! : operandTypes[dtype]);
  const isLast = (axis: DrawnAxis): boolean => axis === spatial.at(-1);
  const rows = spatial.filter((axis) => !isLast(axis));
  const columns = spatial.filter((axis) => isLast(axis) || once(drawing, 6));
  const left = operand(drawing, [...rows, ...reduced], types[0], dtype);
  const right = operand(drawing, [...reduced, ...columns], types[1], dtype);
  return once(drawing, 2) ? left.mul(right) : right.mul(left);
}

/** Its axes are in their order, or the last two are exchanged, or in any. */
function operand(drawing: Drawing, axes: readonly DrawnAxis[], stored: authoring.DType, dtype: Computed): Expr {
  const order = drawing.rng.pick([
    () => axes,
    () => [...axes.slice(0, -2), ...axes.slice(-2).toReversed()],
    () => drawing.rng.shuffle(axes),
  ])();
  const extents = order.map(({ extent }) => extent);
  const kept = sizeOf(extents) <= drawing.size.elements ? order : order.slice(0, 1);
  const tensor = newInput(
    drawing,
    kept.map(({ extent }) => extent),
    stored,
  );
  const element = tensor(...kept.map(({ expr }) => expr));
  return element.dtype === dtype ? element : element.cast(dtype);
}
