// Chains of stencils by lot, as filters of images have them: each map reads windows of the one before, or of two of them.

import { authoring, type DType, type Op } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { between } from "./drawing.ts";

const { cast, compute, defineOp, tensor } = authoring;
type Expr = authoring.Expr;
type Index = authoring.Expr<"i32">;

/** Small ones are run by interpreters; large ones are not run. */
type Size = "small" | "large";

export const drawStencil = (rng: Rng, size: Size): Op => defineOp({}, () => stencilStages(rng, size));

interface Plane {
  readonly read: (indices: readonly Index[]) => Expr;
  readonly shape: readonly number[];
}

/** A result of rows and columns, now and then with images before them or channels behind. */
export function stencilStages(rng: Rng, size: Size): authoring.Tensor {
  const isLarge = size === "large";
  const [rows, columns] = isLarge
    ? [between(rng, 30, 600), between(rng, 60, 900)]
    : [between(rng, 1, 9), between(rng, 3, 40)];
  const form = rng.pick(["plane", "plane", "images", "channels"] as const);
  const around = form === "images" ? [between(rng, 1, 3)] : [];
  const behind = form === "channels" ? [between(rng, 1, 5)] : [];
  const computed = rng.pick(["f32", "i32"] as const);
  const stages = between(rng, 2, 4);
  /** What all stages together add to the image on the way from the result back. */
  const [tall, wide] = [between(rng, 0, 3), between(rng, 0, 2)];
  const shapeOf = (left: number): readonly number[] => [
    ...around,
    rows + tall * left,
    columns + wide * left,
    ...behind,
  ];
  const stored: DType = computed === "f32" ? "f32" : rng.pick(["u8", "i16", "i32"] as const);
  const image = tensor("X", shapeOf(stages), stored);
  const row = around.length;
  let planes: readonly Plane[] = [
    {
      shape: shapeOf(stages),
      read: (indices) => (stored === computed ? image(...indices) : cast(image(...indices) as never, computed)),
    },
  ];
  let last = image as authoring.Tensor;
  for (let left = stages - 1; left >= 0; left--) {
    const shape = shapeOf(left);
    // Two stages of one shape now and then, both of which the next one reads.
    const count = left > 0 && rng.below(4) === 0 ? 2 : 1;
    const before = planes;
    planes = Array.from({ length: count }, (_, at): Plane => {
      const name = left === 0 ? "Y" : `S${left}${at}`;
      const stage = compute(name, shape, (...indices: Index[]) => {
        const taps = before.flatMap(({ read, shape: source }) =>
          Array.from({ length: between(rng, 1, 4) }, (_, tap) => {
            const reach = (dim: number): number => (tap === 0 ? 0 : rng.below(source[dim]! - shape[dim]! + 1));
            const place = indices.map((index, dim) => (dim === row || dim === row + 1 ? index.add(reach(dim)) : index));
            return read(place).mul(between(rng, -3, 5));
          }),
        );
        const [first, ...others] = taps;
        const joined = (total: Expr, tap: Expr): Expr =>
          (rng.below(5) === 0 ? total.max(tap as never) : total.add(tap as never)) as Expr;
        const sum = others.reduce(joined, first!);
        return (rng.below(4) === 0 ? sum.abs() : sum) as never;
      });
      last = stage as authoring.Tensor;
      return { shape, read: (indices) => stage(...indices) };
    });
  }
  return last;
}
