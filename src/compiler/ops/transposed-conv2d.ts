// Transposed convolution, the gradient of conv2d by its image: NHWC · [KH, KW, C, F] → [N, OH, OW, F].
//
//   out[y] = Σ image[iy] · filter[ky] over stride·iy + ky = y + padding
//
// Written so, only one product in stride² is needed. For y + padding = stride·q + p only the taps ky = stride·t + p
// meet a pixel, iy = q - t. So one convolution for each of the stride² phases p computes exactly the products that are
// needed, at affine indices. Shi et al. 2016 (sub-pixel convolution). A second stage puts the phases side by side.

import { compute, type DType, defineOp, type Expr, type Op, reduceAxis, sum, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { factor, sumType } from "./accumulate.ts";
import { type Conv2dParameters, conv2dKinds } from "./conv2d.ts";
import { type Epilogue, epilogueOf } from "./epilogue.ts";
import { inside, type Position, padded } from "./window.ts";

export interface TransposedConv2dParameters extends Omit<Conv2dParameters, "dilation" | "stride" | "padding"> {
  /** Distance between the pixels of the image in the result; default: 2. */
  readonly stride?: number;
  /** Elements that are cut off the result on each side; default: 0. */
  readonly padding?: number;
  /** Elements that are added to the result at its end; default: 0. */
  readonly outputPadding?: number;
}

const { dilation: _, ...shared } = conv2dKinds;
const kinds: ParameterKinds<TransposedConv2dParameters> = { ...shared, outputPadding: "margin?" };

const defaults = { N: 1, KH: 3, KW: 3, stride: 2, padding: 0, outputPadding: 0, dtype: "f32" as DType };

/** @example export default transposedConv2d({ H: 28, W: 28, C: 64, F: 32, KH: 4, KW: 4, padding: 1 }); */
export function transposedConv2d(parameters: TransposedConv2dParameters, epilogue: Epilogue = {}): Op {
  const all = { ...defaults, ...checked("transposedConv2d", kinds, parameters) };
  return defineOp(all, ({ N, H, W, C, F, KH, KW, stride, padding, outputPadding, dtype, filterDtype = dtype }) => {
    const image = tensor("image", [N, H, W, C], dtype);
    const filter = tensor("filter", [KH, KW, C, F], filterDtype);
    const extent = (pixels: number, size: number): number => (pixels - 1) * stride - 2 * padding + size + outputPadding;
    const shape = [N, extent(H, KH), extent(W, KW), F] as const;
    const finish = epilogueOf(epilogue, { shape, dtype: sumType(dtype) });
    const first = Math.floor(padding / stride);
    const quotients = (count: number): number => Math.floor((count - 1 + padding) / stride) - first + 1;
    const ty = reduceAxis("ty", Math.ceil(KH / stride));
    const tx = reduceAxis("tx", Math.ceil(KW / stride));
    const rc = reduceAxis("rc", C);
    const inPhases = [N, stride, stride, quotients(shape[1]), quotients(shape[2]), F] as const;
    const phases = compute("phases", inPhases, (n, py, px, qy, qx, f) => {
      const [iy, ix] = [qy.sub(ty).add(first), qx.sub(tx).add(first)];
      const [ky, kx] = [ty.mul(stride).add(py), tx.mul(stride).add(px)];
      const pixel = inside(at(iy, H, ix, W), () => image(n, iy, ix, rc), 0);
      const isWhole = KH % stride === 0 && KW % stride === 0;
      const tap = padded(isWhole ? 0 : 1, at(ky, KH, kx, KW), () => filter(ky, kx, rc, f), 0);
      return sum(factor(pixel).mul(factor(tap)), [ty, tx, rc]);
    });
    return compute("out", shape, (n, y, x, f) => {
      const [row, column] = [y.add(padding), x.add(padding)];
      const [qy, qx] = [row.floorDiv(stride).sub(first), column.floorDiv(stride).sub(first)];
      return finish(phases(n, row.mod(stride), column.mod(stride), qy, qx, f), [n, y, x, f]);
    });
  });
}

const at = (y: Expr<"i32">, height: number, x: Expr<"i32">, width: number): readonly Position[] => [
  [y, height],
  [x, width],
];
