// Plans the check of an operator's candidates: which inputs, and how near their results must come to the reference's.

import type { ComputeDef, ScalarExpr } from "../../compiler/index.ts";
import type { OutputBound } from "../../native/runner/protocol.ts";
import type { Computation } from "../data/computation.ts";
import { roundingBounds } from "./error-bound.ts";
import { exactInputLimit, isExactOnAllShorts } from "./exactness.ts";
import { type InputValues, isShortInteger } from "./inputs.ts";

export interface CheckPlan {
  readonly values: InputValues;
  /** Bounds of the outputs, in order. */
  readonly bounds: readonly OutputBound[];
}

/**
 * Integers and equality where the operator computes them without rounding in every order; else fractions and a
 * bound. Fractions are of size length^(-1/4), length being the longest sum, so that sums of products stay near 1, where
 * exp neither overflows nor vanishes; operators with a root, a logarithm or a power get positive ones. Integers it is too
 * where only another way to compute the operator rounds them, then with its bound.
 *
 * @param computations all ways in which candidates may compute the operator: the bounds are wide enough for each of them
 */
export function checkPlan(op: ComputeDef, computations: readonly Computation[] = []): CheckPlan {
  const exact = computations.filter((it) => exactInputLimit([it.op]) !== null);
  const limit = exactInputLimit([op, ...exact.map((it) => it.op)]);
  const rounding = computations.filter((it) => limit === null || !exact.includes(it));
  const own = limit === null ? roundingBounds(op, new Map()) : op.outputs.map(() => exactly);
  const bounds = rounding.map(({ roundings }) => roundingBounds(op, roundings)).reduce(widest, own);
  if (limit !== null) {
    const hasShorts = op.inputs.some(({ dtype }) => isShortInteger(dtype));
    const areAll = hasShorts && rounding.length === 0 && isExactOnAllShorts([op, ...exact.map((it) => it.op)]);
    return { values: { kind: "integers", limit, ...(areAll && { shorts: "all" }) }, bounds };
  }
  const size = longestSum(op) ** -0.25;
  const from = op.stages.some(({ body }) => needsPositive(body)) ? size / 2 : -size;
  const values = { kind: "reals", from, to: size } as const;
  return {
    values,
    bounds: bounds.map((bound, at) => (isShort(op, op.outputs[at]!) ? aboutInputs(bound, size) : bound)),
  };
}

/**
 * Says whether an output has so few elements that all of them may be differences that nearly vanish, which keep the
 * rounding of their operands.
 */
const isShort = ({ stages }: ComputeDef, output: string): boolean =>
  stages.find(({ name }) => name === output)!.axes.reduce((elements, { extent }) => elements * extent, 1) < 4;

/** Widens a bound to errors that inputs of this size allow. */
const aboutInputs = (bound: OutputBound, size: number): OutputBound =>
  bound.kind === "exact" ? bound : { ...bound, absolute: bound.absolute + bound.relative * size };

const exactly: OutputBound = { kind: "exact" };

const widest = (bounds: readonly OutputBound[], others: readonly OutputBound[]): readonly OutputBound[] =>
  bounds.map((bound, at) => wider(bound, others[at]!));

function wider(a: OutputBound, b: OutputBound): OutputBound {
  if (a.kind === "exact") return b;
  if (b.kind === "exact") return a;
  const [relative, absolute] = [Math.max(a.relative, b.relative), Math.max(a.absolute, b.absolute)];
  return { kind: "within", relative, absolute };
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
