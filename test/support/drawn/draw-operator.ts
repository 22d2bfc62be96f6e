// Random operators in the language of operator files: one to four stages, maps and reductions as users write them and as they
// do not, a contraction with what stands behind it, a map of pixels, a product of few rows, a chain of stencils, a short
// reduction, or arithmetic on bytes. The same generator of random numbers gives the same operator.

import * as authoring from "../../../src/compiler/expr/authoring.ts";
import { type ComputeDef, instantiate, type Op } from "../../../src/compiler/index.ts";
import { createRng, type Rng } from "../../../src/tuner/support/rng.ts";
import { contractionStages, contractionTypes } from "./draw-contraction.ts";
import { mapStages } from "./draw-map.ts";
import { drawProduct } from "./draw-product.ts";
import { readAgain } from "./draw-read.ts";
import { rowStages } from "./draw-rows.ts";
import { shortStages } from "./draw-short.ts";
import { stencilStages } from "./draw-stencil.ts";
import { type Computed, drawElement, drawValue, isFloat, type Scope } from "./draw-value.ts";
import { wordStages } from "./draw-words.ts";
import {
  type Drawing,
  type DrawnAxis,
  large,
  type Manner,
  newDrawing,
  type OperatorSize,
  once,
  oneOf,
  sizeOf,
} from "./drawing.ts";

type Expr = authoring.Expr;

export interface DrawnOperator {
  readonly op: Op;
  readonly def: ComputeDef;
  readonly manner: Manner;
}

type Stages = authoring.Tensor | Record<string, authoring.Tensor>;
type SizeName = "large" | "small";

/** Families of operators that are drawn alone, or among others. */
const families = {
  contraction: (rng, size) => contractionStages(rng, rng.pick(types), size),
  map: mapStages,
  row: rowStages,
  stencil: stencilStages,
  short: shortStages,
  word: wordStages,
} as const satisfies Record<string, (rng: Rng, size: SizeName) => Stages>;

export type DrawnKind = "any" | keyof typeof families;

/** All kinds of operators that there are; "any": stages as users write them and as they do not, and now and then a family. */
export const drawnKinds: readonly DrawnKind[] = ["any", ...(Object.keys(families) as (keyof typeof families)[])];

/** The kind of a name, as a command is given it. */
export function drawnKind(name: string): DrawnKind {
  const kind = drawnKinds.find((known) => known === name);
  if (kind === undefined) throw new Error(`there are no operators "${name}", but ${drawnKinds.join(", ")}`);
  return kind;
}

export function drawOperator(drawn: Rng, size: OperatorSize, kind: DrawnKind = "any"): DrawnOperator {
  const sizeName = size === large ? "large" : "small";
  let manner: Manner = "exact";
  // The definition is the same whenever it is made again.
  const seed = drawn.next();
  const op = authoring.defineOp({}, () => {
    const rng = createRng(seed);
    if (kind !== "any") return families[kind](rng, sizeName);
    const drawing = newDrawing(rng, size);
    manner = drawing.manner;
    if (manner !== "exact") return drawStages(drawing);
    return oneOf(drawing, [
      [8, () => drawStages(drawing)],
      ...Object.values(families).map((family) => [1, () => family(rng, sizeName)] as [number, () => Stages]),
    ])();
  });
  return { op, def: instantiate(op, {}, "drawn"), manner };
}

const types = ["f32", ...contractionTypes] as const;

function drawStages(drawing: Drawing): Stages {
  const count = oneOf(drawing, [
    [5, 1],
    [4, 2],
    [2, 3],
    [1, 4],
  ]);
  const stages = once(drawing, 12) ? drawParts(drawing) : once(drawing, 6) ? [drawNarrowProduct(drawing)] : [];
  while (stages.length < count) stages.push(drawStage(drawing, stages.length));
  const results = stages.filter(({ tensorName }) => !drawing.read.has(tensorName) || once(drawing, 5));
  const [only] = results;
  return results.length === 1 ? only! : Object.fromEntries(results.map((stage) => [stage.tensorName, stage]));
}

const computed = (drawing: Drawing): Computed =>
  drawing.manner === "smooth"
    ? oneOf<Computed>(drawing, [
        [6, "f32"],
        [1, "f64"],
      ])
    : oneOf<Computed>(drawing, [
        [8, "f32"],
        [2, "f64"],
        [5, "i32"],
        [1, "i16"],
        [1, "i8"],
        [1, "u8"],
      ]);

function drawStage(drawing: Drawing, number: number): authoring.Tensor {
  const dtype = computed(drawing);
  const shape = drawShape(drawing);
  const depth = 1 + drawing.rng.below(3);
  return add(drawing, `S${number}`, shape, (axes) => {
    const scope: Scope = { axes, dtype, shared: [] };
    const isMap = once(drawing, 3);
    if (isMap && drawing.manner === "exact" && once(drawing, 16)) return drawElement(drawing, scope).gt(1);
    return stored(drawing, isMap ? drawValue(drawing, scope, depth) : aroundReductions(drawing, scope), dtype);
  });
}

/** Axes of a stage, their product within the limit. */
function drawShape({ rng, extents, size }: Drawing): readonly number[] {
  const rank = rng.pick([0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5]);
  const shape: number[] = [];
  for (let dim = 0; dim < rank; dim++) {
    const extent = rng.pick(extents);
    shape.push(sizeOf(shape) * extent <= Math.min(size.iterations, size.elements * 2) ? extent : 1);
  }
  return shape;
}

function add(
  drawing: Drawing,
  name: string,
  shape: readonly number[],
  element: (axes: readonly DrawnAxis[]) => Expr,
): authoring.Tensor {
  const compute = authoring.compute as (
    name: string,
    shape: readonly number[],
    element: (...axes: readonly authoring.Expr<"i32">[]) => Expr,
  ) => authoring.Tensor;
  const stage = compute(name, shape, (...axes) =>
    element(axes.map((expr, at): DrawnAxis => ({ expr, extent: shape[at]! }))),
  );
  drawing.tensors.push(stage);
  return stage;
}

/** Now and then the result is kept in a narrower type. */
function stored(drawing: Drawing, value: Expr, dtype: Computed): Expr {
  if (drawing.manner === "smooth") return dtype === "f32" && once(drawing, 8) ? value.cast("bf16") : value;
  if (!once(drawing, 5)) return value;
  return value.cast(drawing.rng.pick(["f32", "f16", "bf16", "i32", "i16", "i8", "u8"] as const));
}

// ── reductions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** One or two reductions, as they are or inside a larger expression. */
function aroundReductions(drawing: Drawing, scope: Scope): Expr {
  const first = drawReduction(drawing, scope, "k");
  if (once(drawing, 2)) return first;
  const rest: Scope = { ...scope, shared: [first] };
  const second = (): Expr => (once(drawing, 4) ? drawReduction(drawing, scope, "l") : drawValue(drawing, rest, 1));
  return oneOf<() => Expr>(drawing, [
    [3, () => first.add(second())],
    [1, () => first.sub(second())],
    [2, () => first.mul(second())],
    [2, () => first.max(second())],
    [2, () => first.max(0)],
    [isFloat(scope.dtype) && drawing.manner === "smooth" ? 2 : 0, () => authoring.tanh(first)],
  ])();
}

function drawReduction(drawing: Drawing, scope: Scope, name: string): Expr {
  const { rng } = drawing;
  const spatial = scope.axes.reduce((product, { extent }) => product * extent, 1);
  const most = Math.max(1, Math.floor(drawing.size.iterations / spatial));
  const isSearch = drawing.manner === "exact" && once(drawing, 16);
  const axes = drawReduceAxes(drawing, isSearch ? 1 : rng.pick([1, 1, 1, 1, 2, 2, 3]), most, name);
  const reduced = axes.map(({ expr, extent }): DrawnAxis => ({ expr, extent }));
  const inner: Scope = { ...scope, axes: [...scope.axes, ...reduced], shared: [] };
  const term = (): Expr =>
    once(drawing, 3) ? drawProduct(drawing, scope.axes, reduced, scope.dtype) : drawTerm(drawing, inner);
  const reduceAxes = axes.map(({ expr }) => expr);
  const exprs = reduceAxes.length === 1 ? reduceAxes[0]! : reduceAxes;
  const reducer = oneOf(drawing, [
    [10, authoring.sum],
    [2, authoring.max],
    [1, authoring.min],
    [1, authoring.prod],
  ]);
  if (reducer === authoring.prod) return authoring.prod(unit(drawing, inner), exprs);
  if (isSearch) {
    const find = rng.pick([authoring.argmax, authoring.argmin]);
    return find(term(), reduceAxes[0]!).cast(scope.dtype);
  }
  return (reducer as typeof authoring.sum)(term(), exprs);
}

interface DrawnReduceAxis {
  readonly expr: authoring.ReduceAxis;
  readonly extent: number;
}

function drawReduceAxes(
  { rng, extents }: Drawing,
  count: number,
  most: number,
  name: string,
): readonly DrawnReduceAxis[] {
  const axes: DrawnReduceAxis[] = [];
  for (let at = 0; at < count; at++) {
    const sofar = axes.reduce((product, { extent }) => product * extent, 1);
    const wanted = at === 0 ? rng.pick(extents) : rng.pick([1, 2, 3, 3, 5]);
    const extent = Math.max(1, Math.min(wanted, Math.floor(most / sofar)));
    axes.push({ expr: authoring.reduceAxis(`${name}${at}`, extent), extent });
  }
  return axes;
}

/** Factors of products are near 1 in size, or results would not be finite. */
function unit(drawing: Drawing, scope: Scope): Expr {
  const value = drawElement(drawing, scope);
  return isFloat(scope.dtype) ? value.min(2).max(0.5) : value;
}

/** Draws the element that a reduction takes in: products and squares mostly, as in products of matrices, convolutions and statistics. */
function drawTerm(drawing: Drawing, scope: Scope): Expr {
  const read = (): Expr => drawElement(drawing, scope);
  return oneOf<() => Expr>(drawing, [
    [8, () => read().mul(read())],
    [3, () => twice(drawing, scope)],
    [2, () => read()],
    [2, () => squaredDifference(read(), read())],
    [2, () => read().mul(read()).sub(read().mul(read()))],
    [1, () => read().mul(read()).mul(read())],
    [1, () => authoring.max(read(), 0).mul(read())],
    [4, () => drawValue(drawing, scope, 2)],
    [1, () => drawReduction(drawing, scope, `m${scope.axes.length}_`).mul(read())],
  ])();
}

/** One tensor, read at two places: XᵀX, X·X, sums of squares. */
function twice(drawing: Drawing, scope: Scope): Expr {
  const before = drawing.tensors.length;
  const first = drawElement(drawing, scope);
  const added = drawing.tensors.slice(before);
  const own = added.length > 0 ? added : drawing.tensors;
  const again = readAgain(drawing, scope.axes, drawing.rng.pick(own));
  return first.mul(again.dtype === scope.dtype ? again : again.cast(scope.dtype));
}

const squaredDifference = (a: Expr, b: Expr): Expr => {
  const difference = a.sub(b);
  return difference.mul(difference);
};

/** A product of matrices of bytes or of bf16, large enough for the instructions that machines have for it. */
function drawNarrowProduct(drawing: Drawing): authoring.Tensor {
  const { rng } = drawing;
  const dtype = rng.pick(["i32", "i32", "f32"] as const);
  const columns = rng.pick([8, 16, 17, 31, 32, 48, 64]);
  const depth = rng.pick([2, 4, 5, 8, 16, 23, 32, 64]);
  const rows = rng.pick(drawing.extents.filter((extent) => extent * columns * depth <= drawing.size.iterations));
  const batch = once(drawing, 4) && rows * columns * depth * 2 <= drawing.size.iterations ? [2] : [];
  return add(drawing, "S0", [...batch, rows ?? 1, columns], (axes) => {
    const k = authoring.reduceAxis("k", depth);
    const product = drawProduct(drawing, axes, [{ expr: k, extent: depth }], dtype, true);
    const total = authoring.sum(product, k);
    const epilogue = once(drawing, 3) ? total.add(drawElement(drawing, { axes, dtype, shared: [] })) : total;
    return once(drawing, 4) ? epilogue.max(0) : epilogue;
  });
}

/** Several results from one pair of tensors: the parts of a projection, as queries, keys and values are. */
function drawParts(drawing: Drawing): authoring.Tensor[] {
  const { rng } = drawing;
  const parts = 2 + rng.below(2);
  const [rows, columns, depth] = [rng.pick(drawing.extents), rng.pick(drawing.extents), rng.pick(drawing.extents)];
  const x = authoring.tensor("X", [rows, depth], "f32");
  const last = once(drawing, 2);
  const w = authoring.tensor("W", last ? [depth, parts, columns] : [parts, depth, columns], "f32");
  const k = authoring.reduceAxis("k", depth);
  return Array.from({ length: parts }, (_, part) =>
    add(drawing, `S${part}`, [rows, columns], ([i, j]) => {
      const weight = last ? w(k, part, j!.expr) : w(part, k, j!.expr);
      return authoring.sum(x(i!.expr, k).mul(weight), k);
    }),
  );
}
