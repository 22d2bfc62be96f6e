// Maps by lot whose operands lie near the results, but not in their order, as in images, audio and meshes: channels apart from pixels or side
// by side, rows for columns, strides, mirrors, copies of neighbours, factors of a channel, and choices by the channel.

import { authoring, type DType, type Op } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { between } from "./drawing.ts";

const { cast, compute, defineOp, select, tensor } = authoring;
type Expr = authoring.Expr;
type Index = authoring.Expr<"i32">;

/** Small ones are run by interpreters; large ones are not run. */
type Size = "small" | "large";

interface Pixel {
  readonly at: readonly [y: Index, x: Index, c: Index | null];
  readonly extents: readonly [H: number, W: number, C: number];
}

/** Types that operands are kept in; results are computed as f32 or i32. */
const types: readonly DType[] = ["f32", "f32", "f32", "u8", "i16", "bf16"];

/** @returns a map of two or three axes, the last of which may have few elements, or a chain of two such maps */
export const drawMap = (rng: Rng, size: Size): Op => defineOp({}, () => mapStages(rng, size));

export function mapStages(rng: Rng, size: Size): authoring.Tensor {
  const [H, W] =
    size === "large"
      ? [between(rng, 20, 300), between(rng, 130, 700)]
      : [between(rng, 1, rng.pick([4, 20])), between(rng, 5, 90)];
  const C = rng.pick([1, 2, 3, 3, 3, 4, 5, 6]);
  const shape = C === 1 ? [H, W] : [H, W, C];
  const computed = rng.pick(["f32", "f32", "i32"] as const);
  const operands = between(rng, 1, 3);
  const first = map("S0", shape, (pixel) =>
    sumOf(rng, operands, (number) => drawRead(rng, `T${number}`, pixel, computed)),
  );
  if (rng.below(4) > 0) return first;
  return map("S1", shape, ({ at: [y, x, c] }) => {
    const same = c ? first(y, x, c) : first(y, x);
    return rng.below(2) === 0 ? same.max(0) : select(x.lt(between(rng, 1, W)), same, same.mul(2));
  });
}

function map(name: string, shape: readonly number[], element: (pixel: Pixel) => Expr): authoring.Tensor {
  const of = compute as (
    name: string,
    shape: readonly number[],
    element: (...at: readonly Index[]) => Expr,
  ) => authoring.Tensor;
  const [H, W, C = 1] = shape as [number, number, number?];
  return of(name, shape, (...[y, x, c]) => element({ at: [y!, x!, c ?? null], extents: [H, W, C] }));
}

/** Some reads, put together by sums, products and choices that keep integers small. */
const sumOf = (rng: Rng, count: number, read: (number: number) => Expr): Expr =>
  Array.from({ length: count }, (_, number) => read(number)).reduce((left, right) =>
    rng.pick([() => left.add(right), () => left.sub(right), () => left.mul(right), () => left.max(right)])(),
  );

/** One read of a tensor of its own, or several of them, in a way that users have. */
function drawRead(rng: Rng, name: string, { at, extents }: Pixel, computed: "f32" | "i32"): Expr {
  const [[y, x, c], [H, W, C]] = [at, extents];
  const stored = computed === "i32" ? rng.pick(["u8", "i8", "i16", "i32"] as const) : rng.pick(types);
  const of = (shape: readonly number[]) => {
    const operand = tensor(name, shape, stored);
    return (...indices: readonly Index[]): Expr => {
      const element = operand(...indices);
      return stored === computed ? element : cast(element as never, computed);
    };
  };
  const other = between(rng, 1, 6);
  const channel = c ?? y.mul(0);
  /** A number in place of the channel, or now and then another channel of the same pixel. */
  const anyChannel = (): Index =>
    c && rng.below(2) === 0 ? c.add(rng.below(C)).mod(C) : channel.mul(0).add(rng.below(other));
  return rng.pick([
    // Channels of a pixel side by side, and apart.
    () => {
      const image = of([H, W, Math.max(C, other)]);
      return image(y, x, channel).add(image(y, x, anyChannel().min(Math.max(C, other) - 1)));
    },
    () => of([Math.max(C, other), H, W])(channel, y, x),
    // Strides, with a beginning.
    () => {
      const [step, from] = [between(rng, 2, 4), rng.below(3)];
      return of([H, W * step + from, C])(y, x.mul(step).add(from), channel);
    },
    // Rows of the operand are columns of the result.
    () => of([W, H])(x, y),
    () => of([W, H, other])(x, y, channel.mul(0).add(rng.below(other))),
    // Mirrored.
    () => of([H, W, C])(y, x.mul(-1).add(W - 1), channel),
    () => of([H, W])(y, x.mul(-1).add(W - 1)),
    // Copies of neighbours, in both directions.
    () => {
      const times = between(rng, 2, 4);
      return of([H, Math.ceil(W / times), C])(y, x.floorDiv(times), channel);
    },
    // Factors of a channel, of a column, of a row, of pixels.
    () => of([C])(channel),
    () => of([W])(x),
    () => of([H])(y),
    () => of([H, W])(y, x),
    // A choice by the channel.
    () => {
      const image = of([H, W, Math.max(2, other)]);
      return select(channel.eq(rng.below(C)), image(y, x, channel.mul(0)), image(y, x, channel.mul(0).add(1)));
    },
  ])();
}
