// Convolution of images, NHWC · [KH, KW, C, F] → NHWF, with stride, padding and dilation.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Epilogue, finish, store } from "./epilogue.ts";
import { padded, windowCount } from "./window.ts";

export interface Conv2dParameters {
  /** Number of images, 1 unless said. */
  readonly N?: number;
  readonly H: number;
  readonly W: number;
  /** Channels of the image. */
  readonly C: number;
  /** Filters: channels of the result. */
  readonly F: number;
  /** Height and width of a filter, 3 unless said. */
  readonly KH?: number;
  readonly KW?: number;
  /** 1 unless said. */
  readonly stride?: number;
  /** Zeros around the image on each side, 0 unless said. */
  readonly padding?: number;
  /** Distance between the taps of a filter, 1 unless said. */
  readonly dilation?: number;
  /** Type of image and filter; the result has the same, i32 for integers. "f32" unless said. */
  readonly dtype?: DType;
}

const defaults = { N: 1, KH: 3, KW: 3, stride: 1, padding: 0, dilation: 1, dtype: "f32" };

/** @example export default conv2d({ H: 56, W: 56, C: 64, F: 64, padding: 1 }, { bias: true, activation: "relu" }); */
export function conv2d(parameters: Conv2dParameters, epilogue: Epilogue = {}): Op {
  return defineOp({ ...defaults, ...parameters }, ({ N, H, W, C, F, KH, KW, stride, padding, dilation, dtype }) => {
    const image = tensor("image", [N, H, W, C], dtype);
    const filter = tensor("filter", [KH, KW, C, F], dtype);
    const bias = epilogue.bias ? tensor("bias", [F], sumType(dtype)) : null;
    const ry = reduceAxis("ry", KH);
    const rx = reduceAxis("rx", KW);
    const rc = reduceAxis("rc", C);
    const OH = windowCount(H, KH, { stride, padding, dilation });
    const OW = windowCount(W, KW, { stride, padding, dilation });
    return compute("out", [N, OH, OW, F], (n, y, x, f) => {
      const iy = y.mul(stride).add(ry.mul(dilation)).sub(padding);
      const ix = x.mul(stride).add(rx.mul(dilation)).sub(padding);
      const pixel = padded(
        padding,
        [
          [iy, H],
          [ix, W],
        ],
        () => image(n, iy, ix, rc),
        0,
      );
      const product = sum(factor(pixel).mul(factor(filter(ry, rx, rc, f))), [ry, rx, rc]);
      return store(finish(product, epilogue, bias?.(f)), sumType(dtype));
    });
  });
}
