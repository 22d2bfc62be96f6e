// x86-64 with AVX2, FMA and F16C: Intel from Haswell (2013), AMD from Zen.

import type { CpuTarget } from "./target.ts";

export const avx2: CpuTarget = {
  kind: "cpu",
  name: "avx2",
  backend: "c",
  features: ["avx", "avx2", "f16c", "fma"],
  vectorBytes: 32,
  vectorRegisters: 16,
  hasFma: true,
  // vmaskmov moves 4- and 8-byte lanes.
  hasMaskedStore: true,
  // Zen 3; detection puts in what the machine has.
  l1Bytes: 32 * 1024,
  l2Bytes: 512 * 1024,
  l3Bytes: 2 * 1024 * 1024,
  threads: 1,
};
