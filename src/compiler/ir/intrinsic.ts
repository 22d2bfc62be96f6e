// Type of an intrinsic: an instruction of a machine with its meaning, the features that it needs, and its text for each
// code generator. It stands with the loop IR because a target may carry intrinsics of its own.

import type { IntrinsicTexts } from "./intrinsic-text.ts";
import type { LoopFunc } from "./loop-ir.ts";

export interface Intrinsic {
  /** Name by which schedules refer to it: "vpmaddwd.256". */
  readonly name: string;
  /** Features of the target that it needs. */
  readonly features: readonly string[];
  /**
   * Loops around one store to the first buffer; flat. Its buffers are the operands: fragments where the instruction takes
   * them from registers of its own, else workspace.
   */
  readonly meaning: LoopFunc;
  /** Whether sums are rounded as the loops of the meaning round them. False: it is for numerics "fast" only. */
  readonly exact: boolean;
  /**
   * How operands get to the instruction. "vectors" may be widened, and repeated to fill their lanes, on their way into registers;
   * "tiles" are moved as they lie in memory, row by row.
   */
  readonly operands: "vectors" | "tiles";
  readonly text: IntrinsicTexts;
}
