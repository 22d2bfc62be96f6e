// The table of targets, with the numbers of a typical machine. Ours stand here; those of a foreign back end are added by `useTargets`.

import { addTo } from "../support/registry.ts";
import { amx } from "./amx.ts";
import { avx2 } from "./avx2.ts";
import { avx512 } from "./avx512.ts";
import { avx512Bf16 } from "./avx512-bf16.ts";
import { avx512Vnni } from "./avx512-vnni.ts";
import { cudaTargets } from "./cuda.ts";
import { gpuTargets } from "./gpu-targets.ts";
import { neon } from "./neon.ts";
import { neonDot } from "./neon-dot.ts";
import { neonI8mm } from "./neon-i8mm.ts";
import type { CpuTarget, Target, TargetName } from "./target.ts";
import { wasm } from "./wasm.ts";
import { wasmArm } from "./wasm-arm.ts";
import { wasmArmRelaxed, wasmX86Relaxed } from "./wasm-relaxed.ts";
import { wasmX86 } from "./wasm-x86.ts";
import { webgpu } from "./webgpu.ts";

export const targets: Readonly<Record<TargetName, CpuTarget>> = {
  "wasm-x86": wasmX86,
  "wasm-arm": wasmArm,
  "wasm-x86-relaxed": wasmX86Relaxed,
  "wasm-arm-relaxed": wasmArmRelaxed,
  wasm,
  neon,
  "neon-dot": neonDot,
  "neon-i8mm": neonI8mm,
  avx2,
  avx512,
  "avx512-vnni": avx512Vnni,
  "avx512-bf16": avx512Bf16,
  amx,
};

const byName = new Map<string, Target>(
  [...Object.values(targets), ...cudaTargets, webgpu, ...gpuTargets].map((target) => [target.name, target]),
);

/**
 * Adds targets of a foreign back end.
 *
 * @throws DiagnosticError `backend.taken`
 */
export function useTargets(foreign: readonly Target[]): void {
  for (const target of foreign) addTo(byName, target);
}

/** Returns the target of a name, ours or a foreign back end's; undefined: there is none. */
export const targetNamed = (name: string): Target | undefined => byName.get(name);
