// x86-64 with the AVX-512 of Skylake servers (F, BW, CD, DQ, VL), and of AMD from Zen 4.

import type { CpuTarget } from "./target.ts";

export const avx512: CpuTarget = {
  kind: "cpu",
  name: "avx512",
  backend: "c",
  features: ["avx", "avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "f16c", "fma"],
  vectorBytes: 64,
  vectorRegisters: 32,
  hasFma: true,
  hasMaskedStore: true,
  // Sapphire Rapids: 48 KiB and 2 MiB a core; 1.9 MiB of L3 a core. Detection puts in what the machine has.
  l1Bytes: 48 * 1024,
  l2Bytes: 2 * 1024 * 1024,
  l3Bytes: 1920 * 1024,
  threads: 1,
};
