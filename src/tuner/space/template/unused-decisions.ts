// Decisions that decide nothing: no instruction takes them and no constraint names them, so candidates that differ in them
// alone would be measured again and again.

import type { Constraint } from "../../constraint/constraint.ts";
import { termsOf } from "../../constraint/terms.ts";
import type { Draft } from "../draft/draft.ts";

export function withoutUnused(draft: Draft): Draft {
  const used = new Set<unknown>([
    ...draft.instructions.flatMap(({ instruction, when }) => [
      ...tunablesIn(instruction),
      ...when.map(({ tunable }) => tunable),
    ]),
    ...draft.constraints.flatMap((constraint: Constraint) => termsOf(constraint)),
  ]);
  return {
    ...draft,
    variables: draft.variables.filter(({ name }) => used.has(name)),
    structure: draft.structure.filter((name) => used.has(name)),
  };
}

/** Operands stand in fields of an instruction, in lists, and in lists of objects. */
export function tunablesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(tunablesIn);
  if (typeof value !== "object" || value === null) return [];
  return "tunable" in value ? [String(value.tunable)] : Object.values(value).flatMap(tunablesIn);
}
