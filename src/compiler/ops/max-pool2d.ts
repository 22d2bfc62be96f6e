// The largest value of each window of an image, NHWC. Padding counts as minus infinity.

import { compute, type DType, defineOp, max, type Op, reduceAxis, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";
import { padded, tapAt, windowCount } from "./window.ts";

export interface MaxPool2dParameters {
  /** Number of images; default: 1. */
  readonly N?: number;
  readonly H: number;
  readonly W: number;
  readonly C: number;
  /** Height and width of a window; default: 2. */
  readonly size?: number;
  /** Distance between two windows, in pixels; default: 2. */
  readonly stride?: number;
  /** Pixels around the image on each side; default: 0. */
  readonly padding?: number;
  /** Type of the elements, a float type; default: "f32". */
  readonly dtype?: DType;
}

export const pool2dKinds: ParameterKinds<MaxPool2dParameters> = {
  N: "size?",
  H: "size",
  W: "size",
  C: "size",
  size: "size?",
  stride: "size?",
  padding: "margin?",
  dtype: "dtype?",
};

/** @example export default maxPool2d({ H: 112, W: 112, C: 64, size: 3, padding: 1 }); */
export function maxPool2d(parameters: MaxPool2dParameters): Op {
  const defaults = { N: 1, size: 2, stride: 2, padding: 0, dtype: "f32" };
  return defineOp(
    { ...defaults, ...checked("maxPool2d", pool2dKinds, parameters) },
    ({ N, H, W, C, size, stride, padding, dtype }) => {
      const image = tensor("image", [N, H, W, C], dtype);
      const ry = reduceAxis("ry", size);
      const rx = reduceAxis("rx", size);
      const window = { stride, padding, dilation: 1 };
      const shape = [N, windowCount(H, size, window), windowCount(W, size, window), C] as const;
      return compute("out", shape, (n, y, x, c) => {
        const iy = tapAt(y, ry, window);
        const ix = tapAt(x, rx, window);
        const pixel = padded(
          padding,
          [
            [iy, H],
            [ix, W],
          ],
          () => image(n, iy, ix, c),
          Number.NEGATIVE_INFINITY,
        );
        return store(max(pixel, [ry, rx]), dtype);
      });
    },
  );
}
