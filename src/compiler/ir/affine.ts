// i32 expression ↔ linear form: a sum of coefficient · atom, plus a constant. Atoms are variables and all expressions that are not
// linear (a floorDiv, a mod, a load). Equal sums have equal forms, and equal forms give the same expression.
//
//   (i*4 + j)*8 + 3 - j   ↔   32·i + 7·j + 3

import { foldOnce } from "../support/graph.ts";
import { exprKey } from "./expr-key.ts";
import { isLargeExpr } from "./graph.ts";
import type { Const, Expr } from "./loop-ir.ts";

export interface AffineTerm {
  readonly atom: Expr;
  /** Factor of the atom, never 0. */
  readonly coefficient: number;
}

export interface Affine {
  /** Each atom once: the largest coefficient (by size) first, then by the atom's key. */
  readonly terms: readonly AffineTerm[];
  readonly constant: number;
}

/** Returns the affine form of an expression that is no sum, difference or multiple; null: it is an atom. */
export type AtomForm = (expr: Expr) => Affine | null;

/** A form that is being added up: a list, for it has few terms. */
interface Sum {
  readonly terms: Addend[];
  constant: number;
}

interface Addend {
  readonly atom: Expr;
  readonly key: string;
  coefficient: number;
}

const noForm: AtomForm = () => null;

/** Linear form of a scalar i32. Coefficients and the constant wrap as i32 does, so the form has the value of the expression. */
export function toAffine(expr: Expr, atomForm: AtomForm = noForm): Affine {
  if (expr.kind === "const") return constantAffine(expr.value);
  if (expr.kind === "var") return atomForm(expr) ?? atomAffine(expr);
  if (isLargeExpr(expr)) return foldOnce<Expr, Affine>(expr, summands, (node, of) => formOf(node, of, atomForm));
  const sum: Sum = { terms: [], constant: 0 };
  addExpr(sum, expr, 1, atomForm);
  return fromSum(sum);
}

/** The operands of sums, differences and products; what is inside of an atom is no part of the form. */
function summands(expr: Expr): readonly Expr[] {
  if (expr.kind === "unary") return expr.op === "neg" ? [expr.operand] : [];
  const isLinear = expr.kind === "binary" && (expr.op === "add" || expr.op === "sub" || expr.op === "mul");
  return isLinear ? [expr.left, expr.right] : [];
}

/** The form of a node from those of its operands: what `addExpr` does on the way down. */
function formOf(expr: Expr, of: (operand: Expr) => Affine, atomForm: AtomForm): Affine {
  if (expr.kind === "const") return constantAffine(expr.value);
  const [left, right] = summands(expr);
  if (!left) return atomForm(expr) ?? atomAffine(expr);
  if (!right) return scaleAffine(of(left), -1);
  if (expr.kind === "binary" && expr.op === "mul") return productForm(of(left), of(right));
  return addAffine(of(left), of(right), expr.kind === "binary" && expr.op === "sub" ? -1 : 1);
}

export const constantAffine = (constant: number): Affine => ({ terms: [], constant });
export const atomAffine = (atom: Expr): Affine => ({ terms: [{ atom, coefficient: 1 }], constant: 0 });
export const addConstant = (affine: Affine, value: number): Affine => ({
  terms: affine.terms,
  constant: (affine.constant + value) | 0,
});

/** a + scale · b */
export function addAffine(a: Affine, b: Affine, scale = 1): Affine {
  if (b.terms.length === 0) return addConstant(a, Math.imul(b.constant, scale));
  const sum: Sum = { terms: [], constant: 0 };
  addForm(sum, a, 1);
  addForm(sum, b, scale);
  return fromSum(sum);
}

export const scaleAffine = (affine: Affine, scale: number): Affine => addAffine(constantAffine(0), affine, scale);

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

/** The name under which facts about the terms are kept: a lone variable's is its own name. */
export function termsKey(terms: readonly AffineTerm[]): string {
  const first = terms[0];
  if (first && terms.length === 1 && first.coefficient === 1) return exprKey(first.atom);
  let key = "";
  for (const { atom, coefficient } of terms) key += `${coefficient}*${exprKey(atom)}+`;
  return key;
}

export const coefficientOf = ({ terms }: Affine, name: string): number =>
  terms.find(({ atom }) => atom.kind === "var" && atom.name === name)?.coefficient ?? 0;

/** The form without its term in the variable. */
export const withoutVar = ({ terms, constant }: Affine, name: string): Affine => ({
  terms: terms.filter(({ atom }) => atom.kind !== "var" || atom.name !== name),
  constant,
});

function addExpr(sum: Sum, expr: Expr, scale: number, atomForm: AtomForm): void {
  if (expr.kind === "const") {
    sum.constant = (sum.constant + Math.imul(scale, expr.value)) | 0;
  } else if (expr.kind === "binary" && (expr.op === "add" || expr.op === "sub")) {
    addExpr(sum, expr.left, scale, atomForm);
    addExpr(sum, expr.right, expr.op === "add" ? scale : -scale, atomForm);
  } else if (expr.kind === "binary" && expr.op === "mul") {
    addProduct(sum, expr.left, expr.right, scale, atomForm);
  } else if (expr.kind === "unary" && expr.op === "neg") {
    addExpr(sum, expr.operand, -scale, atomForm);
  } else {
    const form = atomForm(expr);
    if (form) addForm(sum, form, scale);
    else addTerm(sum, expr, scale);
  }
}

function addProduct(sum: Sum, left: Expr, right: Expr, scale: number, atomForm: AtomForm): void {
  if (right.kind === "const") addExpr(sum, left, Math.imul(scale, right.value), atomForm);
  else if (left.kind === "const") addExpr(sum, right, Math.imul(scale, left.value), atomForm);
  else addForm(sum, productForm(toAffine(left, atomForm), toAffine(right, atomForm)), scale);
}

function productForm(a: Affine, b: Affine): Affine {
  if (b.terms.length === 0) return scaleAffine(a, b.constant);
  if (a.terms.length === 0) return scaleAffine(b, a.constant);
  return atomAffine(times(fromAffine(a), fromAffine(b)));
}

function addForm(sum: Sum, { terms, constant }: Affine, scale: number): void {
  sum.constant = (sum.constant + Math.imul(constant, scale)) | 0;
  for (const { atom, coefficient } of terms) addTerm(sum, atom, Math.imul(coefficient, scale));
}

function addTerm({ terms }: Sum, atom: Expr, coefficient: number): void {
  const key = exprKey(atom);
  for (const term of terms) {
    if (term.key !== key) continue;
    term.coefficient = (term.coefficient + coefficient) | 0;
    return;
  }
  terms.push({ atom, key, coefficient });
}

function fromSum({ terms, constant }: Sum): Affine {
  const left = terms.filter(({ coefficient }) => coefficient !== 0).sort(inOrder);
  return { terms: left.map(({ atom, coefficient }) => ({ atom, coefficient })), constant };
}

function inOrder(a: Addend, b: Addend): number {
  const bySize = Math.abs(b.coefficient) - Math.abs(a.coefficient);
  if (bySize !== 0) return bySize;
  return a.key < b.key ? -1 : 1;
}

const int = (value: number): Const => ({ kind: "const", dtype: "i32", value });
const plus = (left: Expr | null, right: Expr): Expr =>
  left ? { kind: "binary", dtype: "i32", op: "add", left, right } : right;
const minus = (left: Expr, right: Expr): Expr => ({ kind: "binary", dtype: "i32", op: "sub", left, right });
const times = (left: Expr, right: Expr): Expr => ({ kind: "binary", dtype: "i32", op: "mul", left, right });
const multiple = ({ atom, coefficient }: AffineTerm): Expr =>
  coefficient === 1 ? atom : times(atom, int(coefficient));
const negated = ({ atom, coefficient }: AffineTerm): AffineTerm => ({ atom, coefficient: -coefficient });
