// Sorts decisions by what they are about, told from where the tunable stands in the template: a size, a shape, an unrolling.

import type { Template } from "../../data/space.ts";

/**
 * Kinds of decisions. "tile-size": the size of a tile. "choice": which of several shapes, or at which loop; MetaSchedule's
 * compute location. "unroll": how far a loop is unrolled, with no other effect on the tiles.
 */
export const tunableKinds = ["tile-size", "choice", "unroll"] as const;
export type TunableKind = (typeof tunableKinds)[number];

/** Groups the key variables of a template by kind. */
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

/** Returns tunables that decide which instructions there are, or by which a constraint selects. */
function choicesOf({ structure, instructions, model }: Template): Set<string> {
  const conditions = instructions.flatMap(({ when }) => when.map(({ tunable }) => tunable));
  const indices = model.constraints.flatMap((constraint) => (constraint.kind === "select" ? [constraint.index] : []));
  return new Set([...structure, ...conditions, ...indices]);
}

/** Returns depths of `unroll`, values of `annotate`, and innermost tiles made for unrolling, which their names tell. */
function unrolledOf({ instructions, model }: Template): Set<string> {
  const operands = instructions.flatMap(({ instruction }) => {
    if (instruction.kind === "unroll") return [instruction.depth];
    return instruction.kind === "annotate" ? [instruction.value] : [];
  });
  const depths = operands.flatMap((operand) => (typeof operand === "object" ? [operand.tunable] : []));
  const named = model.variables.filter(({ name }) => name.endsWith(".unroll")).map(({ name }) => name);
  return new Set([...depths, ...named]);
}
