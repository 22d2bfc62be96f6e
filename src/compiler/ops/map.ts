// An element-wise map: y[i] = f(x0[i], x1[i], …).

import { compute, type DType, defineOp, type Expr, type Op, tensor } from "../expr/authoring.ts";
import { checked, type ParameterKinds } from "../expr/library-arguments.ts";
import { store } from "./epilogue.ts";

export interface MapParameters {
  /** Number of elements. */
  readonly N: number;
  /** Type of the operands and of the result; default: "f32". */
  readonly dtype?: DType;
}

const kinds: ParameterKinds<MapParameters> = { N: "size", dtype: "dtype?" };

/**
 * The operands are named `x0`, `x1`, …: as many as `element` has parameters.
 *
 * @example export default map({ N: 4096 }, (a, b) => max(a.add(b), 0));
 */
export function map(parameters: MapParameters, element: (...operands: Expr[]) => Expr): Op {
  return defineOp({ dtype: "f32", ...checked("map", kinds, parameters) }, ({ N, dtype }) => {
    const operands = Array.from({ length: element.length }, (_, at) => tensor(`x${at}`, [N], dtype));
    return compute("y", [N], (i) => store(element(...operands.map((operand) => operand(i))), dtype));
  });
}
