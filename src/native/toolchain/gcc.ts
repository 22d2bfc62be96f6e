// GNU C.

import type { CompilerFacts } from "./toolchain.ts";

export const gcc: CompilerFacts = {
  command: "gcc",
  // "gcc (Debian 12.2.0-14+deb12u1) 12.2.0". On macOS `gcc` is clang and says so.
  parseVersion: (line) => (/clang/i.test(line) ? null : (/\) (\d+\.\d+(?:\.\d+)?)/.exec(line)?.[1] ?? null)),
  // Vectors of 64 bytes need no option; the preference is about loops that gcc vectorises itself.
  vectorFlags: (features) => (features.includes("avx512f") ? ["-mprefer-vector-width=512"] : []),
};
