// Access of a short vector → whether one instruction may move it: neighbours in memory that begin at a multiple of their size.

import { toAffine } from "../../../ir/affine.ts";
import type { Expr, IrType } from "../../../ir/loop-ir.ts";
import { bytesOfElement, isMove } from "./elements.ts";

/** The first index of a run that is moved at once; null: it is none. */
export function alignedRun(index: Expr, dtype: IrType): Expr | null {
  if (index.kind !== "ramp" || index.stride !== 1 || index.base.kind === "ramp") return null;
  if (!isMove(index.lanes * bytesOfElement(dtype))) return null;
  return isMultiple(index.base, index.lanes) ? index.base : null;
}

/** Says whether a scalar index is a multiple of a number, whatever its variables are. */
export function isMultiple(index: Expr, of: number): boolean {
  const { terms, constant } = toAffine(index);
  return constant % of === 0 && terms.every(({ coefficient }) => coefficient % of === 0);
}
