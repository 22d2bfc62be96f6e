// Classes of WASM engines, by the processors that they make code for and by whether they have relaxed SIMD: what a module computes is the
// same in all of them (but for the rounding of fused products), and how fast it is depends on the registers that the engine has and on
// whether a product takes one. The program asks its engine (plugin/runtime/engine.ts).

import type { Architecture } from "./architecture.ts";
import type { Target, TargetName } from "./target.ts";

export const engineClasses = ["x86", "arm", "x86-relaxed", "arm-relaxed"] as const;
export type EngineClass = (typeof engineClasses)[number];

interface Engines {
  readonly processors: Architecture;
  /** Target of the kernels that are made for them. */
  readonly target: TargetName;
}

const engines: Readonly<Record<EngineClass, Engines>> = {
  x86: { processors: "x64", target: "wasm-x86" },
  arm: { processors: "arm64", target: "wasm-arm" },
  "x86-relaxed": { processors: "x64", target: "wasm-x86-relaxed" },
  "arm-relaxed": { processors: "arm64", target: "wasm-arm-relaxed" },
};

/** Returns the target of a class for a kernel that engines of all classes run; null: the kernel is of one class, or of no engine. */
export const targetForEngine = ({ name }: Pick<Target, "name">, engine: EngineClass): TargetName | null =>
  name === "wasm" ? engines[engine].target : null;

/** Returns the family of processors on which kernels for a class of engines are measured; null: the target is of no class. */
export function familyOfEngine({ name }: Pick<Target, "name">): Architecture | null {
  const engine = engineClasses.find((it) => engines[it].target === name);
  return engine ? engines[engine].processors : null;
}
