// A model in the few forms that the solver knows: variables and constants by number, n-ary products as chains of
// binary ones with auxiliary variables, comparisons as linear relations. ConstraintModel → NormalModel.

import { type Condition, invariant } from "../../compiler/index.ts";
import type {
  Comparison,
  Constraint,
  ConstraintModel,
  Domain,
  Membership,
  ProductConstraint,
  SumConstraint,
  Term,
} from "./constraint.ts";

/** Index of a variable in NormalModel.variables. */
export type VariableId = number;

export interface NormalVariable {
  /** Name in the model; null: a constant, or an auxiliary product. */
  readonly name: string | null;
  readonly domain: Domain;
  readonly key: boolean;
}

/** Function of a pair of numbers. It has no value where no integer is defined (a division by 0). */
export type PairFunction =
  /** coefficient · a · b */
  | { readonly kind: "product"; readonly coefficient: number }
  /** aCoefficient · a + bCoefficient · b + offset */
  | { readonly kind: "sum"; readonly aCoefficient: number; readonly bCoefficient: number; readonly offset: number }
  /** ⌈a / b⌉ */
  | { readonly kind: "ceil-div" };

export interface PairConstraint {
  readonly kind: "pair";
  readonly function: PairFunction;
  readonly a: VariableId;
  readonly b: VariableId;
  readonly result: VariableId;
}

/** Σ coefficient · variable + offset is 0, or is at most 0. */
export interface LinearConstraint {
  readonly kind: "linear";
  readonly relation: "zero" | "at-most-zero";
  readonly terms: readonly { readonly coefficient: number; readonly variable: VariableId }[];
  readonly offset: number;
}

export interface NotEqualConstraint {
  readonly kind: "not-equal";
  readonly a: VariableId;
  readonly b: VariableId;
}

export interface NormalSelect {
  readonly kind: "select";
  readonly result: VariableId;
  readonly index: VariableId;
  readonly options: readonly VariableId[];
}

/** The value of a variable is one of those listed, sorted. */
export interface MemberConstraint {
  readonly kind: "member";
  readonly variable: VariableId;
  readonly values: readonly number[];
}

/** `body` holds wherever each of `when` does; the variables of `when` have listed domains. */
export interface GuardedConstraint {
  readonly kind: "guarded";
  readonly when: readonly MemberConstraint[];
  readonly body: GuardedBody;
}

export type GuardedBody = LinearConstraint | NotEqualConstraint | MemberConstraint;

export type NormalConstraint =
  | PairConstraint
  | LinearConstraint
  | NotEqualConstraint
  | NormalSelect
  | GuardedConstraint;

export interface NormalModel {
  readonly variables: readonly NormalVariable[];
  /** Constraints of kind one-of are not among them: they have narrowed the domains. */
  readonly constraints: readonly NormalConstraint[];
  /** Index of the model's constraint that each normal constraint is a part of. */
  readonly origins: readonly number[];
}

/** Returns the value of a pair function; NaN where it has none. */
export function applyPair(fn: PairFunction, a: number, b: number): number {
  switch (fn.kind) {
    case "product":
      return fn.coefficient * a * b;
    case "sum":
      return fn.aCoefficient * a + fn.bCoefficient * b + fn.offset;
    case "ceil-div":
      return b > 0 ? Math.ceil(a / b) : Number.NaN;
  }
}

export function isRange(domain: Domain): domain is { readonly from: number; readonly to: number } {
  return "from" in domain;
}

/** Largest value of an auxiliary product: exact in a float64. */
const auxiliaryRange: Domain = { from: 0, to: 2 ** 52 };

class Builder {
  readonly variables: NormalVariable[] = [];
  readonly constraints: NormalConstraint[] = [];
  readonly #ids = new Map<Term, VariableId>();

  declare(name: Term | null, domain: Domain, key: boolean): VariableId {
    const id = this.variables.push({ name: typeof name === "string" ? name : null, domain, key }) - 1;
    if (name === null) return id;
    invariant(!this.#ids.has(name), `two variables are named ${name}`);
    this.#ids.set(name, id);
    return id;
  }

  id(term: Term): VariableId {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    invariant(typeof term === "number", `no variable is named ${term}`);
    return this.declare(term, [term], false);
  }

  /** Intersects the domain of a variable with a list. */
  narrow(name: string, values: readonly number[]): void {
    const id = this.id(name);
    const variable = this.variables[id]!;
    this.variables[id] = { ...variable, domain: intersect(variable.domain, values) };
  }
}

function intersect(domain: Domain, values: readonly number[]): readonly number[] {
  const sorted = sortedUnique(values);
  if (isRange(domain)) return sorted.filter((value) => value >= domain.from && value <= domain.to);
  const allowed = new Set(sorted);
  return domain.filter((value) => allowed.has(value));
}

export function normalize(model: ConstraintModel): NormalModel {
  const builder = new Builder();
  for (const { name, domain, key } of model.variables) {
    invariant(!(key && isRange(domain)), `the key variable ${name} has a range as domain`);
    builder.declare(name, domain, key);
  }
  const origins: number[] = [];
  model.constraints.forEach((constraint, origin) => {
    addConstraint(builder, constraint);
    while (origins.length < builder.constraints.length) origins.push(origin);
  });
  return { variables: builder.variables, constraints: builder.constraints, origins };
}

function addConstraint(builder: Builder, constraint: Constraint): void {
  switch (constraint.kind) {
    case "product":
      addProduct(builder, constraint);
      return;
    case "sum":
      addSum(builder, constraint);
      return;
    case "ceil-div":
      addPair(builder, { kind: "ceil-div" }, constraint.numerator, constraint.divisor, constraint.result);
      return;
    case "equal":
      addPair(builder, { kind: "product", coefficient: 1 }, constraint.right, 1, constraint.left);
      return;
    case "at-most":
    case "less-than":
    case "not-equal":
      builder.constraints.push(comparison(builder, constraint));
      return;
    case "conditional":
      addGuarded(builder, constraint.when, constraint.then);
      return;
    case "one-of":
      builder.narrow(constraint.variable, constraint.values);
      return;
    case "select":
      builder.constraints.push({
        kind: "select",
        result: builder.id(constraint.result),
        index: builder.id(constraint.index),
        options: constraint.options.map((option) => builder.id(option)),
      });
  }
}

function addPair(builder: Builder, fn: PairFunction, a: Term, b: Term, result: Term): void {
  const [aId, bId, resultId] = [builder.id(a), builder.id(b), builder.id(result)];
  builder.constraints.push({ kind: "pair", function: fn, a: aId, b: bId, result: resultId });
}

/** Splits a product into pairs: result = c · x · y · z → t = x · y, result = c · t · z. */
function addProduct(builder: Builder, { factors, result }: ProductConstraint): void {
  const names = factors.filter((factor) => typeof factor === "string");
  const coefficient = factors.reduce<number>((sum, factor) => (typeof factor === "number" ? sum * factor : sum), 1);
  let left = builder.id(names[0] ?? 1);
  for (const name of names.slice(1, -1)) {
    const product = builder.declare(null, auxiliaryRange, false);
    const right = builder.id(name);
    builder.constraints.push({ kind: "pair", function: timesOne, a: left, b: right, result: product });
    left = product;
  }
  const right = builder.id(names.length > 1 ? names.at(-1)! : 1);
  const fn: PairFunction = { kind: "product", coefficient };
  builder.constraints.push({ kind: "pair", function: fn, a: left, b: right, result: builder.id(result) });
}

const timesOne: PairFunction = { kind: "product", coefficient: 1 };

/**
 * Adds a sum. At most two variables on the right make a pair, which propagates exactly; more a linear relation, on bounds.
 */
function addSum(builder: Builder, { result, terms, offset }: SumConstraint): void {
  const variables = terms.filter(({ term }) => typeof term === "string");
  const constant = terms.reduce(
    (sum, { term, coefficient }) => sum + (typeof term === "number" ? term * coefficient : 0),
    offset,
  );
  if (variables.length <= 2) {
    const [a = { term: 0, coefficient: 0 }, b = { term: 0, coefficient: 0 }] = variables;
    const fn: PairFunction = {
      kind: "sum",
      aCoefficient: a.coefficient,
      bCoefficient: b.coefficient,
      offset: constant,
    };
    addPair(builder, fn, a.term, b.term, result);
    return;
  }
  const linear = variables.map(({ coefficient, term }) => ({ coefficient, variable: builder.id(term) }));
  const all = [...linear, { coefficient: -1, variable: builder.id(result) }];
  builder.constraints.push({ kind: "linear", relation: "zero", terms: all, offset: constant });
}

function comparison(builder: Builder, { kind, left, right }: Comparison): LinearConstraint | NotEqualConstraint {
  const [a, b] = [builder.id(left), builder.id(right)];
  switch (kind) {
    case "equal":
      return difference(a, b, "zero", 0);
    case "at-most":
      return difference(a, b, "at-most-zero", 0);
    case "less-than":
      return difference(a, b, "at-most-zero", 1);
    case "not-equal":
      return { kind, a, b };
  }
}

/** Makes the relation: a − b + gap is 0, or is at most 0. */
function difference(
  a: VariableId,
  b: VariableId,
  relation: LinearConstraint["relation"],
  gap: number,
): LinearConstraint {
  const terms = [
    { coefficient: 1, variable: a },
    { coefficient: -1, variable: b },
  ];
  return { kind: "linear", relation, terms, offset: gap };
}

function addGuarded(builder: Builder, when: readonly Condition[], then: Comparison | Membership): void {
  const member = (name: string, values: readonly number[]): MemberConstraint => ({
    kind: "member",
    variable: builder.id(name),
    values: sortedUnique(values),
  });
  const conditions = when.map(({ tunable, oneOf }) => member(tunable, oneOf));
  for (const { variable } of conditions) invariant(builder.variables[variable]!.key, "conditions are on key variables");
  const body = then.kind === "one-of" ? member(then.variable, then.values) : comparison(builder, then);
  builder.constraints.push({ kind: "guarded", when: conditions, body });
}

const sortedUnique = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
