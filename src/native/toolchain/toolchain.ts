// A C compiler that was found, and the flags with which it builds kernels. Flags are fixed lists: the same text and the
// same compiler give the same bytes on every machine.

import type { Numerics } from "../../compiler/index.ts";

export type CompilerFamily = "gcc" | "clang";

export interface Toolchain {
  readonly family: CompilerFamily;
  /** Absolute path. */
  readonly path: string;
  /** "12.2.0" */
  readonly version: string;
  /** What decides the code that it makes, for keys: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01". No paths. */
  readonly identity: string;
}

/** Facts of a compiler family: how its version text reads, and the options that only it takes. */
export interface CompilerFacts {
  /** The executable that is looked for. */
  readonly command: string;
  /** The version in the first line of `--version`; null if the line is another family's. */
  parseVersion(firstLine: string): string | null;
  /** Options for vectors as wide as the features allow. */
  vectorFlags(features: readonly string[]): readonly string[];
}

/**
 * -ffp-contract is the one flag that may change results: "fast" fuses a product and a sum. Integers wrap; sqrt and
 * conversions need neither errno nor traps.
 */
export const codeFlags = (numerics: Numerics): readonly string[] => [
  "-std=gnu99",
  "-O2",
  `-ffp-contract=${numerics === "fast" ? "fast" : "off"}`,
  "-fwrapv",
  "-fno-math-errno",
  "-fno-trapping-math",
  "-fvisibility=hidden",
  "-fPIC",
  "-fno-ident",
  "-w",
];

/** Node's own symbols are found when the addon is loaded. Nothing that differs from build to build goes in. */
export const linkFlags = (platform: NodeJS.Platform): readonly string[] =>
  platform === "darwin" ? ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared", "-s", "-Wl,--build-id=none"];
