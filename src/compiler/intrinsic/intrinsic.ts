// Type of an intrinsic: an instruction of a machine with its meaning, the features that it needs, and its text for each
// code generator. A family is a list of them in one file beside this one; `intrinsics.ts` has them all.

import type { LoopFunc } from "../ir/loop-ir.ts";

export interface Intrinsic {
  /** Name by which schedules refer to it: "vpmaddwd.256". */
  readonly name: string;
  /** Features of the target that it needs. */
  readonly features: readonly string[];
  /**
   * Loops around one store to the first buffer; flat. Its buffers, all of them workspace, are the operands.
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

/** Text of an intrinsic by the name of the back end that emits it. A foreign back end's is of its own type, which only it reads. */
export interface IntrinsicTexts {
  readonly c?: CIntrinsicText;
  readonly wasm?: WasmIntrinsicText;
  readonly [backend: string]: unknown;
}

export type CIntrinsicText =
  /** C expressions of the operands, which are GNU vectors named as in the meaning. Builtins differ by compiler.
   * `preamble` stands before the function that the expression becomes. */
  | { readonly kind: "vectors"; readonly gcc: string; readonly clang: string; readonly preamble?: string }
  /** An instruction of x86 on tile registers, result first; null: a move between tiles and memory, or of zeros. */
  | { readonly kind: "tiles"; readonly instruction: string | null };

export interface WasmIntrinsicText {
  /** Opcodes that find the operands on the stack, in order. */
  readonly ops: readonly string[];
}
