// The parts of a compiled kernel's twins that tests look at, each null where the kernel has none.

import type { WasmSource } from "../../src/compiler/index.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import { type NativeTwin, twinOf } from "../../src/plugin/kernel/twin.ts";

type Twins = Pick<CompiledKernel, "twins">;

export const nativeOf = (kernel: Twins): NativeTwin | null => twinOf(kernel, "native") ?? null;

/** The module that every engine with SIMD runs. */
export const wasmOf = (kernel: Twins): WasmSource | null => moduleOf(kernel, false);

export const relaxedOf = (kernel: Twins): WasmSource | null => moduleOf(kernel, true);

export const prepareOf = (kernel: Twins): WasmSource | null => twinOf(kernel, "wasm")?.prepare ?? null;

const moduleOf = (kernel: Twins, isRelaxed: boolean): WasmSource | null =>
  twinOf(kernel, "wasm")?.modules.find(({ relaxed }) => relaxed === isRelaxed) ?? null;
