// The decisions of a product on the matrix unit: their names, and the values that are worth trying.

import type { SchedulableStage } from "../../../src/tuner/space/rule-authoring.ts";

/** Operand that stays in its scratchpad while blocks of the other one pass by. */
export const stays = ["neither", "weights", "inputs"] as const;

export const staysOf = ({ name }: SchedulableStage): string => `${name}.stays`;

/** Elements of an axis in a block; of columns and depth, vectors. */
export const tileOf = ({ name }: SchedulableStage, axis: { readonly name: string }): string =>
  `${name}.${axis.name}.tile`;

/** Divisors of an extent, and powers of two below it. */
export const tilesWorthTrying = (extent: number): readonly number[] =>
  Array.from({ length: extent }, (_, at) => at + 1).filter(
    (tile) => extent % tile === 0 || Number.isInteger(Math.log2(tile)),
  );
