// The smallest and largest value that an integer expression can have, given the extents of the axes and the conditions
// that hold where it is evaluated. Never too narrow; it may be too wide.

import { isFloat } from "../expr/dtype.ts";
import { children } from "../expr/expr-visit.ts";
import { addForms, type LinearForm, linearForm } from "../expr/linear-form.ts";
import type { BinaryExpr, ScalarExpr, SelectExpr } from "../expr/scalar-expr.ts";
import { integerRange } from "../expr/scalar-math.ts";
import { isLarge, operandsFirst } from "../support/graph.ts";
import { remembered } from "../support/remembered.ts";

export type Range = readonly [min: number, max: number];

export interface Scope {
  readonly extents: ReadonlyMap<string, number>;
  /** Facts known to hold: each linear form is ≥ 0. */
  readonly facts: readonly LinearForm[];
}

/**
 * The range of `expr` where the facts of `scope` hold. i ∈ 0..9 with the fact i - 1 ≥ 0: `i - 1` is in 0..8.
 * If the facts contradict each other the place is never reached, and the range may be empty (min > max).
 */
export function rangeOf(expr: ScalarExpr, scope: Scope): Range {
  const known = rangesIn(scope);
  const found = known.get(expr);
  if (found) return found;
  // Nodes are visited from the leaves up, so that a deep expression needs no deep recursion.
  const order = isLarge(expr, children) ? operandsFirst(expr, children) : [expr];
  for (const node of order) if (!isFloat(node.dtype) && !known.has(node)) known.set(node, findRange(node, scope));
  return known.get(expr) ?? wholeRange(expr);
}

/** Ranges that were found in a scope: an index may use one value many times, and each is worked out once. */
const rangesIn = remembered((_: Scope) => new Map<ScalarExpr, Range>());

function findRange(expr: ScalarExpr, scope: Scope): Range {
  const whole = wholeRange(expr);
  const form = linearForm(expr);
  const plain = formRange(form, scope);
  // A value that leaves i32 wraps, and then nothing is known of it.
  if (plain[0] < whole[0] || plain[1] > whole[1]) return whole;
  const simple = aboutSingleAxes(scope);
  return scope.facts.reduce<Range>((range, fact) => tightened(range, form, fact, simple), plain);
}

const aboutSingleAxes = remembered((scope: Scope): Scope => ({ ...scope, facts: scope.facts.filter(isAboutOneAxis) }));

const wholeRange = ({ dtype }: ScalarExpr): Range =>
  isFloat(dtype) ? [-Infinity, Infinity] : integerRange[dtype as "i32"];

/**
 * Narrows a range by a fact f ≥ 0. With a factor c > 0: form = (form - c·f) + c·f ≥ min(form - c·f), and likewise from
 * above. The factor that matters is the one that cancels an atom which both have. The rest is examined with the facts
 * about single axes only: a fact about an expression may contain that expression again, without end.
 */
function tightened(range: Range, form: LinearForm, fact: LinearForm, scope: Scope): Range {
  let [min, max] = range;
  for (const [text, { coefficient }] of fact.terms) {
    const own = form.terms.get(text)?.coefficient;
    if (own === undefined) continue;
    const factor = own / coefficient;
    if (!Number.isInteger(factor)) continue;
    const rest = formRange(addForms(form, fact, -factor), scope);
    if (factor > 0) min = Math.max(min, rest[0]);
    else max = Math.min(max, rest[1]);
  }
  return [min, max];
}

function formRange(form: LinearForm, scope: Scope): Range {
  let [min, max] = [form.constant, form.constant];
  for (const { coefficient, atom } of form.terms.values()) {
    const [low, high] = atomRange(atom, scope);
    min += Math.min(coefficient * low, coefficient * high);
    max += Math.max(coefficient * low, coefficient * high);
  }
  return [min, max];
}

function atomRange(atom: ScalarExpr, scope: Scope): Range {
  switch (atom.kind) {
    case "axis":
      return axisRange(atom.name, scope);
    case "select":
      return selectRange(atom, scope);
    case "binary":
      return binaryRange(atom, scope);
    case "cast":
      return castRange(atom.operand, atom, scope);
    case "const":
      return [atom.value, atom.value];
    case "unary":
    case "read":
      return wholeRange(atom);
  }
}

/** The extent, narrowed by the facts about this axis alone. */
function axisRange(name: string, { extents, facts }: Scope): Range {
  let [min, max] = [0, (extents.get(name) ?? 2 ** 31) - 1];
  for (const { constant, terms } of facts) {
    const coefficient = terms.get(name)?.coefficient;
    if (coefficient === undefined || terms.size > 1) continue;
    if (coefficient > 0) min = Math.max(min, Math.ceil(-constant / coefficient));
    else max = Math.min(max, Math.floor(constant / -coefficient));
  }
  return [min, max];
}

function binaryRange(expr: BinaryExpr, scope: Scope): Range {
  if (expr.dtype !== "i32") return wholeRange(expr);
  const left = rangeOf(expr.left, scope);
  const right = rangeOf(expr.right, scope);
  if (expr.op === "min") return [Math.min(left[0], right[0]), Math.min(left[1], right[1])];
  if (expr.op === "max") return [Math.max(left[0], right[0]), Math.max(left[1], right[1])];
  if (expr.op === "mul")
    return withinWhole(
      expr,
      corners(left, right, (a, b) => a * b),
    );
  if (right[0] < 1) return wholeRange(expr);
  if (expr.op === "floorDiv") return corners(left, right, (a, b) => Math.floor(a / b));
  if (expr.op === "mod") return left[0] >= 0 && left[1] < right[0] ? left : [0, right[1] - 1];
  return wholeRange(expr);
}

function corners([a, b]: Range, [c, d]: Range, op: (x: number, y: number) => number): Range {
  const values = [op(a, c), op(a, d), op(b, c), op(b, d)];
  return [Math.min(...values), Math.max(...values)];
}

function withinWhole(expr: ScalarExpr, range: Range): Range {
  const whole = wholeRange(expr);
  return range[0] < whole[0] || range[1] > whole[1] ? whole : range;
}

function castRange(operand: ScalarExpr, cast: ScalarExpr, scope: Scope): Range {
  return isFloat(operand.dtype) ? wholeRange(cast) : withinWhole(cast, rangeOf(operand, scope));
}

/**
 * Range of a choice: both sides, each where its condition holds; a side that is never taken does not count. In a large expression the same
 * value may stand under any number of conditions, and no condition is taken for granted.
 */
function selectRange(expr: SelectExpr, scope: Scope): Range {
  const { condition, then, else: otherwise } = expr;
  const sideOf = (holds: boolean): Scope => (isLarge(expr, children) ? scope : assume(scope, condition, holds));
  const [whenTrue, whenFalse] = [sideOf(true), sideOf(false)];
  if (!isReachable(whenTrue)) return rangeOf(otherwise, whenFalse);
  if (!isReachable(whenFalse)) return rangeOf(then, whenTrue);
  const [a, b] = [rangeOf(then, whenTrue), rangeOf(otherwise, whenFalse)];
  return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

/** Says whether the facts may all hold. False is a proof that they cannot; true proves nothing. */
export function isReachable(scope: Scope): boolean {
  const open = { ...scope, facts: [] };
  const isEmpty = (name: string): boolean => {
    const [min, max] = axisRange(name, scope);
    return min > max;
  };
  return scope.facts.every((fact) => formRange(fact, open)[1] >= 0) && ![...scope.extents.keys()].some(isEmpty);
}

const isAboutOneAxis = ({ terms }: LinearForm): boolean =>
  terms.size === 1 && [...terms.values()].every(({ atom }) => atom.kind === "axis");

/** The scope in which `condition` has the value `holds`. */
export function assume(scope: Scope, condition: ScalarExpr, holds: boolean): Scope {
  const facts = isLarge(condition, children) ? [] : factsOf(condition, holds, scope);
  return facts.length === 0 ? scope : { ...scope, facts: [...scope.facts, ...facts] };
}

function factsOf(condition: ScalarExpr, holds: boolean, scope: Scope): readonly LinearForm[] {
  if (condition.kind === "unary" && condition.op === "not") return factsOf(condition.operand, !holds, scope);
  if (condition.kind !== "binary") return [];
  const { op, left, right } = condition;
  if (op === "and" || op === "or") {
    // A true `and` makes both operands true, a false `or` makes both false. The other two cases give no fact about
    // either.
    return (op === "and") === holds ? [...factsOf(left, holds, scope), ...factsOf(right, holds, scope)] : [];
  }
  if (left.dtype !== "i32" || !staysInRange(left, scope) || !staysInRange(right, scope)) return [];
  return comparisonFacts(op, holds, linearForm(left), linearForm(right));
}

/** Says whether a sum cannot wrap. A comparison of sums that may wrap is no fact about the sums. */
function staysInRange(expr: ScalarExpr, scope: Scope): boolean {
  const [min, max] = formRange(linearForm(expr), scope);
  const whole = wholeRange(expr);
  return min >= whole[0] && max <= whole[1];
}

const negated: Readonly<Partial<Record<string, string>>> = {
  eq: "ne",
  ne: "eq",
  lt: "ge",
  ge: "lt",
  gt: "le",
  le: "gt",
};

function comparisonFacts(op: string, holds: boolean, a: LinearForm, b: LinearForm): readonly LinearForm[] {
  const difference = (x: LinearForm, y: LinearForm, less: number): LinearForm => {
    const form = addForms(x, y, -1);
    return { ...form, constant: form.constant - less };
  };
  switch (holds ? op : negated[op]) {
    case "ge":
      return [difference(a, b, 0)];
    case "gt":
      return [difference(a, b, 1)];
    case "le":
      return [difference(b, a, 0)];
    case "lt":
      return [difference(b, a, 1)];
    case "eq":
      return [difference(a, b, 0), difference(b, a, 0)];
    default:
      return [];
  }
}
