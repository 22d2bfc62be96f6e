// Convolution within groups of channels: the filters of a group see the channels of that group only.
//
// The channels are written as two dimensions, group and channel of the group: [N, H, W, groups, C / groups] ·
// [KH, KW, C / groups, groups, F / groups] → [N, OH, OW, groups, F / groups]. In memory that is NHWC · [KH, KW, C / groups, F]
// → NHWF, and no index is a quotient. Krizhevsky, Sutskever & Hinton 2012.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Conv2dParameters, conv2dKinds } from "./conv2d.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";
import { padded, tapAt, windowCount } from "./window.ts";

export interface GroupConv2dParameters extends Conv2dParameters {
  /** Number of groups, which divides C and F; default: 2. */
  readonly groups?: number;
}

const defaults = { N: 1, KH: 3, KW: 3, stride: 1, padding: 0, dilation: 1, groups: 2, dtype: "f32" as DType };

const kinds: ParameterKinds<GroupConv2dParameters> = { ...conv2dKinds, groups: "size?" };

/** @example export default groupConv2d({ H: 28, W: 28, C: 128, F: 128, groups: 32, padding: 1 }); */
export function groupConv2d(parameters: GroupConv2dParameters, epilogue: Epilogue = {}): Op {
  return defineOp(
    { ...defaults, ...checked("groupConv2d", kinds, parameters) },
    ({ N, H, W, C, F, KH, KW, groups, ...rest }) => {
      const { dtype, filterDtype = dtype, ...window } = rest;
      const image = tensor("image", [N, H, W, groups, C / groups], dtype);
      const filter = tensor("filter", [KH, KW, C / groups, groups, F / groups], filterDtype);
      const shape = [N, windowCount(H, KH, window), windowCount(W, KW, window), groups, F / groups] as const;
      const finish = epilogueOf(epilogue, { shape, dtype: sumType(dtype), channelDims: 2 });
      const ry = reduceAxis("ry", KH);
      const rx = reduceAxis("rx", KW);
      const rc = reduceAxis("rc", C / groups);
      return compute("out", shape, (n, y, x, g, f) => {
        const iy = tapAt(y, ry, window);
        const ix = tapAt(x, rx, window);
        const inside = [
          [iy, H],
          [ix, W],
        ] as const;
        const pixel = padded(window.padding, inside, () => image(n, iy, ix, g, rc), 0);
        return finish(sum(factor(pixel).mul(factor(filter(ry, rx, rc, g, f))), [ry, rx, rc]), [n, y, x, g, f]);
      });
    },
  );
}
