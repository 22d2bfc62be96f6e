// The table of targets, with the numbers of a typical machine.

import { amx } from "./amx.ts";
import { avx2 } from "./avx2.ts";
import { avx512 } from "./avx512.ts";
import { avx512Bf16 } from "./avx512-bf16.ts";
import { avx512Vnni } from "./avx512-vnni.ts";
import type { Target, TargetName } from "./target.ts";
import { wasm } from "./wasm.ts";

export const targets: Readonly<Record<TargetName, Target>> = {
  wasm,
  avx2,
  avx512,
  "avx512-vnni": avx512Vnni,
  "avx512-bf16": avx512Bf16,
  amx,
};
