// Operators whose operands lie otherwise than vectors go, as users write them: images with channels first, as ONNX and PyTorch have them,
// strides, products with one column, transposes, filters that see the edge of an image again behind it. Shapes of layers are those of the
// first ones of networks.

import { authoring, type Op, opLibrary } from "../../../../src/compiler/index.ts";
import type { SuiteName, Work } from "../work.ts";

const { compute, defineOp, max, reduceAxis, select, sum, tensor } = authoring;
type Index = authoring.Expr<"i32">;

/** Height and width of the image, channels, filters, height and width of a filter, stride. */
type Layer = readonly [H: number, C: number, F: number, taps: number, stride: number];

/** One image of [C, H, H], with zeros around it; the filter is [F, C, taps, taps], or [C, 1, taps, taps], a filter for each channel. */
function convolution([H, C, F, taps, stride]: Layer, isDepthwise: boolean): Op {
  const padding = (taps - 1) / 2;
  const size = Math.floor((H + 2 * padding - taps) / stride) + 1;
  return defineOp({}, () => {
    const image = tensor("image", [C, H, H], "f32");
    const filter = tensor("filter", isDepthwise ? [C, 1, taps, taps] : [F, C, taps, taps], "f32");
    const [c, ky, kx] = [reduceAxis("c", C), reduceAxis("ky", taps), reduceAxis("kx", taps)];
    const isInside = (at: Index) => at.ge(0).and(at.lt(H));
    const element = (channel: Index, y: Index, x: Index) => {
      const [iy, ix] = [y.mul(stride).add(ky).sub(padding), x.mul(stride).add(kx).sub(padding)];
      const read = image(channel, iy, ix);
      return padding > 0 ? select(isInside(iy).and(isInside(ix)), read, 0) : read;
    };
    return compute("out", [F, size, size], (f, y, x) =>
      isDepthwise
        ? sum(element(f, y, x).mul(filter(f, 0, ky, kx)), [ky, kx])
        : sum(element(c, y, x).mul(filter(f, c, ky, kx)), [c, ky, kx]),
    );
  });
}

const windowName = ([H, , , taps, stride]: Layer): string =>
  `${taps}×${taps}${stride > 1 ? `/${stride}` : ""} ${H}×${H}`;

const convolutions: readonly Layer[] = [
  [56, 64, 64, 3, 1],
  [56, 64, 128, 3, 2],
  [56, 256, 128, 1, 2],
  [28, 128, 128, 3, 1],
];

const depthwise: readonly Layer[] = [
  [56, 128, 128, 3, 1],
  [56, 128, 128, 3, 2],
];

const pool = (H: number, C: number): Op =>
  defineOp({}, () => {
    const image = tensor("image", [C, H, H], "f32");
    const [ky, kx] = [reduceAxis("ky", 2), reduceAxis("kx", 2)];
    return compute("out", [C, H / 2, H / 2], (c, y, x) => max(image(c, y.mul(2).add(ky), x.mul(2).add(kx)), [ky, kx]));
  });

const transposed = (M: number, N: number): Op =>
  defineOp({}, () => {
    const A = tensor("A", [M, N], "f32");
    return compute("out", [N, M], (i, j) => A(j, i).max(0));
  });

const clampedFilter = (H: number, W: number, taps: number): Op =>
  defineOp({}, () => {
    const image = tensor("image", [H, W], "f32");
    const filter = tensor("filter", [taps, taps], "f32");
    const [ky, kx] = [reduceAxis("ky", taps), reduceAxis("kx", taps)];
    const at = (index: Index, tap: Index, extent: number): Index =>
      index
        .add(tap)
        .sub((taps - 1) / 2)
        .max(0)
        .min(extent - 1);
    return compute("out", [H, W], (y, x) => sum(image(at(y, ky, H), at(x, kx, W)).mul(filter(ky, kx)), [ky, kx]));
  });

const suite: SuiteName = "layouts";

const layouts: readonly Work[] = [
  ...convolutions.map(
    (layer): Work => ({
      suite,
      name: `conv ${windowName(layer)} ${layer[1]}→${layer[2]}`,
      op: convolution(layer, false),
      constants: ["filter"],
      call: { name: "conv2d-first-f32", extents: [...layer, (layer[3] - 1) / 2] },
    }),
  ),
  ...depthwise.map(
    (layer): Work => ({
      suite,
      name: `depthwise ${windowName(layer)} ${layer[1]}`,
      op: convolution(layer, true),
      constants: ["filter"],
      call: { name: "depthwise-first-f32", extents: [...layer, (layer[3] - 1) / 2] },
    }),
  ),
  {
    suite,
    name: "max pool 2×2/2 112×112 64",
    op: pool(112, 64),
    call: { name: "max-pool-first-f32", extents: [112, 64, 2, 2] },
  },
  ...[512, 1000, 1024].map(
    (size): Work => ({
      suite,
      name: `transpose, relu ${size}×${size}`,
      op: transposed(size, size),
      call: { name: "transpose-relu-f32", extents: [size, size] },
    }),
  ),
  ...[3, 7].map(
    (taps): Work => ({
      suite,
      name: `filter ${taps}×${taps}, clamped, 480×640`,
      op: clampedFilter(480, 640, taps),
      constants: ["filter"],
      call: { name: "clamped-filter-f32", extents: [480, 640, taps] },
    }),
  ),
  {
    suite,
    name: "1024×1×1024",
    op: opLibrary.gemm({ M: 1024, N: 1, K: 1024 }),
    call: { name: "gemm-f32", extents: [1024, 1, 1024] },
  },
];

export const layoutWorks: Readonly<Partial<Record<SuiteName, readonly Work[]>>> = { layouts };
