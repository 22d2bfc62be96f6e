// Integers whose values follow from the ranges of what they are made of → these values: limits that nothing reaches, as those of a cast to
// bytes behind the author's own, remainders of smaller numbers, and choices that are always the same.
//
//   u8(min(max(min(max(i32(X[i]) - 16, 0), 219), 0), 255))    →    u8(min(max(i32(X[i]) - 16, 0), 219))

import { type BinaryExpr, type ComputeDef, isInteger, remembered, type ScalarExpr } from "../../../compiler/index.ts";
import { rewriteElements, type ValuesOf } from "./element-values.ts";

/** The operator with these values; itself where there are none. Indices stay as they are. */
export const withKnownValues = remembered(
  (op: ComputeDef): ComputeDef =>
    rewriteElements(op, (node, valuesOf, become) => {
      const known = knownValue(node, valuesOf);
      return known && (known.kind === "const" ? known : become(known));
    }),
);

/** Returns the constant that the node is, or the operand. Null: it depends. */
function knownValue(node: ScalarExpr, valuesOf: ValuesOf): ScalarExpr | null {
  if (node.kind === "select") {
    const holds = decided(node.condition, valuesOf);
    return holds === null ? null : holds ? node.then : node.else;
  }
  if (!isInteger(node.dtype)) return null;
  const { min, max } = valuesOf(node);
  if (min === max) return { kind: "const", value: min, dtype: node.dtype, loc: node.loc };
  if (node.kind === "unary") return node.op === "abs" && valuesOf(node.operand).min >= 0 ? node.operand : null;
  return node.kind === "binary" ? sameAsOperand(node, valuesOf) : null;
}

function sameAsOperand({ op, left, right }: BinaryExpr, valuesOf: ValuesOf): ScalarExpr | null {
  const [a, b] = [valuesOf(left), valuesOf(right)];
  if (op === "min") return a.max <= b.min ? left : b.max <= a.min ? right : null;
  if (op === "max") return a.min >= b.max ? left : b.min >= a.max ? right : null;
  return op === "mod" && a.min >= 0 && a.max < b.min ? left : null;
}

/** Returns what a comparison of integers always is. Null: that depends. */
function decided(condition: ScalarExpr, valuesOf: ValuesOf): boolean | null {
  if (condition.kind !== "binary" || !isInteger(condition.left.dtype)) return null;
  const [a, b] = [valuesOf(condition.left), valuesOf(condition.right)];
  switch (condition.op) {
    case "lt":
      return a.max < b.min ? true : a.min >= b.max ? false : null;
    case "le":
      return a.max <= b.min ? true : a.min > b.max ? false : null;
    case "gt":
      return a.min > b.max ? true : a.max <= b.min ? false : null;
    case "ge":
      return a.min >= b.max ? true : a.max < b.min ? false : null;
    default:
      return null;
  }
}
