// A constraint model as SMT-LIB text for z3's finite-domain solver: one Boolean for each value of each variable, sums
// as pseudo-Boolean inequalities. Booleans draw 60 to 700 solutions a second, nonlinear integers about one.

import type { ConstraintModel, Domain } from "../constraint.ts";
import {
  applyPair,
  type GuardedConstraint,
  isRange,
  type LinearConstraint,
  type MemberConstraint,
  type NormalConstraint,
  type NormalModel,
  type NormalSelect,
  type NotEqualConstraint,
  type PairConstraint,
  type VariableId,
} from "../normal-form.ts";
import { listModel } from "./compile.ts";
import { asLinear, eliminateRanges, rangeLimits } from "./z3-linear.ts";

export interface Encoding {
  /** Declarations and assertions. */
  readonly text: string;
  readonly normal: NormalModel;
  readonly domains: readonly Domain[];
  /** Boolean that switches each constraint of the model on; empty without guards. */
  readonly guards: readonly string[];
}

/** Longest domain that has a Boolean for each value; most pairs of a table that has a clause for each. */
const mostValues = 1 << 13;
const mostPairs = 1 << 17;

/** Returns the Boolean that says that a variable has the value at an index of its domain. */
export function literal(id: VariableId, index: number): string {
  return `b${id}_${index}`;
}

/**
 * Encodes a model. Null: a variable with a range stands in a relation other than a sum or a comparison, which has no
 * encoding here.
 */
export function encodeModel(model: ConstraintModel, withGuards: boolean): Encoding | null {
  // A guarded one-of is clauses; else it has narrowed a domain.
  const switched = withGuards ? { ...model, constraints: model.constraints.map(freed) } : model;
  const { normal, domains } = listModel(switched, mostValues);
  const guards = withGuards ? model.constraints.map((_, origin) => `t${origin}`) : [];
  const writer = new Writer(domains, guards);
  if (withGuards) writeOneOfs(writer, model, normal);
  const linears = normal.constraints.flatMap((constraint, k) => {
    const linear = asLinear(constraint, domains);
    return linear ? [{ ...linear, origins: [normal.origins[k]!] }] : [];
  });
  const limits = domains.flatMap((domain, id) =>
    isRange(domain) && isSummed(linears, id) ? rangeLimits(id, domain) : [],
  );
  const listed = eliminateRanges([...linears, ...limits], domains);
  for (const linear of listed ?? []) writer.linear(linear, writer.unless(linear.origins, linear.when));
  const relations = normal.constraints.every(
    (one, k) => asLinear(one, domains) || writer.relation(one, writer.unless([normal.origins[k]!], [])),
  );
  return listed && relations ? { text: writer.lines.join("\n"), normal, domains, guards } : null;
}

/** Replaces a guarded one-of by a relation that always holds, so that the constraints keep their indices. */
function freed(constraint: ConstraintModel["constraints"][number]): ConstraintModel["constraints"][number] {
  if (constraint.kind !== "one-of") return constraint;
  return { ...constraint, kind: "at-most", left: constraint.variable, right: constraint.variable };
}

function writeOneOfs(writer: Writer, model: ConstraintModel, { variables }: NormalModel): void {
  model.constraints.forEach((constraint, origin) => {
    if (constraint.kind !== "one-of") return;
    const id = variables.findIndex(({ name }) => name === constraint.variable);
    writer.member({ kind: "member", variable: id, values: constraint.values }, writer.unless([origin], []));
  });
}

function isSummed(linears: readonly LinearConstraint[], id: VariableId): boolean {
  return linears.some(({ terms }) => terms.some(({ variable }) => variable === id));
}

class Writer {
  readonly lines: string[] = [];
  readonly #domains: readonly Domain[];
  readonly #guards: readonly string[];

  constructor(domains: readonly Domain[], guards: readonly string[]) {
    this.#domains = domains;
    this.#guards = guards;
    for (const guard of guards) this.lines.push(`(declare-const ${guard} Bool)`);
    domains.forEach((domain, id) => {
      if (!isRange(domain)) this.#exactlyOne(id, domain.length);
    });
  }

  #exactlyOne(id: VariableId, count: number): void {
    const literals = Array.from({ length: count }, (_, k) => literal(id, k));
    for (const one of literals) this.lines.push(`(declare-const ${one} Bool)`);
    this.lines.push(`(assert (or false ${literals.join(" ")}))`);
    if (count > 1) this.lines.push(`(assert ((_ at-most 1) ${literals.join(" ")}))`);
  }

  /** Returns the literals that lift a clause: one of its constraints is switched off, or a condition does not hold. */
  unless(origins: readonly number[], when: readonly MemberConstraint[]): readonly string[] {
    const off = this.#guards.length > 0 ? origins.map((origin) => `(not ${this.#guards[origin]})`) : [];
    const denied = when.flatMap(({ variable, values }) =>
      this.#values(variable).flatMap((value, k) => (values.includes(value) ? [] : [literal(variable, k)])),
    );
    return [...off, ...denied];
  }

  #assert(alternatives: readonly string[], unless: readonly string[]): void {
    this.lines.push(`(assert (or false ${[...unless, ...alternatives].join(" ")}))`);
  }

  #values(id: VariableId): readonly number[] {
    return this.#domains[id] as readonly number[];
  }

  /** Writes a membership. Returns false where it has no encoding. */
  member({ variable, values }: MemberConstraint, unless: readonly string[]): boolean {
    if (!this.#isListed(variable)) return false;
    this.#values(variable).forEach((value, k) => {
      if (!values.includes(value)) this.#assert([`(not ${literal(variable, k)})`], unless);
    });
    return true;
  }

  /** Writes Σ weight · literal ≤ bound, the weights shifted to be ≥ 0: exactly one literal of each variable is true. */
  linear({ terms, offset, relation }: LinearConstraint, unless: readonly string[]): void {
    this.#atMost(terms, -offset, unless);
    const negated = terms.map((term) => ({ ...term, coefficient: -term.coefficient }));
    if (relation === "zero") this.#atMost(negated, offset, unless);
  }

  #atMost(terms: LinearConstraint["terms"], bound: number, unless: readonly string[]): void {
    let left = bound;
    const [weights, literals]: [number[], string[]] = [[], []];
    for (const { coefficient, variable } of terms) {
      const products = this.#values(variable).map((value) => coefficient * value);
      const least = products.reduce((least, product) => Math.min(least, product), Number.POSITIVE_INFINITY);
      // An empty domain is refuted by its own clause.
      if (products.length > 0) left -= least;
      products.forEach((product, k) => {
        if (product === least) return;
        weights.push(product - least);
        literals.push(literal(variable, k));
      });
    }
    if (left < 0) this.#assert([], unless);
    else if (weights.length > 0)
      this.#assert([`((_ pble ${left} ${weights.join(" ")}) ${literals.join(" ")})`], unless);
  }

  /** Writes a relation. Returns false where it has no encoding. */
  relation(constraint: NormalConstraint, unless: readonly string[]): boolean {
    switch (constraint.kind) {
      case "pair":
        return this.#pair(constraint, unless);
      case "not-equal":
        return this.#notEqual(constraint, unless);
      case "select":
        return this.#select(constraint, unless);
      case "guarded":
        return this.#guarded(constraint, unless);
      case "linear":
        return false;
    }
  }

  #guarded({ when, body }: GuardedConstraint, always: readonly string[]): boolean {
    const unless = [...always, ...this.unless([], when)];
    switch (body.kind) {
      case "not-equal":
        return this.#notEqual(body, unless);
      case "member":
        return this.member(body, unless);
      case "linear":
        return false;
    }
  }

  #isListed(...ids: readonly VariableId[]): boolean {
    return ids.every((id) => !isRange(this.#domains[id]!));
  }

  #pair({ function: fn, a, b, result }: PairConstraint, unless: readonly string[]): boolean {
    if (!this.#isListed(a, b, result) || this.#values(a).length * this.#values(b).length > mostPairs) return false;
    const indexOf = indices(this.#values(result));
    this.#values(a).forEach((x, i) => {
      this.#values(b).forEach((y, j) => {
        const index = indexOf.get(applyPair(fn, x, y));
        const then = index === undefined ? [] : [literal(result, index)];
        this.#assert([`(not ${literal(a, i)})`, `(not ${literal(b, j)})`, ...then], unless);
      });
    });
    return true;
  }

  #notEqual({ a, b }: NotEqualConstraint, unless: readonly string[]): boolean {
    if (!this.#isListed(a, b)) return false;
    const indexOf = indices(this.#values(b));
    this.#values(a).forEach((value, i) => {
      const j = indexOf.get(value);
      if (j !== undefined) this.#assert([`(not ${literal(a, i)})`, `(not ${literal(b, j)})`], unless);
    });
    return true;
  }

  #select({ result, index, options }: NormalSelect, unless: readonly string[]): boolean {
    if (!this.#isListed(result, index, ...options)) return false;
    this.#values(index).forEach((at, j) => {
      const option = options[at];
      const chosen = `(not ${literal(index, j)})`;
      if (option === undefined) this.#assert([chosen], unless);
      else {
        this.#implySame(chosen, option, result, unless);
        this.#implySame(chosen, result, option, unless);
      }
    });
    return true;
  }

  /** Writes that `to` has the value of `from`, unless the literal `otherwise` holds. */
  #implySame(otherwise: string, from: VariableId, to: VariableId, unless: readonly string[]): void {
    const indexOf = indices(this.#values(to));
    this.#values(from).forEach((value, k) => {
      const index = indexOf.get(value);
      const then = index === undefined ? [] : [literal(to, index)];
      this.#assert([otherwise, `(not ${literal(from, k)})`, ...then], unless);
    });
  }
}

function indices(values: readonly number[]): Map<number, number> {
  return new Map(values.map((value, k) => [value, k]));
}
