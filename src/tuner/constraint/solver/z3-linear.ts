// Linear relations made fit for one-hot Booleans: variables with ranges are replaced by the sums that define them, so
// that a limit on a footprint becomes one inequality over listed variables.

import type { Domain } from "../constraint.ts";
import {
  isRange,
  type LinearConstraint,
  type MemberConstraint,
  type NormalConstraint,
  type VariableId,
} from "../normal-form.ts";

/** A linear relation that holds where all conditions do. */
export interface GuardedLinear extends LinearConstraint {
  readonly when: readonly MemberConstraint[];
}

/** A linear relation, and the constraints of the model that it follows from. */
export interface OriginatedLinear extends GuardedLinear {
  readonly origins: readonly number[];
}

/**
 * Returns a constraint as a linear relation; a sum of two variables is one too, where a range keeps it from being a table.
 */
export function asLinear(constraint: NormalConstraint, domains: readonly Domain[]): GuardedLinear | null {
  if (constraint.kind === "linear") return { ...constraint, when: [] };
  if (constraint.kind === "guarded")
    return constraint.body.kind === "linear" ? { ...constraint.body, when: constraint.when } : null;
  if (constraint.kind !== "pair" || constraint.function.kind !== "sum") return null;
  const { a, b, result, function: fn } = constraint;
  if (![a, b, result].some((id) => isRange(domains[id]!))) return null;
  const terms = [
    { coefficient: fn.aCoefficient, variable: a },
    { coefficient: fn.bCoefficient, variable: b },
    { coefficient: -1, variable: result },
  ];
  return { kind: "linear", relation: "zero", terms, offset: fn.offset, when: [] };
}

/** Returns the two limits of a range. */
export function rangeLimits(variable: VariableId, { from, to }: { from: number; to: number }): OriginatedLinear[] {
  const limit = (coefficient: number, offset: number): OriginatedLinear => {
    const terms = [{ coefficient, variable }];
    return { kind: "linear", relation: "at-most-zero", terms, offset, when: [], origins: [] };
  };
  return [limit(1, -to), limit(-1, from)];
}

/** Rewrites relations over listed variables only; null where a range is defined by no sum. */
export function eliminateRanges(
  linears: readonly OriginatedLinear[],
  domains: readonly Domain[],
): readonly OriginatedLinear[] | null {
  let left = linears.map(collect);
  for (;;) {
    const range = left.flatMap(({ terms }) => terms).find(({ variable }) => isRange(domains[variable]!));
    if (!range) return left;
    const { variable } = range;
    const isDefinition = (one: OriginatedLinear): boolean =>
      one.relation === "zero" && one.when.length === 0 && Math.abs(coefficientOf(one, variable)) === 1;
    const definition = left.find(isDefinition);
    if (!definition) return null;
    left = left.filter((one) => one !== definition).map((one) => substitute(one, variable, definition));
  }
}

function coefficientOf({ terms }: LinearConstraint, variable: VariableId): number {
  return terms.find((term) => term.variable === variable)?.coefficient ?? 0;
}

/** Replaces `variable` in `one` by its definition, a relation to zero. */
function substitute(one: OriginatedLinear, variable: VariableId, definition: OriginatedLinear): OriginatedLinear {
  const coefficient = coefficientOf(one, variable);
  if (coefficient === 0) return one;
  // definition: s·v + rest = 0 with s = ±1, so v = −s·rest.
  const factor = -coefficient * coefficientOf(definition, variable);
  const rest = definition.terms.filter((term) => term.variable !== variable);
  const scaled = rest.map((term) => ({ ...term, coefficient: factor * term.coefficient }));
  return collect({
    ...one,
    terms: [...one.terms.filter((term) => term.variable !== variable), ...scaled],
    offset: one.offset + factor * definition.offset,
    origins: [...new Set([...one.origins, ...definition.origins])],
  });
}

/** Merges terms: each variable once, none with coefficient 0. */
function collect(linear: OriginatedLinear): OriginatedLinear {
  const sums = new Map<VariableId, number>();
  for (const { coefficient, variable } of linear.terms) sums.set(variable, (sums.get(variable) ?? 0) + coefficient);
  const terms = [...sums].map(([variable, coefficient]) => ({ coefficient, variable }));
  return { ...linear, terms: terms.filter(({ coefficient }) => coefficient !== 0) };
}
