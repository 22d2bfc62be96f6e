// x86-64 with AVX-512 and its dot products of bytes (VNNI): Intel from Ice Lake and Cascade Lake, AMD from Zen 4.

import { avx512 } from "./avx512.ts";
import type { CpuTarget } from "./target.ts";

export const avx512Vnni: CpuTarget = {
  ...avx512,
  name: "avx512-vnni",
  features: [...avx512.features, "avx512vnni"].sort(),
};
