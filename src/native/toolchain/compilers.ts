// The compiler families, and how a message says that none was found.

import { clang } from "./clang.ts";
import { gcc } from "./gcc.ts";
import { platformHere } from "./platform.ts";
import type { CompilerFacts, CompilerFamily } from "./toolchain.ts";
import { zig, zigPackage } from "./zig.ts";

export const compilers: Readonly<Record<CompilerFamily, CompilerFacts>> = { gcc, clang, zig };

/** Options of a family's own for a system; none of a name that is no family of this version, as another's record may have it. */
export const ownFlagsOf = (name: string, platform: string): readonly string[] =>
  Object.hasOwn(compilers, name) ? compilers[name as CompilerFamily].ownFlags(platform) : [];

/**
 * Families that build addons for a system, of those that are wanted. For Windows that is zig alone: gcc keeps vectors of 32 bytes and more on a
 * stack there that is aligned to 16 (its bug 54412), and clang comes without the headers of Windows.
 */
export const buildersFor = (platform: string, wanted: readonly CompilerFamily[]): readonly CompilerFamily[] =>
  platform.startsWith("win32-") ? wanted.filter((family) => family === "zig") : wanted;

/**
 * Error that no compiler of the wanted families was found, with a hint for machines where only npm packages can be
 * installed.
 */
export const noCompiler = (
  wanted: readonly CompilerFamily[],
  platform: string = platformHere,
): { readonly message: string; readonly hint: string } => ({
  message: `no C compiler${platform === platformHere ? "" : ` for ${platform}`} found (looked for ${lookedFor(platform, wanted)})`,
  hint: wanted.includes("zig") ? `npm install -D --save-exact ${zigPackage} brings one` : "install it, or allow others",
});

/** A family that is wanted and builds nothing for the system is named all the same: it was the user who named it. */
function lookedFor(platform: string, wanted: readonly CompilerFamily[]): string {
  const builders = buildersFor(platform, wanted);
  return (builders.length > 0 ? builders : wanted).join(", ");
}
