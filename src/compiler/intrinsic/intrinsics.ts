// All intrinsics, and those of a target: of two that compute the same the better one comes first.

import { invariant } from "../support/invariant.ts";
import { addTo } from "../support/registry.ts";
import type { Numerics, Target } from "../target/target.ts";
import type { Intrinsic } from "./intrinsic.ts";
import { wasmSimd } from "./wasm-simd.ts";
import { x86Amx } from "./x86-amx.ts";
import { x86Bf16 } from "./x86-bf16.ts";
import { x86Madd } from "./x86-madd.ts";
import { x86Vnni } from "./x86-vnni.ts";

export const intrinsics: readonly Intrinsic[] = [...x86Amx, ...x86Vnni, ...x86Bf16, ...x86Madd, ...wasmSimd];

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

export const allIntrinsics = (): readonly Intrinsic[] => [...byName.values()];

export const findIntrinsic = (name: string): Intrinsic | undefined => byName.get(name);

export function intrinsicNamed(name: string): Intrinsic {
  const intrinsic = byName.get(name);
  invariant(intrinsic, `there is no intrinsic ${name}`);
  return intrinsic;
}

/** Says whether code for the target may use the intrinsic. */
export const isAvailable = (intrinsic: Intrinsic, target: Target, numerics: Numerics): boolean =>
  intrinsic.text[target.backend] !== undefined &&
  intrinsic.features.every((feature) => target.features.includes(feature)) &&
  (intrinsic.exact || numerics === "fast");
