// The constraint language of schedule spaces: finite integer variables and relations between them.

import type { Condition } from "../../compiler/index.ts";

/** All integers from … to, both included: for derived variables with too many values to list (a footprint). */
export interface ValueRange {
  readonly from: number;
  readonly to: number;
}

/** Sorted values without repeats, or a range. */
export type Domain = readonly number[] | ValueRange;

/** A variable with its finite domain. All variables of a model are ≥ 0 and < 2^31. */
export interface Variable {
  readonly name: string;
  /** Values of the variable. A key variable's are always a list. */
  readonly domain: Domain;
  /** A decision of the schedule (a tile size, a position, a choice); all other variables are functions of the keys. */
  readonly key: boolean;
}

/** A variable by name, or a constant. */
export type Term = string | number;

interface Explained {
  /**
   * The constraint in the operator's words: "the accumulators i.2 × j.2 fit 31 vector registers". Shown when a space is
   * empty.
   */
  readonly why: string;
  /** A limit may be blamed for an empty space; a definition only says what a derived variable is. */
  readonly role: "definition" | "limit";
}

/** result = Π factors */
export interface ProductConstraint extends Explained {
  readonly kind: "product";
  readonly result: Term;
  readonly factors: readonly Term[];
}

/** result = Σ coefficient · term + offset */
export interface SumConstraint extends Explained {
  readonly kind: "sum";
  readonly result: Term;
  readonly terms: readonly { readonly coefficient: number; readonly term: Term }[];
  readonly offset: number;
}

/** result = ⌈numerator / divisor⌉ : how many tiles cover an extent when the last may be partial. */
export interface CeilDivConstraint extends Explained {
  readonly kind: "ceil-div";
  readonly result: Term;
  readonly numerator: Term;
  readonly divisor: Term;
}

/** left ⋈ right */
export interface Comparison {
  readonly kind: "equal" | "not-equal" | "at-most" | "less-than";
  readonly left: Term;
  readonly right: Term;
}

/** variable ∈ values */
export interface Membership {
  readonly kind: "one-of";
  readonly variable: string;
  readonly values: readonly number[];
}

export interface CompareConstraint extends Comparison, Explained {}

export interface OneOfConstraint extends Membership, Explained {}

/** Implies `then` wherever all conditions hold: a relation within one way of scheduling, such as a loop order or a pack. */
export interface ConditionalConstraint extends Explained {
  readonly kind: "conditional";
  /** Conditions in the form that instructions have. Their tunables are key variables. */
  readonly when: readonly Condition[];
  readonly then: Comparison | Membership;
}

/** result = options[index] */
export interface SelectConstraint extends Explained {
  readonly kind: "select";
  readonly result: Term;
  readonly index: string;
  readonly options: readonly Term[];
}

export type Constraint =
  | ProductConstraint
  | SumConstraint
  | CeilDivConstraint
  | CompareConstraint
  | OneOfConstraint
  | SelectConstraint
  | ConditionalConstraint;

/** A constraint satisfaction problem. */
export interface ConstraintModel {
  readonly variables: readonly Variable[];
  readonly constraints: readonly Constraint[];
}
