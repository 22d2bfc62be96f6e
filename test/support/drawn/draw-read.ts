// Random reads: of a new input whose shape is made for the indices, or of a tensor that is there, with indices that fit it.
// Plain axes, offsets, strides, windows, diagonals, reversed and clamped indices, remainders, tables, padding.

import * as authoring from "../../../src/compiler/expr/authoring.ts";
import { type Drawing, type DrawnAxis, newInput, once, oneOf, sizeOf } from "./drawing.ts";

type Expr = authoring.Expr;
type Index = authoring.Expr<"i32">;

/** One element, in the type that its tensor is computed in. */
export function drawRead(drawing: Drawing, axes: readonly DrawnAxis[], dtypes: readonly authoring.DType[]): Expr {
  const known = drawing.tensors.filter(({ dtype }) => dtypes.includes(dtype));
  const isOld = known.length > 0 && !once(drawing, 3);
  return isOld ? readAgain(drawing, axes, pickOld(drawing, known)) : readNew(drawing, axes, dtypes);
}

/** Stages that nothing has read come first: they are what makes chains. */
function pickOld({ rng, read }: Drawing, known: readonly authoring.Tensor[]): authoring.Tensor {
  const waiting = known.filter(({ tensorName }) => tensorName.startsWith("S") && !read.has(tensorName));
  return rng.pick(waiting.length > 0 && rng.below(3) > 0 ? waiting : known);
}

// ── new inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Dim {
  readonly index: Index;
  readonly extent: number;
}

function readNew(drawing: Drawing, axes: readonly DrawnAxis[], dtypes: readonly authoring.DType[]): Expr {
  const { rng } = drawing;
  const used = rng.shuffle(axes).slice(0, Math.min(axes.length, rng.below(12) === 0 ? 0 : 1 + rng.below(4)));
  // Half of the reads keep the order of the axes, so that most operands lie in the order in which they are walked.
  const ordered = once(drawing, 2) ? used : axes.filter((axis) => used.includes(axis));
  const dims = dimsFor(drawing, ordered);
  const isFitting = sizeOf(dims.map(({ extent }) => extent)) <= drawing.size.elements;
  const fitting = isFitting ? dims : dims.slice(0, 1);
  const tensor = newInput(
    drawing,
    fitting.map(({ extent }) => extent),
    rng.pick(dtypes),
  );
  return tensor(...fitting.map(({ index }) => index));
}

function dimsFor(drawing: Drawing, axes: readonly DrawnAxis[]): readonly Dim[] {
  const { rng } = drawing;
  const [first, second, ...rest] = axes;
  if (!first) return once(drawing, 4) ? [constantDim(drawing)] : [];
  if (second && once(drawing, 6)) return [windowDim(drawing, first, second), ...dimsFor(drawing, rest)];
  const others = dimsFor(drawing, axes.slice(1));
  const own = oneOf<() => Dim>(drawing, [
    [12, () => ({ index: first.expr, extent: first.extent })],
    [1, () => stridedDim(drawing, first)],
    [1, () => ({ index: first.expr.add(1 + rng.below(2)), extent: first.extent + 2 })],
    [1, () => ({ index: first.expr.neg().add(first.extent - 1), extent: first.extent })],
    [1, () => ({ index: first.expr.floorDiv(2), extent: Math.ceil(first.extent / 2) })],
    [1, () => ({ index: first.expr.mod(3), extent: 3 })],
  ])();
  const dims = [own, ...others];
  return once(drawing, 10) ? [...dims, constantDim(drawing)] : dims;
}

function constantDim({ rng }: Drawing): Dim {
  const extent = 1 + rng.below(4);
  return { index: authoring.cast(rng.below(extent), "i32"), extent };
}

/** y·stride + ky·dilation, as convolutions and pooling read. */
function windowDim({ rng }: Drawing, a: DrawnAxis, b: DrawnAxis): Dim {
  const [stride, dilation] = [1 + rng.below(2), 1 + rng.below(2)];
  const extent = (a.extent - 1) * stride + (b.extent - 1) * dilation + 1;
  return { index: a.expr.mul(stride).add(b.expr.mul(dilation)), extent };
}

function stridedDim({ rng }: Drawing, { expr, extent }: DrawnAxis): Dim {
  const [stride, offset] = [2 + rng.below(2), rng.below(3)];
  return { index: expr.mul(stride).add(offset), extent: (extent - 1) * stride + offset + 1 + rng.below(2) };
}

// ── tensors that are there ──────────────────────────────────────────────────────────────────────────────────────────

/** An index that stays inside, or one that may leave the tensor, with the condition under which it does not. */
interface Fit {
  readonly index: Index;
  readonly guard: authoring.Expr<"bool"> | null;
}

/** One element of a tensor that is there. */
export function readAgain(drawing: Drawing, axes: readonly DrawnAxis[], tensor: authoring.Tensor): Expr {
  drawing.read.add(tensor.tensorName);
  const left = drawing.rng.shuffle(axes);
  const fits = tensor.shape.map((extent, dim) => fitFor(drawing, left, axes[dim], extent));
  const element = tensor(...fits.map(({ index }) => index));
  const guards = fits.flatMap(({ guard }) => guard ?? []);
  const [first, ...more] = guards;
  if (!first) return element;
  const condition = more.reduce((all, it) => all.and(it), first);
  return authoring.select(condition, element, once(drawing, 4) ? 1 : 0);
}

/** Takes axes off `left` as it uses them; `same` is the axis at the same place. */
function fitFor(drawing: Drawing, left: DrawnAxis[], same: DrawnAxis | undefined, extent: number): Fit {
  const { rng } = drawing;
  const equal = left.filter((axis) => axis.extent === extent);
  const chosen = same && equal.includes(same) && !once(drawing, 3) ? same : equal.length > 0 ? rng.pick(equal) : null;
  if (chosen && !once(drawing, 8)) {
    left.splice(left.indexOf(chosen), 1);
    return { index: chosen.expr, guard: null };
  }
  const axis = left.length > 0 ? rng.pick(left) : null;
  if (!axis) return { index: authoring.cast(rng.below(extent), "i32"), guard: null };
  return oneOf<() => Fit>(drawing, [
    [4, () => shifted(drawing, axis, extent)],
    [
      2,
      () => ({
        index: axis.expr
          .add(rng.below(5) - 2)
          .max(0)
          .min(extent - 1),
        guard: null,
      }),
    ],
    [
      1,
      () => ({
        index: axis.expr
          .mul(1 + rng.below(3))
          .add(rng.below(3))
          .mod(extent),
        guard: null,
      }),
    ],
    [2, () => padded(drawing, axis, extent)],
    [
      1,
      () => ({
        index: looked(drawing, axis)
          .max(0)
          .min(extent - 1),
        guard: null,
      }),
    ],
    [1, () => ({ index: authoring.cast(rng.below(extent), "i32"), guard: null })],
  ])();
}

/** axis + c inside the tensor; clamped where it is shorter than the axis. */
function shifted({ rng }: Drawing, axis: DrawnAxis, extent: number): Fit {
  if (axis.extent > extent) return { index: axis.expr.min(extent - 1), guard: null };
  const offset = rng.below(Math.min(3, extent - axis.extent + 1));
  return { index: offset === 0 ? axis.expr : axis.expr.add(offset), guard: null };
}

/** The index of a padded read: 0 ≤ axis - p < extent. */
function padded({ rng }: Drawing, axis: DrawnAxis, extent: number): Fit {
  const index = axis.expr.sub(rng.below(3));
  return { index, guard: index.ge(0).and(index.lt(extent)) };
}

/** An element of a table of integers. */
function looked(drawing: Drawing, axis: DrawnAxis): Index {
  return newInput(drawing, [axis.extent], "i32")(axis.expr) as Index;
}
