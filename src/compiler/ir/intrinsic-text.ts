// Text of an intrinsic for the code generators: C by compiler, an instruction on tiles, opcodes of WASM, or whatever a foreign one reads.

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
