// Operators that add up few terms, or take the greatest of few: coordinates of points, channels of pixels, small matrices, pools, blocks of an image.
// Their peers are the same loops in C and in JavaScript.

import { authoring, type Op } from "../../../../src/compiler/index.ts";
import { type SuiteName, type Work, worksOf } from "../work.ts";

const { compute, defineOp, max, reduceAxis, sum, tensor } = authoring;

const f32 = (name: string, ...shape: number[]) => tensor(name, shape, "f32");
const op = (body: () => authoring.Tensor): Op => defineOp({}, body);

const distances = (M: number, N: number): Op =>
  op(() => {
    const [from, to, k] = [f32("from", M, 3), f32("to", N, 3), reduceAxis("k", 3)];
    return compute("out", [M, N], (i, j) => {
      const step = from(i, k).sub(to(j, k));
      return sum(step.mul(step), k).sqrt();
    });
  });

const colors = (H: number, W: number): Op =>
  op(() => {
    const [image, matrix, d] = [f32("image", H, W, 3), f32("matrix", 3, 3), reduceAxis("d", 3)];
    return compute("out", [H, W, 3], (y, x, c) => sum(matrix(c, d).mul(image(y, x, d)), d));
  });

const moved = (N: number): Op =>
  op(() => {
    const [points, matrix, k] = [f32("points", N, 4), f32("matrix", 4, 4), reduceAxis("k", 4)];
    return compute("out", [N, 4], (i, r) => sum(matrix(r, k).mul(points(i, k)), k));
  });

const matrices = (N: number): Op =>
  op(() => {
    const [left, right, k] = [f32("left", N, 3, 3), f32("right", N, 3, 3), reduceAxis("k", 3)];
    return compute("out", [N, 3, 3], (n, i, j) => sum(left(n, i, k).mul(right(n, k, j)), k));
  });

const greatest = (N: number): Op =>
  op(() => {
    const [rows, k] = [f32("rows", N, 8), reduceAxis("k", 8)];
    return compute("out", [N], (i) => max(rows(i, k), k));
  });

const pool = (H: number, W: number, C: number): Op =>
  op(() => {
    const [image, a, b] = [f32("image", 2 * H, 2 * W, C), reduceAxis("a", 2), reduceAxis("b", 2)];
    return compute("out", [H, W, C], (y, x, c) => max(image(y.mul(2).add(a), x.mul(2).add(b), c), [a, b]));
  });

const cosines = (H: number, W: number): Op =>
  op(() => {
    const [image, basis, b] = [f32("image", H, W), f32("basis", 8, 8), reduceAxis("b", 8)];
    return compute("out", [H, W], (y, x) => {
      const first = x.floorDiv(8).mul(8);
      return sum(image(y, first.add(b)).mul(basis(x.mod(8), b)), b);
    });
  });

const channels = (C: number, H: number, W: number): Op =>
  op(() => {
    const [image, taps] = [f32("image", C, H + 2, W + 2), f32("taps", C, 3, 3)];
    const [a, b] = [reduceAxis("a", 3), reduceAxis("b", 3)];
    return compute("out", [C, H, W], (c, y, x) => sum(image(c, y.add(a), x.add(b)).mul(taps(c, a, b)), [a, b]));
  });

const work = worksOf("short");

const works: readonly Work[] = [
  work("distances of points 512×512", distances(512, 512), "distances-f32", 512, 512),
  work("colors by a matrix 256×256", colors(256, 256), "colors-f32", 256, 256),
  work("points by a matrix 20000", moved(20_000), "moved-f32", 20_000),
  work("products of 3×3 matrices 8192", matrices(8192), "matrices-f32", 8192),
  work("greatest of rows of 8 16384", greatest(16_384), "greatest-f32", 16_384),
  work("pool 2×2 56×56×32", pool(56, 56, 32), "pool-f32", 56, 56, 32),
  work("cosines of blocks of 8 256×256", cosines(256, 256), "cosines-f32", 256, 256),
  work("channels by 3×3 32×56×56", channels(32, 56, 56), "by-channel-f32", 32, 56, 56),
];

export const shortWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = { short: works };
