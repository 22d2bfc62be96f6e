// Random instructions for a nest that is to run on a GPU, legal or not: loops are bound to threads, buffers moved between their
// memories, among all that `random-instruction.ts` draws.

import type { Instruction, LoopFunc } from "../../src/compiler/index.ts";
import { loopsIn } from "../../src/compiler/schedule/nest.ts";
import { threadAxes } from "../../src/compiler/schedule/primitive/bind.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { drawInstruction } from "./random-instruction.ts";

/** The same seed gives the same instruction for the same nest. */
export function drawThreadInstruction(nest: LoopFunc, seed: number): Instruction {
  const rng = createRng(seed);
  const loop = rng.pick(loopsIn(nest.body)).name;
  switch (rng.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return { kind: "bind", loop, axis: rng.pick(threadAxes) };
    case 4:
      return {
        kind: "set-scope",
        buffer: rng.pick(nest.buffers).name,
        scope: rng.pick(["group", "group", "register", "workspace"]),
      };
    case 5:
      return { kind: "annotate", loop, key: rng.pick(["stages", "shuffle"]), value: 2 + rng.below(2) };
    default:
      return drawInstruction(nest, rng.next());
  }
}
