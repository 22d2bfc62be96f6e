// The compiler families, and how a message says that none was found.

import { clang } from "./clang.ts";
import { gcc } from "./gcc.ts";
import type { CompilerFacts, CompilerFamily } from "./toolchain.ts";
import { zig, zigPackage } from "./zig.ts";

export const compilers: Readonly<Record<CompilerFamily, CompilerFacts>> = { gcc, clang, zig };

/** That none of the families was found, and what to do about it where nothing can be installed but packages. */
export const noCompiler = (wanted: readonly CompilerFamily[]): { readonly message: string; readonly hint: string } => ({
  message: `no C compiler found (looked for ${wanted.join(", ")})`,
  hint: wanted.includes("zig") ? `npm install -D --save-exact ${zigPackage} brings one` : "install it, or allow others",
});
