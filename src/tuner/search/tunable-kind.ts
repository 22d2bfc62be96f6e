// What a decision is about, told from where its tunable stands in the template: its size, its shape, its unrolling.

import type { Template } from "../space/space.ts";

/**
 * "tile-size": the size of a tile. "choice": which of several shapes, or at which loop; MetaSchedule's compute
 * location. "unroll": how far a loop is unrolled, with no other effect on the tiles.
 */
export const tunableKinds = ["tile-size", "choice", "unroll"] as const;
export type TunableKind = (typeof tunableKinds)[number];

/** The key variables of a template by kind. */
export function tunablesByKind(template: Template): Readonly<Record<TunableKind, readonly string[]>> {
  const choices = choicesOf(template);
  const unrolled = unrolledOf(template);
  const keys = template.model.variables.filter(({ key }) => key).map(({ name }) => name);
  return {
    "tile-size": keys.filter((name) => !choices.has(name) && !unrolled.has(name)),
    choice: keys.filter((name) => choices.has(name)),
    unroll: keys.filter((name) => unrolled.has(name) && !choices.has(name)),
  };
}

/** Those that decide which instructions there are, and those that a constraint selects by. */
function choicesOf({ structure, instructions, model }: Template): Set<string> {
  const conditions = instructions.flatMap(({ when }) => when.map(({ tunable }) => tunable));
  const indices = model.constraints.flatMap((constraint) => (constraint.kind === "select" ? [constraint.index] : []));
  return new Set([...structure, ...conditions, ...indices]);
}

/** Depths of `unroll`, values of `annotate`, and by their names the innermost tiles that rules make to unroll them. */
function unrolledOf({ instructions, model }: Template): Set<string> {
  const operands = instructions.flatMap(({ instruction }) => {
    if (instruction.kind === "unroll") return [instruction.depth];
    return instruction.kind === "annotate" ? [instruction.value] : [];
  });
  const depths = operands.flatMap((operand) => (typeof operand === "object" ? [operand.tunable] : []));
  const named = model.variables.filter(({ name }) => name.endsWith(".unroll")).map(({ name }) => name);
  return new Set([...depths, ...named]);
}
