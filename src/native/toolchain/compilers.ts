// The compiler families, and how a message says that none was found.

import { clang } from "./clang.ts";
import { gcc } from "./gcc.ts";
import { platformHere } from "./platform.ts";
import type { CompilerFacts, CompilerFamily } from "./toolchain.ts";
import { zig, zigPackage } from "./zig.ts";

export const compilers: Readonly<Record<CompilerFamily, CompilerFacts>> = { gcc, clang, zig };

/**
 * Error that no compiler of the wanted families was found, with a hint for machines where only npm packages can be
 * installed.
 */
export const noCompiler = (
  wanted: readonly CompilerFamily[],
  platform: string = platformHere,
): { readonly message: string; readonly hint: string } => ({
  message: `no C compiler${platform === platformHere ? "" : ` for ${platform}`} found (looked for ${wanted.join(", ")})`,
  hint: wanted.includes("zig") ? `npm install -D --save-exact ${zigPackage} brings one` : "install it, or allow others",
});
