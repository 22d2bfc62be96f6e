// The mean of each window of an image, NHWC. Padding counts as zeros, and is counted.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";
import { type MaxPool2dParameters, pool2dKinds } from "./max-pool2d.ts";
import { padded, tapAt, windowCount } from "./window.ts";

export type AvgPool2dParameters = MaxPool2dParameters;

/** @example export default avgPool2d({ H: 56, W: 56, C: 64 }); */
export function avgPool2d(parameters: AvgPool2dParameters): Op {
  const defaults = { N: 1, size: 2, stride: 2, padding: 0, dtype: "f32" as DType };
  return defineOp(
    { ...defaults, ...checked("avgPool2d", pool2dKinds, parameters) },
    ({ N, H, W, C, size, stride, padding, dtype }) => {
      const image = tensor("image", [N, H, W, C], dtype);
      const ry = reduceAxis("ry", size);
      const rx = reduceAxis("rx", size);
      const window = { stride, padding, dilation: 1 };
      const shape = [N, windowCount(H, size, window), windowCount(W, size, window), C] as const;
      return compute("out", shape, (n, y, x, c) => {
        const iy = tapAt(y, ry, window);
        const ix = tapAt(x, rx, window);
        const inside = [
          [iy, H],
          [ix, W],
        ] as const;
        const pixel = padded(padding, inside, () => image(n, iy, ix, c), 0);
        return store(sum(pixel, [ry, rx]).div(size * size), dtype);
      });
    },
  );
}
