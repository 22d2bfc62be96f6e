// x86-64 with AVX-512, VNNI, and the dot products of pairs of bf16: Intel from Cooper Lake, AMD from Zen 4.

import { avx512Vnni } from "./avx512-vnni.ts";
import type { CpuTarget } from "./target.ts";

export const avx512Bf16: CpuTarget = {
  ...avx512Vnni,
  name: "avx512-bf16",
  features: [...avx512Vnni.features, "avx512bf16"].sort(),
};
