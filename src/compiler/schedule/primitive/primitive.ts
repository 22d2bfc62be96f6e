// The contract of a schedule primitive: one file each beside this one, all of them in the table of `index.ts`.

import type { Intrinsic } from "../../ir/intrinsic.ts";
import type { LoopFunc } from "../../ir/loop-ir.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import type { InstructionKind, InstructionOf } from "../trace.ts";

export interface Primitive<K extends InstructionKind> {
  readonly kind: K;
  /**
   * Says why the instruction is not legal here; null if it is. Costs little: the search asks thousands of times.
   *
   * @param intrinsics those that the target carries beside ours
   */
  check(nest: LoopFunc, args: InstructionOf<K>, intrinsics?: readonly Intrinsic[]): Diagnostic | null;
  /** The nest after the instruction. Assumes that `check` gave null; the meaning of the nest stays what it was. */
  apply(nest: LoopFunc, args: InstructionOf<K>): LoopFunc;
  /** Text of the instruction in one line: `split C.i [11, 6] mask`. */
  print(args: InstructionOf<K>): string;
}
