// The root pass: lists the values that derived variables can take, propagates all constraints once, and leaves a
// solver whose state is the start of every draw. ConstraintModel → CompiledModel; 1 to 40 ms for a schedule space.

import type { ConstraintModel, Domain, ValueRange } from "../constraint.ts";
import type { StoreFrame } from "../domain-store.ts";
import {
  applyPair,
  isRange,
  type NormalModel,
  type NormalSelect,
  normalize,
  type PairConstraint,
  type VariableId,
} from "../normal-form.ts";
import { mostTableEntries } from "../propagator/pair-table.ts";
import { Engine } from "./propagate.ts";

export interface CompiledModel {
  readonly model: ConstraintModel;
  readonly normal: NormalModel;
  /** Whether propagation alone leaves the model possible; if not, there is nothing to draw. */
  readonly feasible: boolean;
  /** Solver, whose state is scratch space of its current user; `root` is where each draw starts. */
  readonly engine: Engine;
  readonly root: StoreFrame;
  /** Numbers of the named variables. */
  readonly ids: ReadonlyMap<string, VariableId>;
  readonly keys: readonly VariableId[];
  /** Other variables that have a list. */
  readonly others: readonly VariableId[];
}

export interface ModelOptions {
  /** Most values of a derived variable that is kept as a list; with more it is a range. */
  readonly mostListedValues?: number;
}

/** The model in normal form, and the domains of its variables by number. */
export interface Listing {
  readonly normal: NormalModel;
  readonly domains: readonly Domain[];
}

/** Longest range that is a list from the start, for z3; longer ones become lists where constraints tell their values. */
const mostRangeValues = 512;

/**
 * Longest such range for the sampler. Footprints have hundreds of values and end in limits: with bounds in the place of tables
 * draws are up to twice as fast.
 */
const mostDrawnValues = 128;

/** Lists the values of derived variables as far as they follow from the domains alone: nothing is propagated. */
export function listModel(model: ConstraintModel, mostListedValues: number): Listing {
  const normal = normalize(model);
  let domains: readonly Domain[] = normal.variables.map(({ domain }) => listed(domain, mostRangeValues));
  for (;;) {
    const next = listDerived(normal, domains, mostListedValues);
    if (next.every((domain, id) => sizeOf(domain) === sizeOf(domains[id]!))) return { normal, domains };
    domains = next;
  }
}

/** Most rounds of listing values and propagating; each is sound, and the third rarely finds more. */
const mostRounds = 4;

export function compileModel(
  model: ConstraintModel,
  { mostListedValues = mostDrawnValues }: ModelOptions = {},
): CompiledModel {
  const normal = normalize(model);
  const ids = new Map<string, VariableId>();
  normal.variables.forEach(({ name }, id) => {
    if (name !== null) ids.set(name, id);
  });
  const keys = normal.variables.flatMap(({ key }, id) => (key ? [id] : []));
  let domains: readonly Domain[] = normal.variables.map(({ domain }) => listed(domain, mostListedValues));
  for (let round = 1; ; round++) {
    const listing = listDerived(normal, domains, mostListedValues);
    const engine = new Engine(normal, listing);
    const feasible = !listing.some(isEmpty) && engine.propagateAll();
    const shrunk = listing.map((_, id) => listed(engine.store.domain(id), mostListedValues));
    const settled = shrunk.every((domain, id) => sizeOf(domain) === sizeOf(domains[id]!));
    if (!feasible || settled || round === mostRounds) {
      if (feasible) engine.retireEntailed();
      const others = normal.variables.flatMap(({ key }, id) => (!key && engine.store.values[id] ? [id] : []));
      return { model, normal, feasible, engine, root: engine.store.save(), ids, keys, others };
    }
    domains = shrunk;
  }
}

/** Turns a small range into a list. */
function listed(domain: Domain, mostValues: number): Domain {
  if (!isRange(domain) || domain.to - domain.from >= mostValues) return domain;
  return Array.from({ length: Math.max(0, domain.to - domain.from + 1) }, (_, k) => domain.from + k);
}

function isEmpty(domain: Domain): boolean {
  return sizeOf(domain) <= 0;
}

function sizeOf(domain: Domain): number {
  return isRange(domain) ? domain.to - domain.from + 1 : domain.length;
}

/** Lists results whose arguments are lists, in the order of the constraints, so that chains are listed in one go. */
function listDerived(normal: NormalModel, domains: readonly Domain[], mostValues: number): Domain[] {
  const result = [...domains];
  for (const constraint of normal.constraints) {
    if (constraint.kind === "select") listOptions(constraint, result, mostValues);
    if (constraint.kind !== "pair") continue;
    const values = isRange(result[constraint.result]!) ? pairResults(constraint, result, mostValues) : null;
    if (values) result[constraint.result] = values;
    listFactor(constraint, constraint.a, constraint.b, result, mostValues);
    listFactor(constraint, constraint.b, constraint.a, result, mostValues);
  }
  return result;
}

/** Lists the result of a select: its options' values. */
function listOptions({ result, options }: NormalSelect, domains: Domain[], mostValues: number): void {
  const range = domains[result]!;
  if (!isRange(range)) return;
  const values = new Set<number>();
  for (const option of options) {
    const domain = domains[option]!;
    if (isRange(domain)) return;
    for (const value of domain) if (value >= range.from && value <= range.to) values.add(value);
  }
  if (values.size <= mostValues) domains[result] = [...values].sort((x, y) => x - y);
}

/** Returns the values of f(a, b), sorted; null when they are not known or too many. */
function pairResults(pair: PairConstraint, domains: readonly Domain[], mostValues: number): number[] | null {
  const [a, b] = [domains[pair.a]!, domains[pair.b]!];
  if (isRange(a) || isRange(b) || a.length * b.length > mostTableEntries) return null;
  const range = domains[pair.result]! as ValueRange;
  const values = new Set<number>();
  for (const x of a) {
    for (const y of b) {
      const value = applyPair(pair.function, x, y);
      if (value >= range.from && value <= range.to) values.add(value);
      if (values.size > mostValues) return null;
    }
  }
  return [...values].sort((x, y) => x - y);
}

/** Lists a factor that is a range: its values are quotients, when product and other factor are lists without 0. */
function listFactor(
  pair: PairConstraint,
  factor: VariableId,
  other: VariableId,
  domains: Domain[],
  mostValues: number,
): void {
  const [range, divisors, products] = [domains[factor]!, domains[other]!, domains[pair.result]!];
  if (pair.function.kind !== "product" || !isRange(range) || isRange(divisors) || isRange(products)) return;
  if (divisors.includes(0) || divisors.length * products.length > mostTableEntries) return;
  const values = new Set<number>();
  for (const product of products) {
    for (const divisor of divisors) {
      const quotient = product / (divisor * pair.function.coefficient);
      if (Number.isInteger(quotient) && quotient >= range.from && quotient <= range.to) values.add(quotient);
    }
  }
  if (values.size <= mostValues) domains[factor] = [...values].sort((x, y) => x - y);
}
