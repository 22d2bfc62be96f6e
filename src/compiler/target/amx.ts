// x86-64 with matrix registers, tiles, for i8 and bf16 (AMX), and AVX-512 with VNNI and BF16: Intel from Sapphire Rapids.

import { avx512Bf16 } from "./avx512-bf16.ts";
import type { CpuTarget } from "./target.ts";

export const amx: CpuTarget = {
  ...avx512Bf16,
  name: "amx",
  features: [...avx512Bf16.features, "amx-bf16", "amx-int8", "amx-tile"].sort(),
};
