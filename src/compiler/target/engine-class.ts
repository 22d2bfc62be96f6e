// Classes of WASM engines, by the processors that they make code for: what a module computes is the same in all of them, and how fast it
// is depends on the registers that the engine has. The program asks its engine (plugin/runtime/engine.ts).

import type { Architecture } from "./architecture.ts";
import type { Target, TargetName } from "./target.ts";

export const engineClasses = ["x86", "arm"] as const;
export type EngineClass = (typeof engineClasses)[number];

const families: Readonly<Record<EngineClass, Architecture>> = { x86: "x64", arm: "arm64" };

const engineTargets: Readonly<Record<EngineClass, TargetName>> = { x86: "wasm-x86", arm: "wasm-arm" };

/** Returns the target of a class for a kernel that engines of all classes run; null: the kernel is of one class, or of no engine. */
export const targetForEngine = ({ name }: Pick<Target, "name">, engine: EngineClass): TargetName | null =>
  name === "wasm" ? engineTargets[engine] : null;

/** Returns the family of processors on which kernels for a class of engines are measured; null: the target is of no class. */
export function familyOfEngine({ name }: Pick<Target, "name">): Architecture | null {
  const engine = engineClasses.find((it) => engineTargets[it] === name);
  return engine ? families[engine] : null;
}
