// Text of an intrinsic for the code generators: C by compiler, an instruction on tiles, or opcodes of WASM.

export type IntrinsicText =
  /** C expressions of the operands, which are GNU vectors named as in the meaning. Builtins differ by compiler.
   * `preamble` stands before the function that the expression becomes. */
  | { readonly kind: "c"; readonly gcc: string; readonly clang: string; readonly preamble?: string }
  /** An instruction of x86 on tile registers, result first; null: a move between tiles and memory, or of zeros. */
  | { readonly kind: "tile"; readonly instruction: string | null }
  /** Opcodes that find the operands on the stack, in order. */
  | { readonly kind: "wasm"; readonly ops: readonly string[] };
