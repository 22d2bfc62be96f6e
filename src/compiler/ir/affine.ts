// Linear forms of loop IR (`affine/linear-form.ts`), and the expression of a form. Equal forms give the same expression.
//
//   (i*4 + j)*8 + 3 - j   ↔   32·i + 7·j + 3

import type { Language, LinearForm, LinearTerm } from "../affine/language.ts";
import * as forms from "../affine/linear-form.ts";
import { wrapping } from "../affine/numbers.ts";
import { exprKey } from "./expr-key.ts";
import { isLargeExpr } from "./graph.ts";
import type { Const, Expr } from "./loop-ir.ts";

export type Affine = LinearForm<Expr>;
export type AffineTerm = LinearTerm<Expr>;
export type AtomForm = forms.AtomForm<Expr>;

/** Loop IR as the analysis of sums sees it. */
export const exprLanguage: Language<Expr> = {
  arithmetic(expr) {
    if (expr.kind === "const" || expr.kind === "select") return expr;
    return (expr.kind === "binary" || expr.kind === "unary") && expr.dtype === "i32" ? expr : null;
  },
  numbers: wrapping,
  isVariable: ({ kind }) => kind === "var",
  keyOf: exprKey,
  isLarge: isLargeExpr,
  productOf: (left, right) => times(fromAffine(left), fromAffine(right)),
};

/** Linear form of a scalar i32. */
export const toAffine = (expr: Expr, atomForm?: AtomForm): Affine => forms.linearForm(exprLanguage, expr, atomForm);

export const atomAffine = (atom: Expr): Affine => forms.formOfAtom(atom);
export const constantAffine = (constant: number): Affine => forms.formOfConstant(constant);

export const addConstant = ({ terms, constant }: Affine, value: number): Affine => ({
  terms,
  constant: (constant + value) | 0,
});

/** a + scale · b */
export const addAffine = (a: Affine, b: Affine, scale = 1): Affine => forms.addForms(exprLanguage, a, b, scale);
export const scaleAffine = (affine: Affine, scale: number): Affine => forms.scaleForm(exprLanguage, affine, scale);
export const termsKey = (terms: readonly AffineTerm[]): string => forms.termsKey(exprLanguage, terms);

/** The canonical expression: positive terms first, the constant last, or first if it alone is positive. */
export function fromAffine({ terms, constant }: Affine): Expr {
  const leads = constant > 0 && terms.length > 0 && terms.every(({ coefficient }) => coefficient < 0);
  let sum: Expr | null = leads ? int(constant) : null;
  for (const term of terms) if (term.coefficient > 0) sum = plus(sum, multiple(term));
  for (const term of terms) if (term.coefficient < 0) sum = sum ? minus(sum, multiple(negated(term))) : multiple(term);
  if (!sum) return int(constant);
  if (constant === 0 || leads) return sum;
  return constant > 0 || -constant === 2 ** 31 ? plus(sum, int(constant)) : minus(sum, int(-constant));
}

export const coefficientOf = ({ terms }: Affine, name: string): number =>
  terms.find(({ atom }) => atom.kind === "var" && atom.name === name)?.coefficient ?? 0;

/** The form without its term in the variable. */
export const withoutVar = ({ terms, constant }: Affine, name: string): Affine => ({
  terms: terms.filter(({ atom }) => atom.kind !== "var" || atom.name !== name),
  constant,
});

const int = (value: number): Const => ({ kind: "const", dtype: "i32", value });
const plus = (left: Expr | null, right: Expr): Expr =>
  left ? { kind: "binary", dtype: "i32", op: "add", left, right } : right;
const minus = (left: Expr, right: Expr): Expr => ({ kind: "binary", dtype: "i32", op: "sub", left, right });
const times = (left: Expr, right: Expr): Expr => ({ kind: "binary", dtype: "i32", op: "mul", left, right });
const multiple = ({ atom, coefficient }: AffineTerm): Expr =>
  coefficient === 1 ? atom : times(atom, int(coefficient));
const negated = ({ atom, coefficient }: AffineTerm): AffineTerm => ({ atom, coefficient: -coefficient });
