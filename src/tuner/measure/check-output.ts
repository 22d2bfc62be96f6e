// How an operator's candidates are checked: which inputs, and how near their results must come to the reference's.

import type { ComputeDef, ScalarExpr } from "../../compiler/index.ts";
import type { OutputBound } from "../../native/runner/protocol.ts";
import { roundingBounds } from "./error-bound.ts";
import { exactInputLimit } from "./exactness.ts";
import type { InputValues } from "./inputs.ts";

export interface CheckPlan {
  readonly values: InputValues;
  /** One an output, in order. */
  readonly bounds: readonly OutputBound[];
}

/**
 * Integers and equality where the operator computes them without rounding, in whatever order; else fractions and a
 * bound. Fractions are of size length^(-1/4), length being the longest sum, so that sums of products stay near 1, where
 * exp neither overflows nor vanishes; operators with a root, a logarithm or a power get positive ones.
 *
 * @param algorithms all definitions by which candidates may compute the operator: the inputs are exact in, and the bounds
 *   wide enough for, each of them
 */
export function checkPlan(op: ComputeDef, algorithms: readonly ComputeDef[] = [op]): CheckPlan {
  const limit = exactInputLimit(algorithms);
  if (limit !== null) return { values: { kind: "integers", limit }, bounds: op.outputs.map(() => ({ kind: "exact" })) };
  const size = longestSum(op) ** -0.25;
  const from = op.stages.some(({ body }) => needsPositive(body)) ? size / 2 : -size;
  return { values: { kind: "reals", from, to: size }, bounds: roundingBounds(algorithms) };
}

const longestSum = ({ stages }: ComputeDef): number =>
  Math.max(
    ...stages.map(({ reduce }) =>
      reduce?.reducer === "sum" ? reduce.axes.reduce((product, { extent }) => product * extent, 1) : 1,
    ),
  );

const positiveOps: readonly string[] = ["sqrt", "rsqrt", "log", "pow"];

function needsPositive(expr: ScalarExpr): boolean {
  switch (expr.kind) {
    case "const":
    case "axis":
    case "read":
      return false;
    case "unary":
      return positiveOps.includes(expr.op) || needsPositive(expr.operand);
    case "binary":
      return positiveOps.includes(expr.op) || needsPositive(expr.left) || needsPositive(expr.right);
    case "select":
      return [expr.condition, expr.then, expr.else].some(needsPositive);
    case "cast":
      return needsPositive(expr.operand);
  }
}
