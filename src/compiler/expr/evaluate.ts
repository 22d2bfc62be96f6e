// The reference interpreter: ComputeDef + input arrays → output arrays. The first oracle: slow and obvious.

import { foldOnce, isLarge, operandsFirst, usesOf } from "../support/graph.ts";
import { product } from "../support/integer-math.ts";
import { invariant } from "../support/invariant.ts";
import type { ComputeDef, Stage } from "./compute-def.ts";
import type { DType } from "./dtype.ts";
import { children, foldScalar } from "./expr-visit.ts";
import { interned } from "./interned.ts";
import type { TypedArray } from "./kernel-type.ts";
import type { Axis, ReadExpr, ScalarExpr } from "./scalar-expr.ts";
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

/** Computes like `evaluate`, but returns every tensor: inputs, all stages, results. */
export function evaluateStages(def: ComputeDef, inputs: Readonly<Record<string, TypedArray>>): Tensors {
  const tensors = tensorsOf(def, inputs);
  for (const stage of def.stages) tensors.set(stage.name, evaluateStage(stage, tensors));
  return tensors;
}

function tensorsOf(def: ComputeDef, inputs: Readonly<Record<string, TypedArray>>): Map<string, StoredTensor> {
  const tensors = new Map<string, StoredTensor>();
  for (const { name, dtype, shape } of def.inputs) {
    const data = inputs[name];
    invariant(data instanceof arrayTypes[dtype], `input ${name} is not an array of ${dtype}`);
    invariant(data.length === sizeOf(shape), `input ${name} has ${data.length} elements, its shape ${shape.join("×")}`);
    tensors.set(name, { dtype, shape, data });
  }
  return tensors;
}

/**
 * Some elements of one stage: the function that gives the element at a row-major offset, as it is stored.
 *
 * @param inputs arrays of the tensors that the stage reads, all of them inputs of `def`
 * @param def an operator of this stage alone
 */
export function elementsOf(def: ComputeDef, inputs: Readonly<Record<string, TypedArray>>): (offset: number) => number {
  const [stage] = def.stages;
  invariant(stage && def.stages.length === 1, "elements are asked of one stage");
  const element = elementOf(stage, tensorsOf(def, inputs));
  return (offset) => encode(stage.dtype, element(pointAt(stage.axes, offset)));
}

function pointAt(axes: readonly Axis[], offset: number): Point {
  const point: Point = {};
  let rest = offset;
  for (const { name, extent } of axes.toReversed()) {
    point[name] = rest % extent;
    rest = Math.floor(rest / extent);
  }
  return point;
}

function evaluateStage(stage: Stage, tensors: Tensors): StoredTensor {
  const shape = stage.axes.map((axis) => axis.extent);
  const data = newArray(stage.dtype, sizeOf(shape));
  const element = elementOf(stage, tensors);
  let at = 0;
  forEachPoint(stage.axes, {}, (point) => {
    data[at++] = encode(stage.dtype, element(point));
  });
  return { dtype: stage.dtype, shape, data };
}

/** An expression as a function of the axes: one closure a node, each what its node means and nothing more. */
type Value = (point: Point) => number;

function elementOf({ body, reduce, dtype }: Stage, tensors: Tensors): Value {
  const value = valueAt(body, tensors);
  if (!reduce) return value;
  invariant(dtype !== "bool", "reductions are over numbers");
  const start = reducerIdentity[reduce.reducer](dtype);
  const op = reducerOp[reduce.reducer];
  return (point) => {
    let accumulator = start;
    forEachPoint(reduce.axes, point, (inner) => {
      accumulator = applyBinary(op, dtype, accumulator, value(inner));
    });
    return accumulator;
  };
}

/** Sets `axes` in `point` to each of their values, the last axis fastest, and calls `visit`. */
function forEachPoint(axes: readonly Axis[], point: Point, visit: Visit, depth = 0): void {
  const axis = axes[depth];
  if (!axis) {
    visit(point);
    return;
  }
  for (let value = 0; value < axis.extent; value++) {
    point[axis.name] = value;
    forEachPoint(axes, point, visit, depth + 1);
  }
}

type Visit = (point: Point) => void;

/** The value of a stage's element; in a large one, what is used several times is worked out once a point. */
function valueAt(body: ScalarExpr, tensors: Tensors): Value {
  if (!isLarge(body, children)) return foldScalar<Value>(body, (node, of) => nodeValue(node, of, tensors));
  const graph = interned(body);
  const uses = usesOf(operandsFirst(graph, children), children);
  const clock = { points: 0 };
  const value = foldOnce<ScalarExpr, Value>(graph, children, (node, of) => {
    const own = nodeValue(node, of, tensors);
    return (uses.get(node) ?? 0) > 1 ? oncePerPoint(own, clock) : own;
  });
  return (point) => {
    clock.points++;
    return value(point);
  };
}

/** Computes a value once a point, and only when asked: a side of a choice that is not taken may lie outside of its tensor. */
function oncePerPoint(value: Value, clock: { readonly points: number }): Value {
  let [at, known] = [0, 0];
  return (point) => {
    if (at !== clock.points) [known, at] = [value(point), clock.points];
    return known;
  };
}

function nodeValue(expr: ScalarExpr, of: (operand: ScalarExpr) => Value, tensors: Tensors): Value {
  switch (expr.kind) {
    case "const":
      return () => expr.value;
    case "axis":
      return (point) => point[expr.name]!;
    case "read":
      return readOf(expr, expr.indices.map(of), tensors);
    case "unary": {
      const operand = of(expr.operand);
      return (point) => applyUnary(expr.op, expr.operand.dtype, operand(point));
    }
    case "binary": {
      const [left, right] = [of(expr.left), of(expr.right)];
      return (point) => applyBinary(expr.op, expr.left.dtype, left(point), right(point));
    }
    case "select": {
      const [condition, then, otherwise] = [of(expr.condition), of(expr.then), of(expr.else)];
      return (point) => (condition(point) !== 0 ? then(point) : otherwise(point));
    }
    case "cast": {
      const operand = of(expr.operand);
      return (point) => castValue(operand(point), expr.operand.dtype, expr.dtype);
    }
  }
}

function readOf({ tensor }: ReadExpr, values: readonly Value[], tensors: Tensors): Value {
  const { dtype, shape, data } = tensors.get(tensor)!;
  return (point) => {
    let offset = 0;
    for (let dim = 0; dim < shape.length; dim++) {
      const index = values[dim]!(point);
      const inside = index >= 0 && index < shape[dim]!;
      if (!inside) invariant(false, `index ${dim} of ${tensor} is ${index}, its shape ${shape.join("×")}`);
      offset = offset * shape[dim]! + index;
    }
    return decode(dtype, data[offset]!);
  };
}

const sizeOf = (shape: readonly number[]): number => product(shape);
