// Index arithmetic as a sum: expression → constant + Σ coefficient · atom. An atom is an axis, or any expression that is
// not a sum (floorDiv, mod, min, max, select, a read), told apart by its text.

import { fold } from "../support/graph.ts";
import { remembered } from "../support/remembered.ts";
import { children } from "./expr-visit.ts";
import type { ScalarExpr } from "./scalar-expr.ts";
import { keyOf } from "./scalar-key.ts";

export interface LinearForm {
  readonly constant: number;
  /** Coefficients and atoms, by the atom's text; coefficients are not 0. */
  readonly terms: ReadonlyMap<string, { readonly coefficient: number; readonly atom: ScalarExpr }>;
}

export const constantForm = (constant: number): LinearForm => ({ constant, terms: new Map() });

const atomForm = (atom: ScalarExpr): LinearForm => ({
  constant: 0,
  terms: new Map([[keyOf(atom), { coefficient: 1, atom }]]),
});

/** a + factor · b */
export function addForms(a: LinearForm, b: LinearForm, factor = 1): LinearForm {
  const terms = new Map(a.terms);
  for (const [text, { coefficient, atom }] of b.terms) {
    const total = (terms.get(text)?.coefficient ?? 0) + factor * coefficient;
    if (total === 0) terms.delete(text);
    else terms.set(text, { coefficient: total, atom });
  }
  return { constant: a.constant + factor * b.constant, terms };
}

/** Linear form of an expression. Only i32 arithmetic is followed: narrower types wrap too early to be sums. */
export const linearForm: (expr: ScalarExpr) => LinearForm = remembered((expr) =>
  fold<ScalarExpr, LinearForm>(expr, summands, formOf),
);

/** Operands of a sum. An atom has none here: its inside does not matter to the sum. */
const summands = (node: ScalarExpr): readonly ScalarExpr[] => (isArithmetic(node) ? children(node) : []);

const isArithmetic = ({ kind, dtype }: ScalarExpr): boolean =>
  dtype === "i32" && (kind === "const" || kind === "unary" || kind === "binary");

function formOf(expr: ScalarExpr, of: (operand: ScalarExpr) => LinearForm): LinearForm {
  if (!isArithmetic(expr)) return atomForm(expr);
  if (expr.kind === "const") return constantForm(expr.value);
  if (expr.kind === "unary" && expr.op === "neg") return addForms(constantForm(0), of(expr.operand), -1);
  if (expr.kind !== "binary") return atomForm(expr);
  const { op } = expr;
  if (op !== "add" && op !== "sub" && op !== "mul") return atomForm(expr);
  const [left, right] = [of(expr.left), of(expr.right)];
  if (op === "add") return addForms(left, right);
  if (op === "sub") return addForms(left, right, -1);
  if (right.terms.size === 0) return addForms(constantForm(0), left, right.constant);
  return left.terms.size === 0 ? addForms(constantForm(0), right, left.constant) : atomForm(expr);
}
