// The table of expansions: which operators are expanded, by what, and how far results may be from the exact value.

import { expandedUnaryOps, type UnaryOp } from "../../expr/scalar-expr.ts";
import { div, unary } from "../../ir/build.ts";
import type { Expr, IrBinaryOp } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { erfF32 } from "./erf.ts";
import { erfF64 } from "./erf-f64.ts";
import { expF32, expF64 } from "./exp.ts";
import { logF32, logF64 } from "./log.ts";
import { powF32 } from "./pow.ts";
import { powF64 } from "./pow-f64.ts";
import { sigmoid } from "./sigmoid.ts";
import { tanh } from "./tanh.ts";
import { type FloatType, float, type Terms } from "./terms.ts";

type Expansion = (type: FloatType, x: Expr, terms: Terms) => Expr;

/** Largest error in units of the last place of the result's type, with or without fused multiply-adds; subnormals included. */
export const maxUlp: Readonly<Record<FloatType, number>> = { f32: 2, f64: 4 };

export const expandedUnary = expandedUnaryOps;
type ExpandedUnary = (typeof expandedUnary)[number];

const expansions: Readonly<Record<ExpandedUnary, Expansion>> = {
  exp: (type, x, terms) => (type === "f32" ? expF32(x, terms) : expF64(x, terms)),
  log: (type, x, terms) => (type === "f32" ? logF32(x, terms) : logF64(x, terms)),
  rsqrt: (type, x, terms) => div(float(type, 1, terms), unary("sqrt", x)),
  tanh,
  erf: (type, x, terms) => (type === "f32" ? erfF32(x, terms) : erfF64(x, terms)),
  sigmoid,
};

export const isExpandedUnary = (op: UnaryOp): op is ExpandedUnary => Object.hasOwn(expansions, op);
export const isExpandedBinary = (op: IrBinaryOp): op is "pow" => op === "pow";

export function expandUnary(op: UnaryOp, type: FloatType, x: Expr, terms: Terms): Expr {
  invariant(isExpandedUnary(op) && (type === "f32" || type === "f64"), `no expansion of ${op} for ${type}`);
  return expansions[op](type, x, terms);
}

export function expandBinary(op: string, type: FloatType, x: Expr, y: Expr, terms: Terms): Expr {
  invariant(op === "pow" && (type === "f32" || type === "f64"), `no expansion of ${op} for ${type}`);
  return type === "f32" ? powF32(x, y, terms) : powF64(x, y, terms);
}
