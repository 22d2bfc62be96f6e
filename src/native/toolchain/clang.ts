// clang, Apple's included.

import type { CompilerFacts } from "./toolchain.ts";

export const clang: CompilerFacts = {
  command: "clang",
  // "Debian clang version 14.0.6", "Apple clang version 15.0.0 (clang-1500.3.9.4)"
  parseVersion: (line) => /clang version (\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null,
  // Without it 64-byte vectors are split into halves.
  vectorFlags: (features) => (features.includes("avx512f") ? ["-mprefer-vector-width=512"] : []),
};
