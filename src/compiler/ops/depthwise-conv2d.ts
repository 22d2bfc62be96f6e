// Convolution of each channel with a filter of its own, NHWC · [KH, KW, C] → NHWC.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Conv2dParameters, conv2dKinds } from "./conv2d.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";
import { padded, tapAt, windowCount } from "./window.ts";

/** Parameters of conv2d without `F`: the result has the channels of the image. */
export type DepthwiseConv2dParameters = Omit<Conv2dParameters, "F">;

const { F: _, ...kinds } = conv2dKinds;

const defaults = { N: 1, KH: 3, KW: 3, stride: 1, padding: 0, dilation: 1, dtype: "f32" as DType };

/** @example export default depthwiseConv2d({ H: 112, W: 112, C: 32, padding: 1 }); */
export function depthwiseConv2d(parameters: DepthwiseConv2dParameters, epilogue: Epilogue = {}): Op {
  return defineOp(
    { ...defaults, ...checked("depthwiseConv2d", kinds, parameters) },
    ({ N, H, W, C, KH, KW, dtype, filterDtype = dtype, ...window }) => {
      const image = tensor("image", [N, H, W, C], dtype);
      const filter = tensor("filter", [KH, KW, C], filterDtype);
      const shape = [N, windowCount(H, KH, window), windowCount(W, KW, window), C] as const;
      const finish = epilogueOf(epilogue, { shape, dtype: sumType(dtype) });
      const ry = reduceAxis("ry", KH);
      const rx = reduceAxis("rx", KW);
      return compute("out", shape, (n, y, x, c) => {
        const iy = tapAt(y, ry, window);
        const ix = tapAt(x, rx, window);
        const inside = [
          [iy, H],
          [ix, W],
        ] as const;
        const pixel = padded(window.padding, inside, () => image(n, iy, ix, c), 0);
        return finish(sum(factor(pixel).mul(factor(filter(ry, rx, c))), [ry, rx]), [n, y, x, c]);
      });
    },
  );
}
