// The class of the engine that a program runs in, and the facts of a kernel that has a schedule of its own for it. Only kernels with such
// schedules name this file, so no other program has it.

import type { EngineClass } from "../../compiler/index.ts";
import { hasRelaxedSimd } from "../../native/load/relaxed-simd.ts";
import type { EngineFacts, KernelFacts } from "./facts.ts";

/**
 * A module of 39 bytes, `a(x) = bits of x / x`. WASM leaves the sign of the NaN that 0 / 0 makes to the machine: x86 sets it, ARM does not
 * (nor do RISC-V, LoongArch and POWER, which have 32 registers as ARM has). JavaScript must not see a NaN, and a compiler cannot know x.
 * Its first byte is left to the code: what looks for modules in a program finds those of kernels alone.
 */
const engineQuestion = "YXNtAQAAAAEGAWABfQF/AwIBAAcFAQFhAAAKCgEIACAAIACVvAs=";

let askedEngine: readonly EngineClass[] | undefined;

function askEngine(): readonly EngineClass[] {
  try {
    const bytes = Uint8Array.from(`\0${atob(engineQuestion)}`, (letter) => letter.charCodeAt(0));
    const { a } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as { a(x: number): number };
    const processors = a(0) < 0 ? "x86" : "arm";
    return hasRelaxedSimd() ? [`${processors}-relaxed`, processors] : [processors];
  } catch {
    // A page's policy forbids WASM. The kernel says so when it is called.
    return [];
  }
}

/** Returns the classes of this engine, that of its own first. The engine is asked once; none: it does not answer. */
export function classesOfEngine(): readonly EngineClass[] {
  askedEngine ??= askEngine();
  return askedEngine;
}

/** Returns the facts of a kernel in this engine: those of its first class that the kernel has any for. */
export function forEngine(
  facts: KernelFacts,
  variants: Readonly<Partial<Record<EngineClass, EngineFacts>>>,
): KernelFacts {
  const engine = classesOfEngine().find((it) => variants[it]);
  return engine === undefined ? facts : { ...facts, ...variants[engine] };
}
