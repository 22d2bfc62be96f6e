// The class of the engine that a program runs in, and the facts of a kernel that has a schedule of its own for it. Only kernels with such
// schedules name this file, so no other program has it.

import type { EngineClass } from "../../compiler/index.ts";
import type { EngineFacts, KernelFacts } from "./facts.ts";

/**
 * A module of 39 bytes, `a(x) = bits of x / x`. WASM leaves the sign of the NaN that 0 / 0 makes to the machine: x86 sets it, ARM does not
 * (nor do RISC-V, LoongArch and POWER, which have 32 registers as ARM has). JavaScript must not see a NaN, and a compiler cannot know x.
 * Its first byte is left to the code: what looks for modules in a program finds those of kernels alone.
 */
const engineQuestion = "YXNtAQAAAAEGAWABfQF/AwIBAAcFAQFhAAAKCgEIACAAIACVvAs=";

let askedEngine: EngineClass | null | undefined;

function askEngine(): EngineClass | null {
  try {
    const bytes = Uint8Array.from(`\0${atob(engineQuestion)}`, (letter) => letter.charCodeAt(0));
    const { a } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as { a(x: number): number };
    return a(0) < 0 ? "x86" : "arm";
  } catch {
    // A page's policy forbids WASM. The kernel says so when it is called.
    return null;
  }
}

/** Returns the class of this engine, which is asked once; null: it does not answer. */
export function engineClass(): EngineClass | null {
  if (askedEngine === undefined) askedEngine = askEngine();
  return askedEngine;
}

/** Returns the facts of a kernel in this engine: those of its class, where the kernel has any. */
export function forEngine(
  facts: KernelFacts,
  variants: Readonly<Partial<Record<EngineClass, EngineFacts>>>,
): KernelFacts {
  const engine = engineClass();
  return engine === null ? facts : { ...facts, ...variants[engine] };
}
