// clang, Apple's included.

import { findOnPath } from "./on-path.ts";
import { platformHere } from "./platform.ts";
import { type CompilerFacts, gnuFeatureFlags, systemLinkFlags } from "./toolchain.ts";

export const clang: CompilerFacts = {
  // For another system it would need the headers of that one.
  locate: ({ path, platform }) => (platform === platformHere ? findOnPath("clang", path) : null),
  aboutOption: "--version",
  properName: null,
  // "Debian clang version 14.0.6", "Apple clang version 15.0.0 (clang-1500.3.9.4)"
  parseVersion: (line) => /clang version (\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null,
  machine: () => null,
  subcommand: [],
  ownFlags: () => ["-O2"],
  featureFlags: gnuFeatureFlags,
  linkFlags: systemLinkFlags,
  importLibrary: null,
  privateFiles: () => ({}),
};
