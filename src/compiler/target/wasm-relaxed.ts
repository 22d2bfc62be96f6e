// WebAssembly in engines that have relaxed SIMD: a product and a sum are one instruction, and no register holds the product. Their modules
// are in the relaxed form alone, so an engine without it refuses them; where results are to be as written ("strict") nothing is fused.

import type { CpuTarget, Numerics, Target } from "./target.ts";
import { wasmArm } from "./wasm-arm.ts";
import { wasmX86 } from "./wasm-x86.ts";

/** Name of the feature, which these targets have and no other. */
const relaxedSimd = "relaxed-simd";

const relaxed = (target: CpuTarget, name: CpuTarget["name"]): CpuTarget => ({
  ...target,
  name,
  features: [...target.features, relaxedSimd].sort(),
  hasFma: true,
});

/** Whether the kernels of a target are fused by relaxed SIMD: those of others have such modules beside their own at most. */
export const isRelaxed = (target: Target, numerics: Numerics): boolean =>
  numerics === "fast" && target.kind === "cpu" && target.features.includes(relaxedSimd);

/** Whether kernels of a target have a twin in the relaxed form, which engines that have it prefer. */
export const hasRelaxedTwin = (target: Target, numerics: Numerics): boolean =>
  numerics === "fast" && target.backend === "wasm" && !isRelaxed(target, numerics);

export const wasmX86Relaxed: CpuTarget = relaxed(wasmX86, "wasm-x86-relaxed");
export const wasmArmRelaxed: CpuTarget = relaxed(wasmArm, "wasm-arm-relaxed");
