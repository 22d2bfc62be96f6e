// A template in the making. Rules take a draft and give back one or more: adding an instruction, a variable or a
// constraint makes a new draft, so forks share what they have in common.

import {
  type Assignment,
  type Condition,
  type Instruction,
  invariant,
  type Operand,
  type SplitTail,
  type TailStrategy,
  type TemplateInstruction,
} from "../../../compiler/index.ts";
import type { Constraint, Domain, Term, ValueRange, Variable } from "../../constraint/constraint.ts";
import { isRange } from "../../constraint/normal-form.ts";
import type { RankingFacts } from "../../prior/ranker.ts";

export interface Draft {
  /** The rules' decisions, in words; together the template's name. */
  readonly decisions: readonly string[];
  readonly instructions: readonly TemplateInstruction[];
  readonly variables: readonly Variable[];
  readonly constraints: readonly Constraint[];
  /** Names of the tunables that `choice` made. */
  readonly structure: readonly string[];
  /** Facts for the analytic prior, one for each stage whose cost a rule knows. */
  readonly estimates: readonly Estimate[];
  /** Stages that were scheduled together with one that reads them: no rule is asked about them. */
  readonly fused: readonly string[];
  /** Whether stages that are read at several places are kept: decided once for all of them; null: it is open. */
  readonly keeps: boolean | null;
  /** Stages that are kept. */
  readonly kept: ReadonlySet<string>;
  /** Stages placed under a loop of a stage that reads them, still to be scheduled. */
  readonly placed: readonly Placement[];
}

/** A stage that is computed a part at a time. */
export interface Placement {
  readonly stage: string;
  /** Extents of the axes in one part, where they are not whole. */
  readonly extents: ReadonlyMap<string, number>;
  /** Number of parts. */
  readonly times: number;
  /** The block of rows that a part computes, where a tunable says how many: then there are `times` parts for each block. */
  readonly block?: BlockOfRows;
}

/** Rows of a chain of stages that are computed together. */
export interface BlockOfRows {
  /** Name of the axis of the stage whose elements are the rows. */
  readonly axis: string;
  /** Tunable that says how many rows a block has. */
  readonly size: string;
  /** Rows of the whole axis. */
  readonly rows: number;
  /**
   * The loop over blocks, under which the stage is moved unless a rule moves it elsewhere; null: that loop is around it
   * already.
   */
  readonly at: string | null;
  /** The loop over the rows of a block, where its name does not follow from the axis. */
  readonly loop: string | null;
  /** Axes whose loops are outside of the blocks' loop. */
  readonly outside: readonly string[];
  /** Inputs that only this stage reads, the same for every block. */
  readonly shared: readonly string[];
  /** Bytes that all parts together have to bring from memory. */
  readonly bytesFromMemory: number;
}

/** Estimates what a schedule, given values of all variables, does to the machine in one stage. */
export type Estimate = (assignment: Assignment) => RankingFacts;

export const emptyDraft: Draft = {
  decisions: [],
  instructions: [],
  variables: [],
  constraints: [],
  structure: [],
  estimates: [],
  fused: [],
  keeps: null,
  kept: new Set(),
  placed: [],
};

export const estimate = (draft: Draft, facts: Estimate): Draft => ({
  ...draft,
  estimates: [...draft.estimates, facts],
});

export const fuse = (draft: Draft, stage: string): Draft => ({ ...draft, fused: [...draft.fused, stage] });

/** Keeps these stages, and later ones that are read at several places. */
export const keep = (draft: Draft, stages: Iterable<string>): Draft => ({
  ...draft,
  keeps: true,
  kept: new Set([...draft.kept, ...stages]),
});

/** Inlines all stages that may be. */
export const keepNone = (draft: Draft): Draft => ({ ...draft, keeps: false });

export const place = (draft: Draft, placements: readonly Placement[]): Draft => ({
  ...draft,
  placed: [...draft.placed, ...placements],
});

export const decide = (draft: Draft, decision: string): Draft => ({
  ...draft,
  decisions: [...draft.decisions, decision],
});

export const instruct = (draft: Draft, ...instructions: readonly Instruction<Operand>[]): Draft =>
  instructWhen(draft, [], ...instructions);

/** Adds instructions, each under its own conditions. */
export const instructAll = (draft: Draft, instructions: readonly TemplateInstruction[]): Draft => ({
  ...draft,
  instructions: [...draft.instructions, ...instructions],
});

/** Adds instructions that are part of the schedule only where all conditions hold. */
export const instructWhen = (
  draft: Draft,
  when: readonly Condition[],
  ...instructions: readonly Instruction<Operand>[]
): Draft => ({
  ...draft,
  instructions: [...draft.instructions, ...instructions.map((instruction) => ({ instruction, when }))],
});

/** Makes the condition that a tunable has a value. */
export const is = (tunable: string, value: number): Condition => ({ tunable, oneOf: [value] });

/** Adds a tunable: a key variable with the values that it may take, sorted and without repetition. */
export const tunable = (draft: Draft, name: string, domain: Iterable<number>): Draft => ({
  ...draft,
  variables: [...draft.variables, { name, domain: sortedUnique(domain), key: true }],
});

/** Adds a tunable that decides about the shape of the schedule: one of `count` ways, by number. */
export const choice = (draft: Draft, name: string, count: number): Draft => ({
  ...tunable(draft, name, Array(count).keys()),
  structure: [...draft.structure, name],
});

/** Adds a variable that follows from others. */
export const derived = (draft: Draft, name: string, domain: Domain): Draft => ({
  ...draft,
  variables: [...draft.variables, { name, domain, key: false }],
});

export const constrain = (draft: Draft, constraint: Constraint): Draft => ({
  ...draft,
  constraints: [...draft.constraints, constraint],
});

/** Adds a variable: result = Π factors. Few possible values are listed, many become a range. */
export const product = (draft: Draft, result: string, factors: readonly Term[], why: string): Draft =>
  constrain(derived(draft, result, productDomain(draft, factors)), {
    kind: "product",
    result,
    factors,
    why,
    role: "definition",
  });

/** Term of a sum, with its coefficient. */
export interface Weighted {
  readonly coefficient: number;
  readonly term: Term;
}

/** Adds a variable: result = Σ coefficient · term + offset, with coefficients ≥ 0. */
export function sum(draft: Draft, result: string, terms: readonly Weighted[], offset: number, why: string): Draft {
  const ends = terms.map(({ coefficient, term }) => ({ coefficient, ...endsOf(domainOf(draft, term)) }));
  const end = (at: "from" | "to"): number =>
    Math.min(
      mostValue,
      ends.reduce((total, it) => total + it.coefficient * it[at], offset),
    );
  const domain = { from: Math.max(0, end("from")), to: end("to") };
  return constrain(derived(draft, result, domain), { kind: "sum", result, terms, offset, why, role: "definition" });
}

const mostListedValues = 128;
/** Largest value of a variable of a model. */
const mostValue = 2 ** 31 - 1;

function productDomain(draft: Draft, factors: readonly Term[]): Domain {
  if (factors.some((factor) => isRange(domainOf(draft, factor)))) return rangeOf(draft, factors);
  let values: readonly number[] = [1];
  for (const factor of factors) {
    const domain = valuesOf(draft, factor);
    if (values.length * domain.length > 40 * mostListedValues) return rangeOf(draft, factors);
    values = sortedUnique(values.flatMap((a) => domain.map((b) => a * b)));
  }
  return values.length > mostListedValues ? rangeOf(draft, factors) : values;
}

function rangeOf(draft: Draft, factors: readonly Term[]): Domain {
  const ends = factors.map((factor) => endsOf(domainOf(draft, factor)));
  const productOf = (values: readonly number[]): number =>
    values.reduce((total, value) => Math.min(total * value, mostValue), 1);
  return { from: productOf(ends.map(({ from }) => from)), to: productOf(ends.map(({ to }) => to)) };
}

const endsOf = (domain: Domain): ValueRange => (isRange(domain) ? domain : { from: domain[0]!, to: domain.at(-1)! });

/** Adds a variable: result = ⌈numerator / divisor⌉ for a constant numerator. */
export function tilesOf(draft: Draft, result: string, numerator: number, divisor: string, why: string): Draft {
  const domain = sortedUnique(valuesOf(draft, divisor).map((value) => Math.ceil(numerator / value)));
  const constraint = { kind: "ceil-div", result, numerator, divisor, why, role: "definition" } as const;
  return constrain(derived(draft, result, domain), constraint);
}

export const atMost = (draft: Draft, left: Term, right: Term, why: string): Draft =>
  constrain(draft, { kind: "at-most", left, right, why, role: "limit" });

/** Adds a limit of one way of scheduling: it holds where all conditions do. */
export function atMostWhen(draft: Draft, when: readonly Condition[], left: Term, right: Term, why: string): Draft {
  if (when.length === 0) return atMost(draft, left, right, why);
  return constrain(draft, { kind: "conditional", when, then: { kind: "at-most", left, right }, why, role: "limit" });
}

/** Returns the values of a variable that has a list, or the constant itself. */
export function valuesOf(draft: Draft, term: Term): readonly number[] {
  const domain = domainOf(draft, term);
  invariant(!isRange(domain), `${term} has a range of values, not a list`);
  return domain;
}

function domainOf(draft: Draft, term: Term): Domain {
  if (typeof term === "number") return [term];
  const variable = draft.variables.find(({ name }) => name === term);
  invariant(variable, `no variable is named ${term}`);
  return variable.domain;
}

/** Tail strategies that a split may choose from; the tunable is an index into this list. */
export const tailChoices: readonly TailStrategy[] = ["cut", "mask"];

/** Adds a split whose tail strategy may be a decision too: one instruction a choice, each under its value of the tunable. */
export function splitWithTail(
  draft: Draft,
  loop: string,
  factors: readonly Operand[],
  tail: SplitTail | { readonly tunable: string },
): Draft {
  if (typeof tail === "string") return instruct(draft, { kind: "split", loop, factors, tail });
  return tailChoices.reduce(
    (result, chosen, value) =>
      instructWhen(result, [is(tail.tunable, value)], { kind: "split", loop, factors, tail: chosen }),
    draft,
  );
}

export const sortedUnique = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);
