// Linear forms of the user's index arithmetic (`affine/linear-form.ts`). An atom is an axis, or any expression that is not a
// sum (floorDiv, mod, min, max, select, a read).

import type { Language, LinearForm } from "../affine/language.ts";
import * as forms from "../affine/linear-form.ts";
import { exact } from "../affine/numbers.ts";
import { isLarge } from "../support/graph.ts";
import { remembered } from "../support/remembered.ts";
import { children } from "./expr-visit.ts";
import type { ScalarExpr } from "./scalar-expr.ts";
import { keyOf } from "./scalar-key.ts";

export type IndexForm = LinearForm<ScalarExpr>;

const keysOf = remembered((expr: ScalarExpr) => ({ text: keyOf(expr) }));

/** The user's expressions as the analysis of sums sees them. Only i32 arithmetic is followed: narrower types wrap too early to be sums. */
export const scalarLanguage: Language<ScalarExpr> = {
  arithmetic(node) {
    if (node.kind === "const" || node.kind === "select") return node;
    return (node.kind === "binary" || node.kind === "unary") && node.dtype === "i32" ? node : null;
  },
  numbers: exact,
  isVariable: ({ kind }) => kind === "axis",
  keyOf: (node) => keysOf(node).text,
  isLarge: (node) => isLarge(node, children),
  productOf: (_left, _right, product) => product,
};

/** Linear form of an expression. */
export const indexForm: (expr: ScalarExpr) => IndexForm = remembered((expr) => forms.linearForm(scalarLanguage, expr));

/** a - b */
export const subtractForms = (a: IndexForm, b: IndexForm): IndexForm => forms.addForms(scalarLanguage, a, b, -1);
