// Convolution of volumes, NDHWC · [KD, KH, KW, C, F] → NDHWF, with stride, padding and dilation.

import { compute, type DType, defineOp, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Conv2dParameters, conv2dKinds } from "./conv2d.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";
import { padded, tapAt, windowCount } from "./window.ts";

export interface Conv3dParameters extends Conv2dParameters {
  /** Depth of a volume. */
  readonly D: number;
  /** Depth of a filter; default: 3. */
  readonly KD?: number;
}

const defaults = { N: 1, KD: 3, KH: 3, KW: 3, stride: 1, padding: 0, dilation: 1, dtype: "f32" as DType };

const kinds: ParameterKinds<Conv3dParameters> = { ...conv2dKinds, D: "size", KD: "size?" };

/** @example export default conv3d({ D: 16, H: 28, W: 28, C: 32, F: 64, padding: 1 }); */
export function conv3d(parameters: Conv3dParameters, epilogue: Epilogue = {}): Op {
  return defineOp(
    { ...defaults, ...checked("conv3d", kinds, parameters) },
    ({ N, D, H, W, C, F, KD, KH, KW, ...rest }) => {
      const { dtype, filterDtype = dtype, ...window } = rest;
      const volume = tensor("volume", [N, D, H, W, C], dtype);
      const filter = tensor("filter", [KD, KH, KW, C, F], filterDtype);
      const counts = [windowCount(D, KD, window), windowCount(H, KH, window), windowCount(W, KW, window)] as const;
      const shape = [N, ...counts, F] as const;
      const finish = epilogueOf(epilogue, { shape, dtype: sumType(dtype) });
      const rz = reduceAxis("rz", KD);
      const ry = reduceAxis("ry", KH);
      const rx = reduceAxis("rx", KW);
      const rc = reduceAxis("rc", C);
      return compute("out", shape, (n, z, y, x, f) => {
        const iz = tapAt(z, rz, window);
        const iy = tapAt(y, ry, window);
        const ix = tapAt(x, rx, window);
        const inside = [
          [iz, D],
          [iy, H],
          [ix, W],
        ] as const;
        const voxel = padded(window.padding, inside, () => volume(n, iz, iy, ix, rc), 0);
        const product = factor(voxel).mul(factor(filter(rz, ry, rx, rc, f)));
        return finish(sum(product, [rz, ry, rx, rc]), [n, z, y, x, f]);
      });
    },
  );
}
