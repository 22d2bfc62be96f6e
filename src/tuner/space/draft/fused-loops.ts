// Loops that become one, the outermost first: its name is theirs, joined by "+".

import type { Instruction, Operand } from "../../../compiler/index.ts";

/** Name of the loop that some loops become. */
export const fusedLoop = (loops: readonly string[]): string => loops.join("+");

/** Instructions that make one loop of several, which stand inside each other. */
export const fuseLoops = (loops: readonly string[]): readonly Instruction<Operand>[] =>
  loops.slice(1).map((inner, at) => ({ kind: "fuse", outer: fusedLoop(loops.slice(0, at + 1)), inner }));
