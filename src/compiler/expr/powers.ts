// Powers with small whole exponents as products, by squaring: what a * a is to a². The language means these products, each
// rounded, so the reference and every kernel agree on them, and they cost what they look like. The general pow rounds once.

import type { SourceLoc } from "../support/source-loc.ts";
import type { DType } from "./dtype.ts";
import type { ScalarExpr } from "./scalar-expr.ts";

/** Three squarings, 4 units in the last place at most; 8 with the reciprocal of a negative exponent. */
const mostFactors = 8;

/** Product for a power; null: the exponent is no constant, no whole number, 0 (then not even a NaN is looked at) or large. */
export function powerProduct(base: ScalarExpr, exponent: ScalarExpr, loc: SourceLoc | null): ScalarExpr | null {
  if (exponent.kind !== "const") return null;
  const { value } = exponent;
  if (!Number.isInteger(value) || value === 0 || Math.abs(value) > mostFactors) return null;
  const { dtype } = base;
  return value > 0 ? product(base, value, loc) : product(reciprocal(base, dtype, loc), -value, loc);
}

const reciprocal = (base: ScalarExpr, dtype: DType, loc: SourceLoc | null): ScalarExpr => ({
  kind: "binary",
  op: "div",
  left: { kind: "const", value: 1, dtype, loc },
  right: base,
  dtype,
  loc,
});

/** x⁷ = (x · x²) · x⁴ */
function product(base: ScalarExpr, count: number, loc: SourceLoc | null): ScalarExpr {
  const times = (left: ScalarExpr, right: ScalarExpr): ScalarExpr => ({
    kind: "binary",
    op: "mul",
    left,
    right,
    dtype: base.dtype,
    loc,
  });
  let [found, square]: [ScalarExpr | null, ScalarExpr] = [null, base];
  for (let left = count; left > 0; left >>= 1) {
    if (left & 1) found = found ? times(found, square) : square;
    if (left > 1) square = times(square, square);
  }
  return found!;
}
