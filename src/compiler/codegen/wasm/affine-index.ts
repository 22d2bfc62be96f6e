// Index expression → constant + Σ coefficient · term, modulo 2^32. A term is a loop variable or anything that is not
// affine. Wrapping i32 arithmetic makes the decomposition exact.
//
//   (i + 2) * 8 + mod(j, 3)   →   16 + 8·i + 1·mod(j, 3)

import type { Expr } from "../../ir/loop-ir.ts";
import { exprKey } from "./expr-key.ts";

export interface Term {
  readonly coefficient: number;
  readonly expr: Expr;
}

export interface Affine {
  readonly constant: number;
  /** By the canonical text of their expressions. */
  readonly terms: ReadonlyMap<string, Term>;
}

/** The range of a loop variable, 0 ≤ v < extent. */
export type ExtentOf = (variable: string) => number;

export const constantAffine = (constant: number): Affine => ({ constant, terms: new Map() });

export function affineOf(expr: Expr, extentOf: ExtentOf): Affine {
  if (expr.kind === "const") return constantAffine(expr.value);
  if (expr.kind === "var" && extentOf(expr.name) === 1) return constantAffine(0);
  if (expr.kind === "binary") {
    const { op, left, right } = expr;
    if (op === "add") return add(affineOf(left, extentOf), affineOf(right, extentOf));
    if (op === "sub") return add(affineOf(left, extentOf), scale(affineOf(right, extentOf), -1));
    if (op === "mul" && right.kind === "const") return scale(affineOf(left, extentOf), right.value);
    if (op === "mul" && left.kind === "const") return scale(affineOf(right, extentOf), left.value);
  }
  if (expr.kind === "unary" && expr.op === "neg") return scale(affineOf(expr.operand, extentOf), -1);
  return { constant: 0, terms: new Map([[exprKey(expr), { coefficient: 1, expr }]]) };
}

export function add(a: Affine, b: Affine): Affine {
  const terms = new Map(a.terms);
  for (const [key, { coefficient, expr }] of b.terms) {
    const sum = ((terms.get(key)?.coefficient ?? 0) + coefficient) | 0;
    if (sum === 0) terms.delete(key);
    else terms.set(key, { coefficient: sum, expr });
  }
  return { constant: a.constant + b.constant, terms };
}

export function scale({ constant, terms }: Affine, factor: number): Affine {
  if (factor === 0) return constantAffine(0);
  const scaled = [...terms].map(([key, { coefficient, expr }]): [string, Term] => [
    key,
    { coefficient: Math.imul(coefficient, factor), expr },
  ]);
  return { constant: constant * factor, terms: new Map(scaled) };
}

/** The terms that `keep` chooses, without the constant. */
export function pick({ terms }: Affine, keep: (expr: Expr) => boolean): Affine {
  return { constant: 0, terms: new Map([...terms].filter(([, { expr }]) => keep(expr))) };
}

export const withConstant = ({ terms }: Affine, constant: number): Affine => ({ constant, terms });

/** Equal for equal affine forms. */
export function affineKey({ constant, terms }: Affine): string {
  const parts = [...terms].map(([key, { coefficient }]) => `${coefficient}*${key}`).sort();
  return `${constant}+${parts.join("+")}`;
}
