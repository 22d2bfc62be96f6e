// Convolution of images, NHWC · [KH, KW, C, F] → NHWF, with stride, padding and dilation.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";
import { padded, tapAt, windowCount } from "./window.ts";

export interface Conv2dParameters {
  /** Number of images; default: 1. */
  readonly N?: number;
  readonly H: number;
  readonly W: number;
  /** Channels of the image. */
  readonly C: number;
  /** Number of filters: channels of the result. */
  readonly F: number;
  /** Height of a filter, and (`KW`) its width; default: 3. */
  readonly KH?: number;
  readonly KW?: number;
  /** Distance between two windows, in pixels of the image; default: 1. */
  readonly stride?: number;
  /** Zeros around the image on each side; default: 0. */
  readonly padding?: number;
  /** Distance between the taps of a filter; default: 1. */
  readonly dilation?: number;
  /** Type of image and filter; default: "f32". The result has the same type, or i32 for integers. */
  readonly dtype?: DType;
  /** Type of the filter where it is another: `dtype: "u8", filterDtype: "i8"`. */
  readonly filterDtype?: DType;
}

const defaults = { N: 1, KH: 3, KW: 3, stride: 1, padding: 0, dilation: 1, dtype: "f32" as DType };

export const conv2dKinds: ParameterKinds<Conv2dParameters> = {
  N: "size?",
  H: "size",
  W: "size",
  C: "size",
  F: "size",
  KH: "size?",
  KW: "size?",
  stride: "size?",
  padding: "margin?",
  dilation: "size?",
  dtype: "dtype?",
  filterDtype: "dtype?",
};

/** @example export default conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }, { bias: true, activation: "relu" }); */
export function conv2d(parameters: Conv2dParameters, epilogue: Epilogue = {}): Op {
  return defineOp(
    { ...defaults, ...checked("conv2d", conv2dKinds, parameters) },
    ({ N, H, W, C, F, KH, KW, dtype, filterDtype = dtype, ...window }) => {
      const image = tensor("image", [N, H, W, C], dtype);
      const filter = tensor("filter", [KH, KW, C, F], filterDtype);
      const shape = [N, windowCount(H, KH, window), windowCount(W, KW, window), F] as const;
      const finish = epilogueOf(epilogue, { shape, dtype: sumType(dtype) });
      const ry = reduceAxis("ry", KH);
      const rx = reduceAxis("rx", KW);
      const rc = reduceAxis("rc", C);
      return compute("out", shape, (n, y, x, f) => {
        const iy = tapAt(y, ry, window);
        const ix = tapAt(x, rx, window);
        const inside = [
          [iy, H],
          [ix, W],
        ] as const;
        const pixel = padded(window.padding, inside, () => image(n, iy, ix, rc), 0);
        return finish(sum(factor(pixel).mul(factor(filter(ry, rx, rc, f))), [ry, rx, rc]), [n, y, x, f]);
      });
    },
  );
}
