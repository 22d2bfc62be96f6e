// The targets of fixtures/targets, as locks have them: what a machine is detected to be never changes what tests expect.

import { readFileSync } from "node:fs";
import { type CpuTarget, cpuTarget, type TargetName } from "../../src/compiler/index.ts";
import { decodeTarget } from "../../src/tuner/data/target-json.ts";

const frozen = (name: TargetName): CpuTarget =>
  cpuTarget(
    decodeTarget(JSON.parse(readFileSync(new URL(`../../fixtures/targets/${name}.json`, import.meta.url), "utf8")), []),
  );

export const frozenTargets: Readonly<Record<TargetName, CpuTarget>> = {
  wasm: frozen("wasm"),
  avx2: frozen("avx2"),
  avx512: frozen("avx512"),
  "avx512-vnni": frozen("avx512-vnni"),
  "avx512-bf16": frozen("avx512-bf16"),
  amx: frozen("amx"),
};
