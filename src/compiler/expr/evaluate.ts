// The reference interpreter: ComputeDef + input arrays → output arrays. The first oracle: slow and obvious.

import { invariant } from "../support/invariant.ts";
import type { ComputeDef, Stage } from "./compute-def.ts";
import type { DType } from "./dtype.ts";
import type { TypedArray } from "./kernel-type.ts";
import type { Axis, ScalarExpr } from "./scalar-expr.ts";
import { applyBinary, applyUnary, castValue, reducerIdentity, reducerOp } from "./scalar-math.ts";
import { arrayTypes, decode, encode, newArray } from "./typed-array.ts";

interface StoredTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TypedArray;
}

type Tensors = ReadonlyMap<string, StoredTensor>;
/** The value of each axis in scope. */
type Point = Record<string, number>;

/**
 * Computes every result, one element after the other, reductions in the order of their axes.
 *
 * @param inputs one array for each input of `def`, by name, of the right type and length
 * @returns one new array for each output, by name
 * @example evaluate(gemm, { A: new Float32Array(61 * 97), B: new Float32Array(97 * 83) }).C
 */
export function evaluate(
  def: ComputeDef,
  inputs: Readonly<Record<string, TypedArray>>,
): Readonly<Record<string, TypedArray>> {
  const tensors = evaluateStages(def, inputs);
  return Object.fromEntries(def.outputs.map((name) => [name, tensors.get(name)!.data]));
}

/** As `evaluate`, but gives every tensor: inputs, all stages, results. */
export function evaluateStages(def: ComputeDef, inputs: Readonly<Record<string, TypedArray>>): Tensors {
  const tensors = new Map<string, StoredTensor>();
  for (const { name, dtype, shape } of def.inputs) {
    const data = inputs[name];
    invariant(data instanceof arrayTypes[dtype], `input ${name} is not an array of ${dtype}`);
    invariant(data.length === sizeOf(shape), `input ${name} has ${data.length} elements, its shape ${shape.join("×")}`);
    tensors.set(name, { dtype, shape, data });
  }
  for (const stage of def.stages) tensors.set(stage.name, evaluateStage(stage, tensors));
  return tensors;
}

function evaluateStage(stage: Stage, tensors: Tensors): StoredTensor {
  const shape = stage.axes.map((axis) => axis.extent);
  const data = newArray(stage.dtype, sizeOf(shape));
  let at = 0;
  forEachPoint(stage.axes, {}, (point) => {
    data[at++] = encode(stage.dtype, elementAt(stage, point, tensors));
  });
  return { dtype: stage.dtype, shape, data };
}

function elementAt({ body, reduce, dtype }: Stage, point: Point, tensors: Tensors): number {
  if (!reduce) return valueAt(body, point, tensors);
  invariant(dtype !== "bool", "reductions are over numbers");
  let accumulator = reducerIdentity[reduce.reducer](dtype);
  forEachPoint(reduce.axes, point, (inner) => {
    accumulator = applyBinary(reducerOp[reduce.reducer], dtype, accumulator, valueAt(body, inner, tensors));
  });
  return accumulator;
}

/** Calls `visit` at every point of `axes`, the last axis fastest. */
function forEachPoint(axes: readonly Axis[], outer: Point, visit: (point: Point) => void): void {
  const [first, ...rest] = axes;
  if (!first) {
    visit(outer);
    return;
  }
  const point = { ...outer };
  for (let value = 0; value < first.extent; value++) {
    point[first.name] = value;
    forEachPoint(rest, point, visit);
  }
}

function valueAt(expr: ScalarExpr, point: Point, tensors: Tensors): number {
  const value = (operand: ScalarExpr): number => valueAt(operand, point, tensors);
  switch (expr.kind) {
    case "const":
      return expr.value;
    case "axis":
      return point[expr.name]!;
    case "read":
      return elementOf(tensors.get(expr.tensor)!, expr.indices.map(value), expr.tensor);
    case "unary":
      return applyUnary(expr.op, expr.operand.dtype, value(expr.operand));
    case "binary":
      return applyBinary(expr.op, expr.left.dtype, value(expr.left), value(expr.right));
    case "select":
      return value(expr.condition) !== 0 ? value(expr.then) : value(expr.else);
    case "cast":
      return castValue(value(expr.operand), expr.operand.dtype, expr.dtype);
  }
}

function elementOf({ dtype, shape, data }: StoredTensor, indices: readonly number[], name: string): number {
  let offset = 0;
  for (const [dim, extent] of shape.entries()) {
    const index = indices[dim]!;
    invariant(
      index >= 0 && index < extent,
      `${name} is read at [${indices.join(", ")}], its shape is ${shape.join("×")}`,
    );
    offset = offset * extent + index;
  }
  return decode(dtype, data[offset]!);
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);
