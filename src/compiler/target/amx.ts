// x86-64 with matrix registers, tiles, for i8 and bf16 (AMX), and AVX-512 with VNNI and BF16: Intel from Sapphire Rapids.

import { avx512Vnni } from "./avx512-vnni.ts";
import type { Target } from "./target.ts";

export const amx: Target = {
  ...avx512Vnni,
  name: "amx",
  features: [...avx512Vnni.features, "amx-bf16", "amx-int8", "amx-tile", "avx512bf16"].sort(),
};
