// Contractions by lot, as users write them by hand: sums over some axes of the products of two tensors of halves or bytes. Axes lie in any
// order, batches may be those of one operand alone, rows may walk a window; a stage behind finishes the sums, or turns them.

import { authoring, type DType, type Op } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { operandTypes, type TypeName } from "../library/library-operator.ts";
import { between } from "./drawing.ts";

const { compute, defineOp, reduceAxis, select, sum, tensor } = authoring;
type Expr = authoring.Expr;
type Index = authoring.Expr<"i32">;

/** Types of the operands that tensor cores multiply. */
export const contractionTypes: readonly TypeName[] = ["bf16", "i8", "f16", "u8·i8", "u8"];

/** An axis by its extent; `of` says which operands move along it. */
interface Axis {
  readonly extent: number;
  readonly of: "both" | "left" | "right";
}

/** An axis that has been given its index. */
interface Indexed extends Axis {
  readonly at: Index;
  /** Whether some of the elements lie outside of the tensor, and are 0. */
  readonly isPadded?: boolean;
}

/** Taps that an operand is read at for each element of the result. */
interface Window {
  readonly taps: number;
  readonly stride: number;
  readonly padding: number;
}

/** Returns the axes as they are, with the last two exchanged, or in any order. */
const ordered = <T>(rng: Rng, axes: readonly T[]): readonly T[] =>
  rng.pick([
    () => axes,
    () => axes,
    () => [...axes.slice(0, -2), ...axes.slice(-2).toReversed()],
    () => rng.shuffle([...axes]),
  ])();

/** Returns one axis of such an extent, or now and then two whose product is as large. */
const axesOf = (rng: Rng, extent: number, of: Axis["of"]): readonly Axis[] => {
  const outer = rng.pick([1, 1, 1, 2, 3]);
  return outer === 1 || extent % outer !== 0
    ? [{ extent, of }]
    : [
        { extent: outer, of },
        { extent: extent / outer, of },
      ];
};

/** Small ones are run by interpreters. Large ones are not run: their extents are those of work for tensor cores. */
type Size = "small" | "large";

/** Extents of whole tiles, or any. */
function drawAxes(rng: Rng, size: Size): { readonly spatial: readonly Axis[]; readonly reduced: readonly Axis[] } {
  const batches = Array.from(
    { length: rng.pick([0, 0, 0, 1, 1, 2]) },
    (): Axis => ({
      extent: between(rng, 1, 3),
      of: rng.pick(["both", "both", "left", "right"]),
    }),
  );
  const isWhole = rng.below(2) === 0;
  const large = (): number => (isWhole ? 64 * between(rng, 1, 5) : between(rng, 64, 300));
  // The more batches, the smaller is each.
  const most = batches.length === 0 ? 5 : 2;
  const small = (): number => (isWhole ? 16 * between(rng, 1, most) : between(rng, 5, 16 * most));
  const [rows, columns] = size === "large" ? [large(), large()] : [small(), small()];
  const depth = size === "large" ? large() : isWhole ? 32 * between(rng, 1, 3) : between(rng, 9, 80);
  return {
    spatial: [...batches, ...axesOf(rng, rows, "left"), ...axesOf(rng, columns, "right")],
    reduced: axesOf(rng, depth, "both"),
  };
}

interface Operand {
  readonly name: string;
  readonly stored: DType;
  readonly summed: "f32" | "i32";
  readonly axes: readonly Indexed[];
}

/** An element as a factor of what is summed. */
function factor(rng: Rng, { name, stored, summed, axes }: Operand): Expr {
  const order = ordered(rng, axes);
  const shape = order.map(({ extent }) => extent);
  const element = tensor(name, shape, stored)(...order.map(({ at }) => at));
  const inside = order
    .filter(({ isPadded }) => isPadded)
    .reduce<Expr>((value, { at, extent }) => select(at.ge(0).and(at.lt(extent)), value, 0), element);
  return stored.endsWith("8") ? inside.cast(summed) : inside;
}

/** Has the first of the axes that one operand has alone walk a window. */
function walking(
  axes: readonly Indexed[],
  side: Axis["of"],
  tap: Index,
  { taps, stride, padding }: Window,
): readonly Indexed[] {
  const moved = axes.find(({ of }) => of === side);
  const extent = moved ? (moved.extent - 1) * stride + taps - 2 * padding : 0;
  if (!moved || extent < 1) return axes;
  const at = (stride === 1 ? moved.at : moved.at.mul(stride)).add(tap);
  const walked = padding > 0 ? { ...moved, extent, at: at.sub(padding), isPadded: true } : { ...moved, extent, at };
  return axes.map((axis) => (axis === moved ? walked : axis));
}

/** No window for most, and padding for those that have more taps than one. */
function drawWindow(rng: Rng): Window | null {
  if (rng.below(4) > 0) return null;
  const taps = rng.pick([1, 2, 3, 3]);
  return { taps, stride: rng.pick([1, 1, 2, 3]), padding: taps > 1 ? rng.below(2) : 0 };
}

/** Something that a user does to the sums where they are computed. */
const finished = (rng: Rng, sums: Expr): Expr =>
  rng.pick([() => sums, () => sums, () => sums.max(0), () => sums.mul(2), () => sums.add(1).max(0)])();

export const drawContraction = (rng: Rng, type: TypeName, size: Size = "small"): Op =>
  defineOp({}, () => contractionStages(rng, type, size));

/** Stages of a contraction, within the definition of an operator: the last of them. */
export function contractionStages(rng: Rng, type: TypeName, size: Size): authoring.Tensor {
  const { dtype, second } = operandTypes(type);
  // Now and then floats are multiplied by bytes.
  const other = dtype.endsWith("8") || rng.below(4) > 0 ? second : rng.pick(["i8", "u8"] as const);
  const stored = rng.shuffle([dtype, other]);
  const axes = drawAxes(rng, size);
  const results = rng.below(4) === 0 ? rng.shuffle([...axes.spatial]) : axes.spatial;
  const sums = contraction(rng, ["C", "A", "B"], stored, { ...axes, spatial: results });
  const gated = rng.below(6) > 0 ? sums : gate(rng, sums, stored, axes.reduced);
  const count = rng.pick([0, 0, 1, 1, 2]);
  const made = Array.from({ length: count }).reduce<Computed>((last, _, at) => behind(rng, last, at), gated);
  return (rng.below(5) === 0 ? againstItself(made) : made).tensor;
}

/** Sums of products of two tensors, over elements of the result. */
function contraction(
  rng: Rng,
  [name, ...operands]: readonly [string, string, string],
  stored: readonly DType[],
  { spatial, reduced }: ReturnType<typeof drawAxes>,
): Computed {
  const summed = stored.every((type) => type.endsWith("8")) ? "i32" : "f32";
  const window = drawWindow(rng);
  return computed(name, spatial, (indexed) => {
    const inner = reduced.map((axis, at) => ({ ...axis, at: reduceAxis(`k${at}`, axis.extent) }));
    const tap = window && reduceAxis("w", window.taps);
    const walked = rng.pick(["left", "right"] as const);
    let hasTaps = false;
    const [left, right] = (["left", "right"] as const).map((side, at) => {
      const own = [...indexed, ...inner].filter(({ of }) => of === side || of === "both");
      const axes = tap && walked === side ? walking(own, side, tap, window!) : own;
      hasTaps ||= axes !== own;
      return factor(rng, { name: operands[at]!, stored: stored[at]!, summed, axes });
    }) as [Expr, Expr];
    const product = rng.below(2) === 0 ? left.mul(right) : right.mul(left);
    const over = [...inner.map(({ at }) => at), ...(tap && hasTaps ? [tap] : [])];
    return finished(rng, (sum as (value: Expr, axes: unknown) => Expr)(product, over.length === 1 ? over[0] : over));
  });
}

/** The sums beside those of another product, as in gated layers. */
function gate(rng: Rng, sums: Computed, stored: readonly DType[], reduced: readonly Axis[]): Computed {
  const others = contraction(rng, ["G", "U", "V"], stored, { spatial: sums.axes, reduced });
  const isFirst = rng.below(2) === 0;
  return computed("H", sums.axes, (indexed) => {
    const places = indexed.map(({ at }) => at);
    const [own, other] = [sums.tensor(...places), others.tensor(...places)];
    return isFirst ? own.max(0).add(other) : other.max(0).add(own);
  });
}

interface Computed {
  readonly tensor: authoring.Tensor;
  readonly axes: readonly Axis[];
}

function computed(name: string, axes: readonly Axis[], element: (axes: readonly Indexed[]) => Expr): Computed {
  const make = compute as (
    name: string,
    shape: readonly number[],
    element: (...at: readonly Index[]) => Expr,
  ) => authoring.Tensor;
  const shape = axes.map(({ extent }) => extent);
  return { tensor: make(name, shape, (...at) => element(axes.map((axis, dim) => ({ ...axis, at: at[dim]! })))), axes };
}

/** Elements beside a function of themselves that is a stage of its own, as some activations are written. */
function againstItself({ tensor: made, axes }: Computed): Computed {
  const places = (indexed: readonly Indexed[]): readonly Index[] => indexed.map(({ at }) => at);
  const cut = computed("S", axes, (indexed) => made(...places(indexed)).max(0));
  return computed("T", axes, (indexed) => made(...places(indexed)).sub(cut.tensor(...places(indexed))));
}

/** A map of what was computed: with a bias, a residual, in a narrower type, or turned. */
function behind(rng: Rng, { tensor: made, axes }: Computed, number: number): Computed {
  const order = rng.below(4) === 0 ? rng.shuffle([...axes]) : axes;
  const isFloat = made.dtype !== "i32" && made.dtype !== "i8";
  return computed(`D${number}`, order, (indexed) => {
    const value = made(...axes.map((axis) => indexed[order.indexOf(axis)]!.at));
    const last = indexed.at(-1)!;
    return rng.pick([
      () => value.max(0),
      () => value.add(tensor(`bias${number}`, [last.extent], value.dtype)(last.at)).max(0),
      () => {
        const shape = order.map(({ extent }) => extent);
        return value.add(tensor(`residual${number}`, shape, value.dtype)(...indexed.map(({ at }) => at)));
      },
      () => (isFloat ? value.cast(rng.pick(["f16", "bf16"])) : value.max(-128).min(127).cast("i8")),
    ])();
  });
}
