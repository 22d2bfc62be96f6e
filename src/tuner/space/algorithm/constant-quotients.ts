// Quotients and remainders of i32 by a constant, of values that are known to be small → a product and a shift, which have
// instructions in all vectors.
//
//   floorDiv(x, 255), 0 ≤ x ≤ 65152        →    floorDiv(x * 32897, 2^23)
//   floorDiv(x, 10), -128 ≤ x ≤ 127        →    floorDiv((x + 130) * 205, 2^11) - 13
//
// After Granlund and Montgomery, "Division by Invariant Integers using Multiplication" (PLDI 1994).

import {
  binaryOf,
  type ComputeDef,
  type Interval,
  integerOf,
  integerRange,
  remembered,
  type ScalarExpr,
} from "../../../compiler/index.ts";
import { rewriteElements } from "./element-values.ts";

/** The operator with these quotients; itself where there are none. */
export const withProductQuotients = remembered(
  (op: ComputeDef): ComputeDef =>
    rewriteElements(op, (node, valuesOf, become) => {
      if (node.kind !== "binary" || node.dtype !== "i32" || (node.op !== "floorDiv" && node.op !== "mod")) return null;
      const { left, right } = node;
      const form = right.kind === "const" ? quotientForm(valuesOf(left), right.value) : null;
      if (!form) return null;
      const quotient = quotientOf(become(left), form);
      return node.op === "floorDiv" ? quotient : binaryOf("sub", become(left), binaryOf("mul", quotient, right));
    }),
);

/** ⌊x / divisor⌋ = ⌊(x + added · divisor) · factor / 2^shift⌋ - added */
interface QuotientForm {
  readonly divisor: number;
  readonly added: number;
  readonly factor: number;
  readonly shift: number;
}

/** Most that a product may be. */
const [, most] = integerRange.i32;

/** The form of the fewest bits. Null: none has products that are i32, or the division is a shift itself. */
function quotientForm({ min, max }: Interval, divisor: number): QuotientForm | null {
  if (divisor <= 0 || Number.isInteger(Math.log2(divisor))) return null;
  const added = Math.max(0, Math.ceil(-min / divisor));
  const largest = max + added * divisor;
  for (let shift = 0; 2 ** shift <= most; shift++) {
    const factor = Math.ceil(2 ** shift / divisor);
    if (largest * factor > most) return null;
    // The factor is too large by (factor · divisor - 2^shift) / divisor: no value may feel it.
    if (largest * (factor * divisor - 2 ** shift) < 2 ** shift) return { divisor, added, factor, shift };
  }
  return null;
}

function quotientOf(value: ScalarExpr, { divisor, added, factor, shift }: QuotientForm): ScalarExpr {
  const raised = added > 0 ? binaryOf("add", value, integerOf(added * divisor)) : value;
  const quotient = binaryOf("floorDiv", binaryOf("mul", raised, integerOf(factor)), integerOf(2 ** shift));
  return added > 0 ? binaryOf("sub", quotient, integerOf(added)) : quotient;
}
