// All intrinsics, and those of a target: of two that compute the same the better one comes first, and one that the
// target itself carries before ours.

import { addTo } from "../support/registry.ts";
import type { Numerics, Target } from "../target/target.ts";
import { armDot } from "./arm-dot.ts";
import { armMmla } from "./arm-mmla.ts";
import { cudaMma } from "./cuda-mma.ts";
import { cudaWgmma } from "./cuda-wgmma.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { wasmSimd } from "./wasm-simd.ts";
import { wgslDot } from "./wgsl-dot.ts";
import { wgslMatrix } from "./wgsl-matrix.ts";
import { x86Amx } from "./x86-amx.ts";
import { x86Bf16 } from "./x86-bf16.ts";
import { x86Madd } from "./x86-madd.ts";
import { x86Vnni } from "./x86-vnni.ts";

export const intrinsics: readonly Intrinsic[] = [
  ...x86Amx,
  ...x86Vnni,
  ...x86Bf16,
  ...x86Madd,
  ...armMmla,
  ...armDot,
  ...wasmSimd,
  ...cudaMma,
  ...cudaWgmma,
  ...wgslDot,
  ...wgslMatrix,
];

/** Ours, then those of foreign back ends, by name. */
const byName = new Map<string, Intrinsic>(intrinsics.map((intrinsic) => [intrinsic.name, intrinsic]));

/**
 * Adds the intrinsics of a foreign back end.
 *
 * @throws DiagnosticError `backend.taken`
 */
export function useIntrinsics(foreign: readonly Intrinsic[]): void {
  for (const intrinsic of foreign) addTo(byName, intrinsic);
}

/**
 * Returns the intrinsic of this name; undefined: there is none.
 *
 * @param own intrinsics beside ours, those that a target carries
 */
export const findIntrinsic = (name: string, own: readonly Intrinsic[] = []): Intrinsic | undefined =>
  byName.get(name) ?? own.find((intrinsic) => intrinsic.name === name);

/** Returns the intrinsics that kernels for the target may know: its own, then those of the back ends. */
export const intrinsicsOf = ({ intrinsics: own = [] }: Pick<Target, "intrinsics">): readonly Intrinsic[] => [
  ...own,
  ...byName.values(),
];

/** Says whether code for the target may use the intrinsic. */
export const isAvailable = (intrinsic: Intrinsic, target: Target, numerics: Numerics): boolean =>
  intrinsic.text[target.backend] !== undefined &&
  intrinsic.features.every((feature) => target.features.includes(feature)) &&
  (intrinsic.exact || numerics === "fast");
