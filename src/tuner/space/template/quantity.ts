// Numbers of a template that are known only once its decisions are made: tunables, and what follows from them.
// Quantity → a term of the constraint model, with its values.

import type { Condition } from "../../../compiler/index.ts";
import type { Domain, Term } from "../../constraint/constraint.ts";
import { isRange } from "../../constraint/normal-form.ts";
import { type Draft, product } from "../draft/draft.ts";

/** The value of a decision, perhaps times a constant: an operand of instructions. */
export interface Sampled {
  readonly tunable: string;
  readonly times?: number;
}

/** A value that follows from decisions: for constraints only, since no instruction can be made of it. */
export interface Derived {
  readonly variable: string;
}

export type Quantity = number | Sampled | Derived;

/** A decision between ways that have names. */
export interface Choice<Option extends string = string> {
  readonly tunable: string;
  readonly options: readonly Option[];
  /** Makes the condition that the decision is one of these. */
  readonly is: (...options: readonly Option[]) => Condition;
}

/** Returns the term for a quantity; a multiple of a tunable becomes a variable of the model. */
export function termOf(draft: Draft, quantity: Quantity): readonly [Draft, Term] {
  if (typeof quantity === "number") return [draft, quantity];
  if ("variable" in quantity) return [draft, quantity.variable];
  const { tunable, times = 1 } = quantity;
  if (times === 1) return [draft, tunable];
  const name = `${tunable}×${times}`;
  if (hasVariable(draft, name)) return [draft, name];
  return [product(draft, name, [tunable, times], `${times} times ${tunable}`), name];
}

export function termsOf(draft: Draft, quantities: readonly Quantity[]): readonly [Draft, readonly Term[]] {
  let result = draft;
  const terms = quantities.map((quantity) => {
    const [next, term] = termOf(result, quantity);
    result = next;
    return term;
  });
  return [result, terms];
}

export const hasVariable = ({ variables }: Draft, name: string): boolean => variables.some((it) => it.name === name);

/** Returns the values of a term: a list, or a range where there are many. */
export function domainOf({ variables }: Draft, term: Term): Domain {
  return typeof term === "number" ? [term] : variables.find(({ name }) => name === term)!.domain;
}

export function endsOf(draft: Draft, term: Term): { readonly from: number; readonly to: number } {
  const domain = domainOf(draft, term);
  return isRange(domain) ? domain : { from: domain[0]!, to: domain.at(-1)! };
}

/** Prints a quantity as the words of a constraint show it. */
export function quantityText(quantity: Quantity): string {
  if (typeof quantity === "number") return String(quantity);
  if ("variable" in quantity) return quantity.variable;
  return quantity.times === undefined ? quantity.tunable : `${quantity.times} ${quantity.tunable}`;
}
