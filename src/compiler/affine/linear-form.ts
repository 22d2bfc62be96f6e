// i32 expression → linear form: a sum of coefficient · atom, plus a constant. Atoms are variables and all expressions that are
// not linear (a floorDiv, a mod, a read). Equal sums have equal forms.
//
//   (i*4 + j)*8 + 3 - j   →   32·i + 7·j + 3

import { foldOnce } from "../support/graph.ts";
import { gcd } from "../support/integer-math.ts";
import type { Language, LinearForm, LinearTerm, Operation } from "./language.ts";

/** Returns the form of an expression that is no sum, difference or multiple; null: it is an atom. */
export type AtomForm<Node> = (node: Node) => LinearForm<Node> | null;

/** A form that is being added up: a list, for it has few terms. */
interface Sum<Atom> {
  readonly terms: Addend<Atom>[];
  constant: number;
}

interface Addend<Atom> {
  readonly atom: Atom;
  readonly key: string;
  coefficient: number;
}

const noForm = (): null => null;

/** Linear form of a scalar i32. */
export function linearForm<Node>(
  language: Language<Node>,
  node: Node,
  atomForm: AtomForm<Node> = noForm,
): LinearForm<Node> {
  const operation = language.arithmetic(node);
  if (!operation) return atomForm(node) ?? formOfAtom(node);
  if (operation.kind === "const") return formOfConstant(operation.value);
  if (language.isLarge(node)) return formOfGraph(language, node, atomForm);
  const sum: Sum<Node> = { terms: [], constant: 0 };
  addNode(language, sum, node, 1, atomForm);
  return fromSum(sum);
}

function formOfGraph<Node>(language: Language<Node>, root: Node, atomForm: AtomForm<Node>): LinearForm<Node> {
  const operandsOf = (node: Node): readonly Node[] => summands(language, language.arithmetic(node));
  return foldOnce<Node, LinearForm<Node>>(root, operandsOf, (node, of) => formFrom(language, node, of, atomForm));
}

/** The operands of sums, differences and products; what is inside of an atom is no part of the form. */
function summands<Node>(language: Language<Node>, operation: Operation<Node> | null): readonly Node[] {
  const dividend = dividendByOne(language, operation);
  if (dividend !== null) return [dividend];
  if (operation?.kind === "unary") return operation.op === "neg" ? [operation.operand] : [];
  if (operation?.kind !== "binary") return [];
  const isLinear = operation.op === "add" || operation.op === "sub" || operation.op === "mul";
  return isLinear ? [operation.left, operation.right] : [];
}

/** Dividend of a quotient by 1, which has its form; null: the node is none. */
function dividendByOne<Node>(language: Language<Node>, operation: Operation<Node> | null): Node | null {
  if (operation?.kind !== "binary" || operation.op !== "floorDiv") return null;
  const by = language.arithmetic(operation.right);
  return by?.kind === "const" && by.value === 1 ? operation.left : null;
}

/** The form of a node from those of its operands: what `addNode` does on the way down. */
function formFrom<Node>(
  language: Language<Node>,
  node: Node,
  of: (operand: Node) => LinearForm<Node>,
  atomForm: AtomForm<Node>,
): LinearForm<Node> {
  const operation = language.arithmetic(node);
  if (operation?.kind === "const") return formOfConstant(operation.value);
  const [left, right] = summands(language, operation);
  if (left === undefined) return atomForm(node) ?? formOfAtom(node);
  if (right === undefined) return operation?.kind === "unary" ? scaleForm(language, of(left), -1) : of(left);
  const op = operation?.kind === "binary" ? operation.op : null;
  if (op === "mul") return productForm(language, of(left), of(right), node);
  return addForms(language, of(left), of(right), op === "sub" ? -1 : 1);
}

export const formOfConstant = (constant: number): LinearForm<never> => ({ terms: [], constant });
export const formOfAtom = <Atom>(atom: Atom): LinearForm<Atom> => ({ terms: [{ atom, coefficient: 1 }], constant: 0 });
/** a + factor · b */
export function addForms<Node>(
  language: Language<Node>,
  a: LinearForm<Node>,
  b: LinearForm<Node>,
  factor = 1,
): LinearForm<Node> {
  const { add, multiply } = language.numbers;
  if (b.terms.length === 0) return { terms: a.terms, constant: add(a.constant, multiply(b.constant, factor)) };
  const sum: Sum<Node> = { terms: [], constant: 0 };
  addForm(language, sum, a, 1);
  addForm(language, sum, b, factor);
  return fromSum(sum);
}

export const scaleForm = <Node>(language: Language<Node>, form: LinearForm<Node>, factor: number): LinearForm<Node> =>
  addForms(language, formOfConstant(0), form, factor);

/** The name under which facts about the terms are kept: a lone variable's is its own name. */
export function termsKey<Node>({ keyOf }: Language<Node>, terms: readonly LinearTerm<Node>[]): string {
  const first = terms[0];
  if (first && terms.length === 1 && first.coefficient === 1) return keyOf(first.atom);
  let key = "";
  for (const { atom, coefficient } of terms) key += `${coefficient}*${keyOf(atom)}+`;
  return key;
}

/** The greatest common divisor of the coefficients, with the sign of the first. */
export function commonFactor<Atom>(terms: readonly LinearTerm<Atom>[]): number {
  const size = terms.reduce((divisor, { coefficient }) => gcd(Math.abs(coefficient), divisor), 0);
  return terms.length === 0 || terms[0]!.coefficient > 0 ? size : -size;
}

/** The terms with their coefficients divided by one that divides them all. */
export const divideTerms = <Atom>(terms: readonly LinearTerm<Atom>[], by: number): readonly LinearTerm<Atom>[] =>
  terms.map(({ atom, coefficient }) => ({ atom, coefficient: coefficient / by }));

/** Says whether all coefficients are exact numbers. */
export const isExact = <Atom>(terms: readonly LinearTerm<Atom>[]): boolean =>
  terms.every(({ coefficient }) => Number.isSafeInteger(coefficient));

function addNode<Node>(
  language: Language<Node>,
  sum: Sum<Node>,
  node: Node,
  factor: number,
  atomForm: AtomForm<Node>,
): void {
  const { numbers } = language;
  const operation = language.arithmetic(node);
  const dividend = dividendByOne(language, operation);
  if (dividend !== null) {
    addNode(language, sum, dividend, factor, atomForm);
  } else if (operation?.kind === "const") {
    sum.constant = numbers.add(sum.constant, numbers.multiply(factor, operation.value));
  } else if (operation?.kind === "binary" && (operation.op === "add" || operation.op === "sub")) {
    addNode(language, sum, operation.left, factor, atomForm);
    addNode(language, sum, operation.right, operation.op === "add" ? factor : -factor, atomForm);
  } else if (operation?.kind === "binary" && operation.op === "mul") {
    addProduct(language, sum, operation, node, factor, atomForm);
  } else if (operation?.kind === "unary" && operation.op === "neg") {
    addNode(language, sum, operation.operand, -factor, atomForm);
  } else {
    const form = atomForm(node);
    if (form) addForm(language, sum, form, factor);
    else addTerm(language, sum, node, factor);
  }
}

function addProduct<Node>(
  language: Language<Node>,
  sum: Sum<Node>,
  { left, right }: { readonly left: Node; readonly right: Node },
  product: Node,
  factor: number,
  atomForm: AtomForm<Node>,
): void {
  const { multiply } = language.numbers;
  const b = language.arithmetic(right);
  if (b?.kind === "const") {
    addNode(language, sum, left, multiply(factor, b.value), atomForm);
    return;
  }
  const a = language.arithmetic(left);
  if (a?.kind === "const") {
    addNode(language, sum, right, multiply(factor, a.value), atomForm);
    return;
  }
  const x = linearForm(language, left, atomForm);
  const y = linearForm(language, right, atomForm);
  addForm(language, sum, productForm(language, x, y, product), factor);
}

function productForm<Node>(
  language: Language<Node>,
  a: LinearForm<Node>,
  b: LinearForm<Node>,
  product: Node,
): LinearForm<Node> {
  if (b.terms.length === 0) return scaleForm(language, a, b.constant);
  if (a.terms.length === 0) return scaleForm(language, b, a.constant);
  return formOfAtom(language.productOf(a, b, product));
}

function addForm<Node>(
  language: Language<Node>,
  sum: Sum<Node>,
  { terms, constant }: LinearForm<Node>,
  factor: number,
): void {
  const { add, multiply } = language.numbers;
  sum.constant = add(sum.constant, multiply(constant, factor));
  for (const { atom, coefficient } of terms) addTerm(language, sum, atom, multiply(coefficient, factor));
}

function addTerm<Node>(
  { keyOf, numbers }: Language<Node>,
  { terms }: Sum<Node>,
  atom: Node,
  coefficient: number,
): void {
  const key = keyOf(atom);
  for (const term of terms) {
    if (term.key !== key) continue;
    term.coefficient = numbers.add(term.coefficient, coefficient);
    return;
  }
  terms.push({ atom, key, coefficient });
}

/** Puts the terms in order one by one: forms have few, and this is asked for each index of each statement, again and again. */
function fromSum<Atom>({ terms: addends, constant }: Sum<Atom>): LinearForm<Atom> {
  const ordered: Addend<Atom>[] = [];
  for (const addend of addends) {
    if (addend.coefficient === 0) continue;
    let at = ordered.length;
    for (; at > 0 && inOrder(addend, ordered[at - 1]!) < 0; at--) ordered[at] = ordered[at - 1]!;
    ordered[at] = addend;
  }
  const terms: LinearTerm<Atom>[] = [];
  for (const { atom, coefficient } of ordered) terms.push({ atom, coefficient });
  return { terms, constant };
}

function inOrder<Atom>(a: Addend<Atom>, b: Addend<Atom>): number {
  const bySize = Math.abs(b.coefficient) - Math.abs(a.coefficient);
  if (bySize !== 0) return bySize;
  return a.key < b.key ? -1 : 1;
}
