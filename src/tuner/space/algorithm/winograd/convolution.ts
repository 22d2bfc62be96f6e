// Recognises a convolution by what its sum says: 3×3 windows, stride and dilation 1, channels last, f32.
//
//   out[…, y, x, f] = Σ over ry, rx, c:  image[…, y + ry - py, x + rx - px, c] · filter[ry, rx, c, f]
//
// The image may be guarded by "inside it, else 0", or not at all.

import {
  type Axis,
  type ComputeDef,
  formOfConstant,
  type IndexForm,
  indexForm,
  type ReadExpr,
  type ScalarExpr,
  type Stage,
  subtractForms,
} from "../../../../compiler/index.ts";

export interface Convolution {
  /** The stage that sums. */
  readonly stage: Stage;
  readonly image: string;
  /** Extents of the image along y and x. */
  readonly height: number;
  readonly width: number;
  readonly filter: string;
  /** Axes of the result before y: images of a batch. */
  readonly batch: readonly Axis[];
  readonly y: Axis;
  readonly x: Axis;
  /** The result's channels. */
  readonly f: Axis;
  /** The image's channels. */
  readonly c: Axis;
  /** Rows above and columns left of the image that windows reach. */
  readonly paddingY: number;
  readonly paddingX: number;
}

export const windowSize = 3;

/** Recognises a convolution. Null: the stage is something else. */
export function convolutionOf(stage: Stage, op: ComputeDef): Convolution | null {
  const { body, reduce, dtype } = stage;
  if (dtype !== "f32" || reduce?.reducer !== "sum" || reduce.axes.length !== 3 || stage.axes.length < 3) return null;
  if (body.kind !== "binary" || body.op !== "mul") return null;
  return matched(stage, op, body.left, body.right) ?? matched(stage, op, body.right, body.left);
}

function matched(stage: Stage, op: ComputeDef, pixel: ScalarExpr, weight: ScalarExpr): Convolution | null {
  const taps = tapsOf(stage, weight);
  const guarded = pixelOf(pixel);
  if (!taps || !guarded) return null;
  const { ry, rx, c } = taps;
  const { read, condition } = guarded;
  const [f, x, y] = stage.axes.toReversed() as [Axis, Axis, Axis];
  const batch = stage.axes.slice(0, -3);
  const [row, column, channel] = read.indices.slice(-3);
  if (read.indices.length !== stage.axes.length || !row || !column || !channel) return null;
  if (!batch.every((axis, at) => isAxis(read.indices[at], axis)) || !isAxis(channel, c)) return null;
  const paddingY = paddingOf(row, y, ry);
  const paddingX = paddingOf(column, x, rx);
  if (paddingY === null || paddingX === null) return null;
  const [height, width] = shapeOf(op, read.tensor).slice(-3) as [number, number];
  if (condition && !onlyAsksInside(condition, [row, height], [column, width])) return null;
  const filter = taps.read.tensor;
  return { stage, image: read.tensor, height, width, filter, batch, y, x, f, c, paddingY, paddingX };
}

interface Taps {
  readonly read: ReadExpr;
  readonly ry: Axis;
  readonly rx: Axis;
  readonly c: Axis;
}

/** filter[ry, rx, c, f] with the three reduce axes and the last axis of the result. */
function tapsOf({ axes, reduce }: Stage, weight: ScalarExpr): Taps | null {
  if (weight.kind !== "read" || weight.dtype !== "f32" || weight.indices.length !== 4) return null;
  const reduced = weight.indices.slice(0, 3).map((index) => reduce!.axes.find((axis) => isAxis(index, axis)));
  const [ry, rx, c] = reduced;
  if (!ry || !rx || !c || new Set(reduced).size !== 3) return null;
  if (ry.extent !== windowSize || rx.extent !== windowSize) return null;
  return isAxis(weight.indices[3], axes.at(-1)!) ? { read: weight, ry, rx, c } : null;
}

function pixelOf(expr: ScalarExpr): { readonly read: ReadExpr; readonly condition: ScalarExpr | null } | null {
  if (expr.kind === "read") return expr.dtype === "f32" ? { read: expr, condition: null } : null;
  if (expr.kind !== "select" || expr.else.kind !== "const" || expr.else.value !== 0) return null;
  return expr.then.kind === "read" && expr.then.dtype === "f32" ? { read: expr.then, condition: expr.condition } : null;
}

const isAxis = (expr: ScalarExpr | undefined, { name }: Axis): boolean => expr?.kind === "axis" && expr.name === name;

/** Returns p of the index `at + tap - p`; null: the index is something else. */
function paddingOf(index: ScalarExpr, at: Axis, tap: Axis): number | null {
  const { terms, constant } = indexForm(index);
  const isPlain = [at, tap].every((axis) =>
    terms.some(({ atom, coefficient }) => coefficient === 1 && isAxis(atom, axis)),
  );
  return isPlain && terms.length === 2 ? -constant : null;
}

function shapeOf({ inputs, stages }: ComputeDef, tensor: string): readonly number[] {
  const stage = stages.find(({ name }) => name === tensor);
  return stage ? stage.axes.map(({ extent }) => extent) : inputs.find(({ name }) => name === tensor)!.shape;
}

/**
 * Says whether a condition asks only that indices are inside their extents. A bound that it does not ask for always
 * holds, as no read leaves its tensor.
 */
function onlyAsksInside(condition: ScalarExpr, ...bounds: readonly (readonly [ScalarExpr, number])[]): boolean {
  const wanted = bounds.flatMap(([index, extent]) => {
    const form = indexForm(index);
    return [form, subtractForms(formOfConstant(extent - 1), form)];
  });
  return conjunctsOf(condition).every((each) => {
    const asked = atLeastZero(each);
    return asked !== null && wanted.some((form) => sameForm(form, asked));
  });
}

const conjunctsOf = (expr: ScalarExpr): readonly ScalarExpr[] =>
  expr.kind === "binary" && expr.op === "and" ? [...conjunctsOf(expr.left), ...conjunctsOf(expr.right)] : [expr];

/** Returns the form that a comparison of integers says is ≥ 0. */
function atLeastZero(expr: ScalarExpr): IndexForm | null {
  if (expr.kind !== "binary" || expr.left.dtype !== "i32") return null;
  const [left, right] = [indexForm(expr.left), indexForm(expr.right)];
  switch (expr.op) {
    case "ge":
      return subtractForms(left, right);
    case "le":
      return subtractForms(right, left);
    case "gt":
      return subtractForms(subtractForms(left, right), formOfConstant(1));
    case "lt":
      return subtractForms(subtractForms(right, left), formOfConstant(1));
    default:
      return null;
  }
}

function sameForm(a: IndexForm, b: IndexForm): boolean {
  const { terms, constant } = subtractForms(a, b);
  return terms.length === 0 && constant === 0;
}
