// A candidate's decisions by name and value, for people and for files: a way that has a name is given by it, not by its number.
// Assignment ↔ Decisions.

import type { Assignment } from "../../../compiler/index.ts";
import type { Template } from "../../data/space.ts";

export type Decisions = Readonly<Record<string, number | string>>;

/** Returns the decisions of the template's key variables, in their order. */
export function decisionsOf({ model, labels }: Template, assignment: Assignment): Decisions {
  const keys = model.variables.filter(({ key }) => key);
  return Object.fromEntries(
    keys.map(({ name }) => {
      const value = assignment[name]!;
      return [name, labels?.get(name)?.[value] ?? value];
    }),
  );
}

/**
 * Returns the assignment of decisions. Null: they are not the decisions of this template, or one of them has no such way.
 */
export function assignmentOf({ model, labels }: Template, decisions: Decisions): Assignment | null {
  const keys = model.variables.filter(({ key }) => key);
  const values = keys.map(({ name }): [string, number] => {
    const decision = Object.hasOwn(decisions, name) ? decisions[name]! : Number.NaN;
    if (typeof decision === "number") return [name, decision];
    const value = labels?.get(name)?.indexOf(decision) ?? -1;
    return [name, value < 0 ? Number.NaN : value];
  });
  const isWhole = values.length === Object.keys(decisions).length && values.every(([, value]) => !Number.isNaN(value));
  return isWhole ? Object.fromEntries(values) : null;
}
