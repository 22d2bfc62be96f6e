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
  // Kernels come vectorised, with what they load shared: to look for more of it takes a seventh of the time and finds nothing.
  ownFlags: ["-fno-tree-vectorize", "-fno-tree-pre"],
  vectorFlags: preferWideVectors,
  linkFlags: systemLinkFlags,
  privateFiles: () => ({}),
};
