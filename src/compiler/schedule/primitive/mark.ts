// Common part of unroll, vectorize and parallel: they mark a loop, and the lowering carries the mark out.

import type { LoopFunc, LoopMark } from "../../ir/loop-ir.ts";
import { updateFor } from "../../ir/update.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { carriedBuffer } from "../carried.ts";
import { blocksIn, findLoop, reduceVars, replaceLoop } from "../nest.ts";
import { repeatingVars } from "../recompute.ts";
import { illegal, noSuchLoop } from "./illegal.ts";

/** The primitives that mark a loop. */
type Verb = "bind" | "parallel" | "unroll" | "vectorize";

export function checkMark(nest: LoopFunc, loop: string, verb: Verb): Diagnostic | null {
  const place = findLoop(nest, loop);
  if (!place) return noSuchLoop(`${verb}.no-such-loop`, nest, loop);
  if (place.loop.mark === "serial") return null;
  return illegal(`${verb}.marked`, nest, [loop], `${loop} is already ${place.loop.mark}`);
}

/** Checks that the iterations of a loop are independent: they are, unless it drives a reduction or a buffer takes values along. */
export function checkIndependent(nest: LoopFunc, loop: string, verb: Exclude<Verb, "unroll">): Diagnostic | null {
  const place = findLoop(nest, loop)!;
  if (verb !== "vectorize") {
    const again = blocksIn(place.loop).find((block) => repeatingVars(block).has(loop));
    const text = `${loop} comes back to elements of ${again?.name}, which two threads would compute at a time`;
    if (again) return illegal(`${verb}.recomputes`, nest, [loop], text, 'split with tail: "cut" or "mask"');
  }
  const reduction = blocksIn(place.loop).find((block) => reduceVars(block).has(loop));
  if (reduction) {
    return illegal(
      `${verb}.reduction`,
      nest,
      [loop],
      `${loop} drives the reduction of ${reduction.name}, its iterations depend on each other`,
      verb === "vectorize"
        ? "vectorize the innermost loop of a sum, a product, a minimum or a maximum, or a loop over an axis of the result"
        : `${verb} a loop over an axis of the result`,
    );
  }
  const carried = carriedBuffer(place.loop);
  if (!carried) return null;
  return illegal(
    `${verb}.carried`,
    nest,
    [loop],
    `iterations of ${loop} may read what earlier ones have left in ${carried}`,
    `${verb} a loop outside of the storage of ${carried}, or one inside`,
  );
}

export const markLoop = (nest: LoopFunc, name: string, mark: LoopMark): LoopFunc =>
  replaceLoop(nest, name, (loop) => updateFor(loop, { mark }));
