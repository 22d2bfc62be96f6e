// A map that finishes sums, on their way to memory: it becomes what their store writes.

import type { Instruction, Operand } from "../../../compiler/index.ts";

/** @param reader name of the map; null: none finishes the sums */
export const finishing = (reader: string | null): readonly Instruction<Operand>[] =>
  reader === null ? [] : [{ kind: "reverse-inline", block: reader }];
