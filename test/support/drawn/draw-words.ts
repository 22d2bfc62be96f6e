// Arithmetic on bytes by lot, as filters, mixes and conversions of images and sound have it: written in i32, of which the results keep 8 or 16
// bits. Much of it fits 16 bits throughout, some of it does not, and some wraps.

import { authoring, type DType, type Op } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { between } from "./drawing.ts";

const { cast, compute, defineOp, max, min, reduceAxis, select, sum, tensor } = authoring;
type Word = authoring.Expr<"i32">;

/** Small ones are run by interpreters; large ones are not run. */
type Size = "small" | "large";

export const drawWords = (rng: Rng, size: Size): Op => defineOp({}, () => wordStages(rng, size));

/** A stage of rows of pixels or of their sums, and what is made of it and of more pixels. */
export function wordStages(rng: Rng, size: Size): authoring.Tensor {
  const [rows, columns] = size === "large" ? [between(rng, 16, 300), between(rng, 64, 900)] : [2, between(rng, 3, 41)];
  const window = between(rng, 1, 3);
  const images: authoring.Tensor[] = [];
  const newImage = (): authoring.Tensor => {
    const stored = rng.pick<DType>(["u8", "u8", "u8", "i8", "i16"]);
    const image = tensor(`X${images.length}`, [rows + window - 1, columns + window - 1], stored);
    images.push(image);
    return image;
  };
  const read = (y: Word, x: Word): Word => {
    const image = images.length === 0 || rng.below(images.length + 1) === 0 ? newImage() : rng.pick(images);
    return cast(image(y, x) as never, "i32") as Word;
  };
  const pixel = (y: Word, x: Word): Word => read(y.add(rng.below(window)), x.add(rng.below(window)));
  const [dy, dx] = [reduceAxis("dy", window), reduceAxis("dx", window)];
  const reduce = rng.pick([null, null, sum, max, min]);
  const first = compute("S", [rows, columns], (y, x) => {
    if (!reduce) return drawWord(rng, () => pixel(y, x), between(rng, 1, 4)) as never;
    return reduce(drawWord(rng, () => read(y.add(dy), x.add(dx)), between(rng, 0, 2)) as never, [dy, dx]) as never;
  });
  const narrow = rng.pick<DType>(["u8", "u8", "i8", "i16"]);
  return compute("Z", [rows, columns], (y, x) => {
    let leaves = 0;
    const leaf = (): Word => (leaves++ === 0 || rng.below(3) > 0 ? (first(y, x) as Word) : pixel(y, x));
    if (rng.below(6) === 0) return select(drawCondition(rng, leaf), cast(255, "u8"), cast(0, "u8")) as never;
    return cast(drawWord(rng, leaf, between(rng, 1, 4)), narrow) as never;
  });
}

function drawWord(rng: Rng, leaf: () => Word, depth: number): Word {
  if (depth === 0) return leaf();
  const word = (): Word => drawWord(rng, leaf, depth - 1);
  return rng.pick<() => Word>([
    () => word().add(word()),
    () => word().add(constant(rng)),
    () => word().sub(word()),
    () => word().mul(constant(rng)),
    () => word().mul(leaf()),
    () => mixed(word(), word(), leaf()),
    () => word().neg(),
    () => word().abs(),
    () => word().max(0).min(255),
    () => word().min(word()),
    () => word().max(word()),
    () => word().floorDiv(rng.pick([2, 3, 4, 9, 16, 100, 255, 256])),
    () => word().mod(rng.pick([2, 10, 16, 256])),
    () => select(drawCondition(rng, word), word(), word()) as Word,
    () => cast(cast(word(), rng.pick(["u8", "i8", "i16"] as const)), "i32") as Word,
  ])();
}

const constant = (rng: Rng): number => rng.pick([1, 2, 3, 5, 29, 77, 127, 128, 150, 255, 256, 300, -1, -4, 40000]);

/** A mix of two by a third: (a · m + b · (255 − m) + 127) div 255. */
const mixed = (a: Word, b: Word, m: Word): Word =>
  a
    .mul(m)
    .add(b.mul(m.neg().add(255)))
    .add(127)
    .floorDiv(255);

function drawCondition(rng: Rng, word: () => Word): authoring.Expr<"bool"> {
  const compare = (): authoring.Expr<"bool"> =>
    rng.pick([authoring.lt, authoring.le, authoring.gt, authoring.ge, authoring.eq, authoring.ne])(
      word(),
      word(),
    ) as never;
  return rng.below(3) === 0 ? compare().and(compare()) : compare();
}
