// The compiler's part of a back end: its own list of passes, and what it makes of the flat loop IR. One folder beside this file each;
// `backend/code-generators.ts` lists them.

import type { ComputeDef } from "../expr/compute-def.ts";
import type { LoopFunc } from "../ir/loop-ir.ts";
import type { Pass } from "../lower/pass/pass.ts";
import type { Numerics, Target } from "../target/target.ts";
import type { BackendTraits } from "./backend-traits.ts";
import type { KernelSource } from "./kernel-source.ts";

export interface GenerateOptions {
  readonly target: Target;
  readonly numerics: Numerics;
  /** Whether products and sums may be fused by instructions that only some engines have. Default: false. */
  readonly relaxed?: boolean;
}

/** Size of a kernel's code. Null: the back end does not count it. */
export interface CodeSize {
  /** Number of statements in the text. */
  readonly statements: number | null;
  /** Bytes of machine code or of a module. */
  readonly bytes: number | null;
  /** Bytes of scratch memory that the code asks its caller for. */
  readonly workspaceBytes: number | null;
  /** Number of characters that a compiler has to read; 0: no compiler reads it. */
  readonly characters: number;
}

export interface CodeGenerator<Source extends KernelSource = KernelSource> extends BackendTraits {
  /** Language of what is printed, and the ending of its files: "C" and "c", "WAT" and "wat". */
  readonly language: string;
  readonly extension: string;
  /** Passes from the scheduled form to the one that `generate` reads, in order. */
  readonly passes: readonly Pass[];
  /** Says why no schedule of an operator leads to code: what the machine has no numbers for. Null, and default: schedules may. */
  cannotCompute?(op: ComputeDef, numerics: Numerics): string | null;
  /**
   * Generates the code of a lowered function.
   *
   * @throws DiagnosticError for what the machine cannot do
   */
  generate(flat: LoopFunc, options: GenerateOptions): Source;
  /** Prints the code that `generate` makes of the same function, for people: dumps, reports and inspections show it. */
  print(flat: LoopFunc, options: GenerateOptions): string;
  /** Returns what the digest of a source is made of: equal for equal kernels, another one for all others. */
  code(source: Source): string | Uint8Array;
  sizeOf(source: Source): CodeSize;
}
