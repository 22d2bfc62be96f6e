// Operators whose operands do not lie as vectors want them, as users write them: images with channels first, strides, columns of one
// element, transposes, edges that are clamped or wrapped around, pixels of three channels. Each has vectors, and what is predicted for it computes the right numbers.

import { expect, test } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  authoring,
  fromCompute,
  generateWasm,
  instantiate,
  type LoopFunc,
  type Op,
  opLibrary,
  printTrace,
  replay,
  type TargetName,
  targets,
} from "../../../src/compiler/index.ts";
import { candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { rngOf } from "../../support/long.ts";
import { referenceOf, wrongNest, wrongWasm } from "../../support/reference.ts";

const { compute, defineOp, max, reduceAxis, sum, tensor } = authoring;

/** Convolution of an image, channels first, with 3×3 taps. */
const channelsFirst = (stride: number, isDepthwise = false): Op =>
  defineOp({ C: 8, F: 6, H: 5, W: 19 }, ({ C, F, H, W }) => {
    const image = tensor("image", [C, stride * H + 2, stride * W + 2], "f32");
    const [c, ky, kx] = [reduceAxis("c", C), reduceAxis("ky", 3), reduceAxis("kx", 3)];
    if (isDepthwise) {
      const filter = tensor("filter", [C, 3, 3], "f32");
      return compute("out", [C, H, W], (f, y, x) =>
        sum(image(f, y.mul(stride).add(ky), x.mul(stride).add(kx)).mul(filter(f, ky, kx)), [ky, kx]),
      );
    }
    const filter = tensor("filter", [F, C, 3, 3], "f32");
    return compute("out", [F, H, W], (f, y, x) =>
      sum(image(c, y.mul(stride).add(ky), x.mul(stride).add(kx)).mul(filter(f, c, ky, kx)), [c, ky, kx]),
    );
  });

/** Channels last in the image, first in the result. */
const channelsMoved = defineOp({ C: 8, F: 6, H: 5, W: 19 }, ({ C, F, H, W }) => {
  const image = tensor("image", [H + 2, W + 2, C], "f32");
  const filter = tensor("filter", [F, C, 3, 3], "f32");
  const [c, ky, kx] = [reduceAxis("c", C), reduceAxis("ky", 3), reduceAxis("kx", 3)];
  return compute("out", [F, H, W], (f, y, x) =>
    sum(image(y.add(ky), x.add(kx), c).mul(filter(f, c, ky, kx)), [c, ky, kx]),
  );
});

const pool = defineOp({ C: 3, H: 6, W: 21 }, ({ C, H, W }) => {
  const image = tensor("image", [C, 2 * H, 2 * W], "f32");
  const [ky, kx] = [reduceAxis("ky", 2), reduceAxis("kx", 2)];
  return compute("out", [C, H, W], (c, y, x) => max(image(c, y.mul(2).add(ky), x.mul(2).add(kx)), [ky, kx]));
});

/** A · x, where x is a column of a matrix. */
const column = defineOp({ M: 40, K: 70 }, ({ M, K }) => {
  const [A, x] = [tensor("A", [M, K], "f32"), tensor("x", [K, 1], "f32")];
  const k = reduceAxis("k", K);
  return compute("y", [M], (i) => sum(A(i, k).mul(x(k, 0)), k));
});

/** Rows of one matrix by rows of another, with an axis of one element behind them. */
const unitBehind = defineOp({ M: 20, N: 24, K: 33 }, ({ M, N, K }) => {
  const [A, B] = [tensor("A", [M, 1, K], "f32"), tensor("B", [N, K], "f32")];
  const k = reduceAxis("k", K);
  return compute("C", [M, N, 1], (i, j, u) => sum(A(i, u, k).mul(B(j, k)), k));
});

/** An image of one row, padded above and below it: the row is read at other places than 0. */
const paddedRow = opLibrary.conv2d({ H: 1, W: 17, C: 1, F: 1, KH: 3, KW: 3, padding: 1 });

const transposed = defineOp({ M: 37, N: 50 }, ({ M, N }) => {
  const A = tensor("A", [M, N], "f32");
  return compute("out", [N, M], (i, j) => A(j, i));
});

const channelsLast = defineOp({ C: 9, H: 7, W: 18 }, ({ C, H, W }) => {
  const image = tensor("image", [C, H, W], "f32");
  return compute("out", [H, W, C], (y, x, c) => image(c, y, x).mul(2));
});

/** A filter that sees the last pixel of an image again behind its edge. */
const clamped = defineOp({ H: 9, W: 70, R: 2 }, ({ H, W, R }) => {
  const [image, filter] = [tensor("image", [H, W], "f32"), tensor("filter", [2 * R + 1, 2 * R + 1], "f32")];
  const [ky, kx] = [reduceAxis("ky", 2 * R + 1), reduceAxis("kx", 2 * R + 1)];
  const at = (index: authoring.Expr<"i32">, tap: authoring.Expr<"i32">, extent: number) =>
    index
      .add(tap)
      .sub(R)
      .max(0)
      .min(extent - 1);
  return compute("out", [H, W], (y, x) => sum(image(at(y, ky, H), at(x, kx, W)).mul(filter(ky, kx)), [ky, kx]));
});

/** A step of the heat equation on a torus. */
const torus = defineOp({ H: 12, W: 70 }, ({ H, W }) => {
  const heat = tensor("heat", [H, W], "f32");
  return compute("out", [H, W], (y, x) => {
    const [up, down] = [heat(y.add(H - 1).mod(H), x), heat(y.add(1).mod(H), x)];
    const [left, right] = [heat(y, x.add(W - 1).mod(W)), heat(y, x.add(1).mod(W))];
    return heat(y, x).add(up).add(down).add(left).add(right).max(0);
  });
});

/** Means of planes, whose axes are summed over in another order than that in which they lie. */
const planes = defineOp({ C: 5, H: 6, W: 40 }, ({ C, H, W }) => {
  const image = tensor("image", [C, H, W], "f32");
  const [y, x] = [reduceAxis("y", H), reduceAxis("x", W)];
  return compute("out", [C], (c) => sum(image(c, y, x), [x, y]));
});

/** A gray image, whose pixels have one channel. */
const gray = defineOp({ H: 9, W: 40 }, ({ H, W }) => {
  const image = tensor("image", [H, W, 1], "f32");
  return compute("out", [H, W, 1], (y, x, c) => image(y, x, c).mul(2).max(1));
});

/** Pixels of three channels, each treated alike, beside the mean of them all. */
const pixels = defineOp({ H: 9, W: 20 }, ({ H, W }) => {
  const image = tensor("image", [H, W, 3], "f32");
  const [y, x, c] = [reduceAxis("y", H), reduceAxis("x", W), reduceAxis("c", 3)];
  const total = compute("total", [1], () => sum(image(y, x, c), [y, x, c]));
  return compute("out", [H, W, 3], (i, j, k) => image(i, j, k).mul(2).sub(total(0)));
});

/** A transpose that another map is computed with. */
const transposedBefore = defineOp({ M: 20, N: 33 }, ({ M, N }) => {
  const A = tensor("A", [M, N], "f32");
  const turned = compute("turned", [N, M], (i, j) => A(j, i));
  return compute("out", [N, M], (i, j) => turned(i, j).mul(2).max(0));
});

/** Samples, each three times, as a map before that of pixels. */
const samplesAgain = defineOp({ W: 40 }, ({ W }) => {
  const samples = tensor("samples", [W], "i16");
  const again = compute("again", [2, W, 3], (_y, x, _c) => samples(x).cast("f32"));
  return compute("out", [2, W, 3], (y, x, c) => again(y, x, c).max(0));
});

const cases: readonly (readonly [title: string, op: Op, template: string, copy: RegExp | null])[] = [
  ["conv2d, channels first, stride 1", channelsFirst(1), "out tiled", null],
  [
    "conv2d, channels first, stride 2: even and odd columns side by side",
    channelsFirst(2),
    "out tiled",
    /^cache-read image .* layout \[0\] \[1\] \[2%2\] \[2\/2\]$/m,
  ],
  ["depthwiseConv2d, channels first, stride 2", channelsFirst(2, true), "sums written out: out in vectors", null],
  ["conv2d from channels last to first", channelsMoved, "out tiled", /^cache-read image .* layout \[0\] \[2\] \[1\]$/m],
  ["maxPool2d, channels first, stride 2", pool, "sums written out: out in vectors", null],
  ["a matrix by a column", column, "without unit axes: y: vectors over k, rows of i together", null],
  ["gemm, one column", opLibrary.gemm({ M: 40, N: 1, K: 70 }), "without unit axes: C: vectors over k", null],
  ["an axis of one element behind a product", unitBehind, "without unit axes: C", null],
  ["a transpose", transposed, "out in squares of i", null],
  ["a transpose before another map", transposedBefore, "out in squares of i", null],
  [
    "samples for each of three channels, before another map",
    samplesAgain,
    "flat maps: out in vectors of picked lanes",
    null,
  ],
  ["a filter with clamped edges", clamped, "sums written out: out in vectors away from its edges", null],
  ["neighbours on a torus", torus, "out in vectors away from its edges", null],
  ["sums of planes, across", planes, "out: vectors over x, row by row", null],
  ["pixels of one channel", gray, "merged axes: ", null],
  ["pixels of three channels", pixels, "merged axes: ", null],
  ["channels first to last", channelsLast, "out in squares of x", null],
];

const targetNames = ["avx2", "avx512", "wasm"] as const;

/** What is predicted. */
function predicted(op: Op, name: TargetName) {
  const def = instantiate(op, {}, "op");
  const space = generateSpace({ op: def, target: targets[name], numerics: "fast", threads: 1 });
  const found = predict(space)!;
  const template = space.templates.find((it) => it.name === found.template)!;
  const trace = candidateTrace(space, found)!;
  const result = replay(fromCompute(template.op), trace);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  const flat = lower(result.nest, { target: targets[name], numerics: "fast" });
  return { def, template: found.template, text: printTrace(trace), flat };
}

test.each(cases)("%s", (_, op, wanted, copy) => {
  for (const name of targetNames) {
    const { def, template, text, flat } = predicted(op, name);
    expect(template, name).toContain(wanted);
    expect(text, name).toMatch(/^vectorize /m);
    if (copy) expect(text, name).toMatch(copy);
    expect(wrong(def, flat, name), `${name}\n${text}`).toBeNull();
  }
});

function wrong(def: ReturnType<typeof instantiate>, flat: LoopFunc, name: TargetName): string | null {
  const reference = referenceOf(def, rngOf("turned operands"));
  return name === "wasm" ? wrongWasm(reference, generateWasm(flat, { relaxed: false })) : wrongNest(reference, flat);
}

test("an axis that is read at other places than 0 stays, though it has one element", () => {
  const { def, flat, text } = predicted(paddedRow, "wasm");
  expect(wrong(def, flat, "wasm"), text).toBeNull();
});
