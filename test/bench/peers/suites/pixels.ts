// Operators whose operands lie near the results in another order, as users write them: channels of pixels side by side and apart, samples of
// stereo sound, complex numbers, vectors of three, mirrored and enlarged images. Their peers are the same loops in C and in JavaScript.

import { authoring, type Op } from "../../../../src/compiler/index.ts";
import { type SuiteName, type Work, worksOf } from "../work.ts";

const { cast, compute, defineOp, select, tensor } = authoring;

const f32 = (name: string, ...shape: number[]) => tensor(name, shape, "f32");
const op = (body: () => authoring.Tensor): Op => defineOp({}, body);

const planes = (H: number, W: number): Op =>
  op(() => {
    const [image, mean, factor] = [tensor("image", [H, W, 3], "u8"), f32("mean", 3), f32("factor", 3)];
    return compute("out", [3, H, W], (c, y, x) =>
      cast(image(y, x, c), "f32")
        .sub(mean(c))
        .mul(factor(c)),
    );
  });

const channels = (H: number, W: number): Op =>
  op(() => {
    const [image, mean, factor] = [f32("image", H, W, 3), f32("mean", 3), f32("factor", 3)];
    return compute("out", [H, W, 3], (y, x, c) => image(y, x, c).sub(mean(c)).mul(factor(c)));
  });

const pixels = (H: number, W: number): Op =>
  op(() => {
    const image = f32("image", 3, H, W);
    return compute("out", [H, W, 3], (y, x, c) => image(c, y, x).max(0).min(1));
  });

const twice = (C: number, H: number, W: number): Op =>
  op(() => {
    const [small, large] = [f32("small", C, H, W), f32("large", C, 2 * H, 2 * W)];
    return compute("out", [C, 2 * H, 2 * W], (c, y, x) => small(c, y.floorDiv(2), x.floorDiv(2)).add(large(c, y, x)));
  });

const mono = (N: number): Op =>
  op(() => {
    const sound = f32("sound", N, 2);
    return compute("out", [N], (i) => sound(i, 0).add(sound(i, 1)).mul(0.5));
  });

const magnitudes = (N: number): Op =>
  op(() => {
    const numbers = f32("numbers", N, 2);
    return compute("out", [N], (i) =>
      numbers(i, 0)
        .mul(numbers(i, 0))
        .add(numbers(i, 1).mul(numbers(i, 1)))
        .sqrt(),
    );
  });

const complexProduct = (N: number): Op =>
  op(() => {
    const [left, right] = [f32("left", N, 2), f32("right", N, 2)];
    return compute("out", [N, 2], (i, c) => {
      const [re, im] = [left(i, 0), left(i, 1)];
      const [re2, im2] = [right(i, 0), right(i, 1)];
      return select(c.eq(0), re.mul(re2).sub(im.mul(im2)), re.mul(im2).add(im.mul(re2)));
    });
  });

const mirror = (H: number, W: number): Op =>
  op(() => {
    const image = f32("image", H, W, 3);
    return compute("out", [H, W, 3], (y, x, c) => image(y, x.mul(-1).add(W - 1), c).mul(0.5));
  });

const yuv = (H: number, W: number): Op =>
  op(() => {
    const bytes = (name: string, ...shape: number[]) => tensor(name, shape, "u8");
    const [bright, blue, red] = [bytes("bright", H, W), bytes("blue", H / 2, W / 2), bytes("red", H / 2, W / 2)];
    return compute("out", [H, W, 3], (y, x, c) => {
      const color = (of: typeof blue) => cast(of(y.floorDiv(2), x.floorDiv(2)), "f32").sub(128);
      const [l, u, v] = [cast(bright(y, x), "f32"), color(blue), color(red)];
      const green = l.sub(u.mul(0.344)).sub(v.mul(0.714));
      return select(c.eq(0), l.add(v.mul(1.402)), select(c.eq(1), green, l.add(u.mul(1.772))));
    });
  });

const over = (N: number): Op =>
  op(() => {
    const [front, back] = [f32("front", N, 4), f32("back", N, 4)];
    return compute("out", [N, 4], (i, c) => front(i, c).add(back(i, c).mul(front(i, 3).neg().add(1))));
  });

const cross = (N: number): Op =>
  op(() => {
    const [left, right] = [f32("left", N, 3), f32("right", N, 3)];
    return compute("out", [N, 3], (i, c) => {
      const [next, other] = [c.add(1).mod(3), c.add(2).mod(3)];
      return left(i, next)
        .mul(right(i, other))
        .sub(left(i, other).mul(right(i, next)));
    });
  });

const directions = (N: number): Op =>
  op(() => {
    const vectors = f32("vectors", N, 3);
    const square = (i: authoring.Expr<"i32">, axis: number) => vectors(i, axis).mul(vectors(i, axis));
    return compute("out", [N, 3], (i, c) =>
      vectors(i, c).div(square(i, 0).add(square(i, 1)).add(square(i, 2)).add(1).sqrt()),
    );
  });

const work = worksOf("pixels");

const works: readonly Work[] = [
  work("bytes of pixels to planes 224×224", planes(224, 224), "planes-u8", 224, 224),
  work("factors of channels 512×512", channels(512, 512), "channels-f32", 512, 512),
  work("planes to pixels 224×224", pixels(224, 224), "pixels-f32", 224, 224),
  work("enlarged and added 32×56×56", twice(32, 56, 56), "twice-f32", 32, 56, 56),
  work("stereo to mono 48000", mono(48_000), "mono-f32", 48_000),
  work("magnitudes 65536", magnitudes(65_536), "magnitudes-f32", 65_536),
  work("complex product 65536", complexProduct(65_536), "complex-product-f32", 65_536),
  work("mirror 256×256", mirror(256, 256), "mirror-f32", 256, 256),
  work("YUV to RGB 256×256", yuv(256, 256), "yuv-u8", 256, 256),
  work("RGBA over RGBA 65536", over(65_536), "over-f32", 65_536, 4),
  work("cross products 20000", cross(20_000), "cross-f32", 20_000),
  work("directions 20000", directions(20_000), "directions-f32", 20_000),
];

export const pixelWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = { pixels: works };
