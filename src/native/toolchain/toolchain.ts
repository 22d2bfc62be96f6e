// A C compiler that was found, and the flags with which it builds kernels. Flags are fixed lists: the same text and the
// same compiler give the same bytes on every machine.

import { type Architecture, architectureOf, type Numerics } from "../../compiler/index.ts";

/** Compiler families, the preferred one first; docs/compilers.md says why. */
export const compilerFamilies = ["gcc", "clang", "zig"] as const;
export type CompilerFamily = (typeof compilerFamilies)[number];

export interface Toolchain extends Installation {
  readonly family: CompilerFamily;
  /** "12.2.0" */
  readonly version: string;
  /**
   * Facts that decide the code that it makes, for keys: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01". No paths. The last is a digest of
   * its version line and of the bytes of its programs.
   */
  readonly identity: string;
  /** System that its addons run on, as `process.platform` and `process.arch` have it: "linux-x64". */
  readonly platform: string;
}

/** Place of a compiler. */
export interface Installation {
  /** Absolute path of the executable. */
  readonly path: string;
  /** Variables with which it finds its parts; empty where it finds them by itself. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Places where compilers are looked for. */
export interface SearchPlaces {
  /** A PATH: folders of executables. */
  readonly path: string;
  /** A folder of the user's project: packages are resolved from here. */
  readonly project: string;
  /** System that addons are for: "linux-arm64". Another one than this machine's asks for a compiler that builds for it. */
  readonly platform: string;
}

/** Facts of a compiler family: how it is found and asked what it is, and the options that only it takes. */
export interface CompilerFacts {
  locate(places: SearchPlaces): Installation | null;
  /** Option that makes it print a line with its version. */
  readonly aboutOption: string;
  /** Name of the program that a driver starts to compile C; null: it is the driver itself. */
  readonly properName: string | null;
  /** The version in that line; null if the line is another family's. */
  parseVersion(firstLine: string): string | null;
  /** The machine that it compiles for, by system; null: it is asked with -dumpmachine. */
  machine(platform: string): string | null;
  /** Arguments before all others. */
  readonly subcommand: readonly string[];
  /** Options for all code, beside `codeFlags`; how far it optimises is among them. */
  ownFlags(platform: string): readonly string[];
  /** Options that let code use the features, and vectors as wide as these allow. */
  featureFlags(features: readonly string[]): readonly string[];
  /** Options that make an addon. Nothing that differs from build to build goes in. */
  linkFlags(platform: string): readonly string[];
  /**
   * Arguments that make an import library from a list of functions, for systems whose linker wants to know which file has a function; null: the
   * family makes none.
   */
  importLibrary: ((definition: string, library: string, on: Architecture) => readonly string[]) | null;
  /** Variables that put the compiler's own files into a private directory. */
  privateFiles(folder: string): Readonly<Record<string, string>>;
}

/**
 * -ffp-contract is the one flag that may change results: "fast" fuses a product and a sum. Integers wrap; sqrt and
 * conversions need neither errno nor traps.
 */
export const codeFlags = (numerics: Numerics): readonly string[] => [
  "-std=gnu99",
  `-ffp-contract=${numerics === "fast" ? "fast" : "off"}`,
  "-fwrapv",
  "-fno-math-errno",
  "-fno-trapping-math",
  "-fvisibility=hidden",
  "-fPIC",
  "-fno-ident",
  "-w",
];

/**
 * Options that make a shared library. Node's own symbols are resolved when the addon is loaded, on Linux those of the C library too: an addon
 * that names none runs with any, glibc of every age and musl. The compiler's own library is linked in.
 */
export const systemLinkFlags = (platform: string): readonly string[] =>
  platform.startsWith("darwin-")
    ? ["-bundle", "-undefined", "dynamic_lookup"]
    : ["-shared", "-nostdlib", "-s", "-Wl,--build-id=none", "-lgcc"];

/**
 * Returns the options of gcc and clang that let code use the features, `-mavx2 -mfma` or `-march=armv8.2-a+dotprod+fp16`; every 64-bit ARM has
 * NEON, so it is no option. Wide vectors are kept whole: clang splits 64-byte ones into halves without it; gcc needs it for loops that it
 * vectorises itself.
 */
export function gnuFeatureFlags(features: readonly string[]): readonly string[] {
  if (architectureOf(features) === "arm64") return [`-march=armv8.2-a${armExtensions(features)}`];
  const wide = features.includes("avx512f") ? ["-mprefer-vector-width=512"] : [];
  return [...features.map((feature) => `-m${feature}`), ...wide];
}

/** `+dotprod+fp16`: the features of a target beyond those of all 64-bit ARM processors. */
export const armExtensions = (features: readonly string[]): string =>
  features
    .filter((feature) => feature !== "neon")
    .map((feature) => `+${feature}`)
    .join("");
