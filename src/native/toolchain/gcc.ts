// GNU C.

import { findOnPath } from "./on-path.ts";
import { type CompilerFacts, preferWideVectors, systemLinkFlags } from "./toolchain.ts";

export const gcc: CompilerFacts = {
  locate: ({ path }) => findOnPath("gcc", path),
  aboutOption: "--version",
  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0". On macOS `gcc` is clang and says so.
  parseVersion: (line) => (/clang/i.test(line) ? null : (/\) (\d+\.\d+(?:\.\d+)?)/.exec(line)?.[1] ?? null)),
  machine: null,
  subcommand: [],
  ownFlags: [],
  vectorFlags: preferWideVectors,
  linkFlags: systemLinkFlags,
  privateFiles: () => ({}),
};
