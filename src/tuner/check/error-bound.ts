// Bound on the difference between a result and the reference where rounding happens, by dtype, functions and reduction
// length, in units in the last place (ulp) of the type that is computed in.
//
// The bound is for a check on random inputs and is not a proof: errors of a sum are taken as its length in ulp of the
// largest result, which is what n roundings in any order make of terms with random signs, with √n to spare.

import {
  type ComputeDef,
  computeType,
  type DType,
  foldScalar,
  isFloat,
  type ScalarExpr,
  type Stage,
  type UnaryOp,
} from "../../compiler/index.ts";
import type { OutputBound } from "../../native/runner/protocol.ts";
import type { Computation } from "../data/computation.ts";

/** Error of a value: `ulps` of rounding, and whole steps where an inexact value was rounded to an integer. */
interface ErrorSize {
  readonly ulps: number;
  readonly steps: number;
}

const none: ErrorSize = { ulps: 0, steps: 0 };

/**
 * Error that a function adds (twice the 2 ulp that its polynomial is tested to), and the factor by which it magnifies
 * the error of its operand: |x · f'(x) / f(x)| for |x| ≤ 32.
 */
export const functionError: Readonly<Record<UnaryOp, { readonly own: number; readonly magnifies: number }>> = {
  neg: { own: 0, magnifies: 1 },
  not: { own: 0, magnifies: 1 },
  abs: { own: 0, magnifies: 1 },
  floor: { own: 0, magnifies: 1 },
  ceil: { own: 0, magnifies: 1 },
  round: { own: 0, magnifies: 1 },
  sqrt: { own: 1, magnifies: 1 },
  rsqrt: { own: 4, magnifies: 1 },
  exp: { own: 4, magnifies: 32 },
  log: { own: 4, magnifies: 32 },
  tanh: { own: 4, magnifies: 2 },
  erf: { own: 4, magnifies: 2 },
  sigmoid: { own: 4, magnifies: 32 },
};
export const powError = { own: 8, magnifies: 32 } as const;

/** Size of one ulp at 1. */
export const ulp: Readonly<Record<"f64" | "f32" | "f16" | "bf16", number>> = {
  f64: 2 ** -52,
  f32: 2 ** -23,
  f16: 2 ** -10,
  bf16: 2 ** -7,
};

type Roundings = Computation["roundings"];

/**
 * The bound of each output of an operator as it is written, in order, for inputs that make it round, where some of its sums
 * are computed otherwise: all that follows on these magnifies their error as it does that of a sum.
 */
export function roundingBounds(op: ComputeDef, roundings: Roundings): readonly OutputBound[] {
  const stages = new Map<string, ErrorSize>();
  for (const stage of op.stages) stages.set(stage.name, stageError(stage, stages, roundings));
  return op.outputs.map((name) => {
    const { dtype } = op.stages.find((stage) => stage.name === name)!;
    const { ulps, steps } = stages.get(name)!;
    return ulps === 0 && steps === 0
      ? { kind: "exact" }
      : { kind: "within", relative: ulps * unitOf(dtype), absolute: steps };
  });
}

/** Returns the ulp that errors of a type are counted in. Errors of integers came from f32. */
const unitOf = (dtype: DType): number => ulp[computeType(dtype) === "f64" ? "f64" : "f32"];

function stageError(
  { name, body, reduce, dtype }: Stage,
  stages: ReadonlyMap<string, ErrorSize>,
  roundings: Roundings,
): ErrorSize {
  const element = errorOf(body, stages);
  const length = reduce?.axes.reduce((product, { extent }) => product * extent, 1) ?? 1;
  const rounds = reduce && isFloat(dtype);
  if (rounds && reduce.reducer === "sum") return { ...element, ulps: element.ulps + (roundings.get(name) ?? length) };
  if (rounds && reduce.reducer === "prod") return { ...element, ulps: (element.ulps + 1) * length };
  return element;
}

const errorOf = (expr: ScalarExpr, stages: ReadonlyMap<string, ErrorSize>): ErrorSize =>
  foldScalar<ErrorSize>(expr, (node, of) => limited(nodeError(node, of, stages)));

/** Largest error that is counted, far beyond any useful bound: a long chain of functions would exceed all numbers. */
const mostUlps = 2 ** 60;

const limited = ({ ulps, steps }: ErrorSize): ErrorSize => ({
  ulps: Math.min(ulps, mostUlps),
  steps: Math.min(steps, mostUlps),
});

function nodeError(
  expr: ScalarExpr,
  of: (operand: ScalarExpr) => ErrorSize,
  stages: ReadonlyMap<string, ErrorSize>,
): ErrorSize {
  switch (expr.kind) {
    case "const":
    case "axis":
      return none;
    case "read":
      return stages.get(expr.tensor) ?? none;
    case "unary":
      return unaryError(expr.op, of(expr.operand));
    case "binary":
      return binaryError(expr, of(expr.left), of(expr.right));
    case "select":
      return larger(of(expr.then), of(expr.else));
    case "cast":
      return castError(expr.dtype, expr.operand.dtype, of(expr.operand));
  }
}

function unaryError(op: UnaryOp, operand: ErrorSize): ErrorSize {
  const { own, magnifies } = functionError[op];
  const toInteger = op === "floor" || op === "ceil" || op === "round";
  return { ulps: operand.ulps * magnifies + own, steps: operand.steps + (toInteger && operand.ulps > 0 ? 1 : 0) };
}

function binaryError(expr: Extract<ScalarExpr, { kind: "binary" }>, left: ErrorSize, right: ErrorSize): ErrorSize {
  if (!isFloat(expr.dtype)) return { ulps: left.ulps + right.ulps, steps: left.steps + right.steps };
  if (expr.op === "min" || expr.op === "max") return larger(left, right);
  const [own, magnifies] = expr.op === "pow" ? [powError.own, powError.magnifies] : [1, 1];
  return { ulps: (left.ulps + right.ulps) * magnifies + own, steps: left.steps + right.steps };
}

function castError(to: DType, from: DType, operand: ErrorSize): ErrorSize {
  if (to === "f16" || to === "bf16") return { ...operand, ulps: operand.ulps + ulp[to] / ulp.f32 };
  if (from === "f64" && to === "f32") return { ...operand, ulps: (operand.ulps * ulp.f64) / ulp.f32 + 1 };
  if (from === "f32" && to === "f64") return { ...operand, ulps: (operand.ulps * ulp.f32) / ulp.f64 };
  if (isFloat(from) && !isFloat(to)) return { ...operand, steps: operand.steps + (operand.ulps > 0 ? 1 : 0) };
  return operand;
}

const larger = (left: ErrorSize, right: ErrorSize): ErrorSize => ({
  ulps: Math.max(left.ulps, right.ulps),
  steps: Math.max(left.steps, right.steps),
});

/** Returns the largest relative error that checks allow in any output: the value of `info.errorBound`. 0 for integers. */
export const worstRelativeError = (op: ComputeDef, roundings: Roundings): number =>
  Math.max(...roundingBounds(op, roundings).map((bound) => (bound.kind === "exact" ? 0 : bound.relative)));
