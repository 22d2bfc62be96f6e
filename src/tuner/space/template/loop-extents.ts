// Counts the iterations of a template's loops, as far as they follow from the operator and the instructions so far; tile sizes
// are factors of them. Loops that other instructions make are not known here.

import {
  blocksIn,
  type ComputeDef,
  fromCompute,
  type Instruction,
  loopName,
  type Operand,
} from "../../../compiler/index.ts";
import type { Quantity } from "./quantity.ts";

export type LoopExtents = ReadonlyMap<string, Quantity>;

/** Returns the extents of the loops of the naive nest. */
export const loopExtents = (op: ComputeDef): LoopExtents =>
  new Map(
    blocksIn(fromCompute(op).body).flatMap(({ name, axes }) =>
      axes.map((axis): [string, Quantity] => [loopName(name, axis.name), axis.extent]),
    ),
  );

export function extentAfter(extents: LoopExtents, instruction: Instruction<Operand>): LoopExtents {
  switch (instruction.kind) {
    case "split":
      return afterSplit(extents, instruction.loop, instruction.factors);
    case "fuse": {
      const [outer, inner] = [extents.get(instruction.outer), extents.get(instruction.inner)];
      const name = `${instruction.outer}+${instruction.inner}`;
      return typeof outer === "number" && typeof inner === "number"
        ? new Map(extents).set(name, outer * inner)
        : extents;
    }
    default:
      return extents;
  }
}

function afterSplit(extents: LoopExtents, loop: string, factors: readonly Operand[]): LoopExtents {
  const result = new Map(extents);
  const whole = extents.get(loop);
  for (const [at, factor] of factors.entries()) {
    const extent = factor === 0 ? inferred(whole, factors) : factor;
    if (extent !== undefined) result.set(`${loop}.${at}`, extent);
  }
  return result;
}

/** Returns what a factor 0 becomes, where all others are known. */
function inferred(whole: Quantity | undefined, factors: readonly Operand[]): number | undefined {
  if (typeof whole !== "number" || factors.some((factor) => typeof factor !== "number")) return undefined;
  const known = factors.reduce<number>((total, factor) => total * (factor === 0 ? 1 : (factor as number)), 1);
  return Math.ceil(whole / known);
}
