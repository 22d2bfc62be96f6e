// GNU C.

import { findOnPath } from "./on-path.ts";
import { platformHere } from "./platform.ts";
import { type CompilerFacts, gnuFeatureFlags, systemLinkFlags } from "./toolchain.ts";

/**
 * Optimizations of -O2 that kernels need beyond -O1. Kernels come vectorised, unrolled and with shared loads, so that the rest of
 * -O2 takes half as long again and finds nothing. Without -fexpensive-optimizations accumulators are copied from register to
 * register (1.3 times as slow). Tracking known bits of wide vectors would take a quarter of the rest, for no gain.
 */
const optimizations = [
  "-O1",
  "-fexpensive-optimizations",
  "-fgcse",
  "-frerun-cse-after-loop",
  "-fschedule-insns2",
  "-fpeephole2",
  "-fstrict-aliasing",
  "-fno-tree-bit-ccp",
];

/**
 * Coalescing joins the sum of an unrolled step with that of the next before registers are given out. On x86, where a product may have an
 * operand in memory, operands of tiles that fill the register file then lose their registers, and each product loads its own again: up to
 * 1.6 times as slow. On ARM no operand is in memory, and without coalescing products of matrices (smmla, bfmmla) copy their sums.
 */
const optimizationsOf = (platform: string): readonly string[] =>
  platform.endsWith("-arm64") ? optimizations : [...optimizations, "-fno-tree-coalesce-vars"];

/** Prefixes of gcc where it builds for another system, as Linux distributions name their packages. */
const crossTriples: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-linux-gnu",
  "linux-arm64": "aarch64-linux-gnu",
};

export const gcc: CompilerFacts = {
  locate: ({ path, platform }) => {
    const triple = platform === platformHere ? null : crossTriples[platform];
    return triple === undefined ? null : findOnPath(triple === null ? "gcc" : `${triple}-gcc`, path);
  },
  aboutOption: "--version",
  properName: "cc1",
  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0". On macOS `gcc` is clang and says so.
  parseVersion: (line) => (/clang/i.test(line) ? null : (/\) (\d+\.\d+(?:\.\d+)?)/.exec(line)?.[1] ?? null)),
  machine: () => null,
  subcommand: [],
  ownFlags: optimizationsOf,
  featureFlags: gnuFeatureFlags,
  linkFlags: systemLinkFlags,
  importLibrary: null,
  privateFiles: () => ({}),
};
