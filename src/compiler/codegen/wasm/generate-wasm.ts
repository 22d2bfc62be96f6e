// LoopFunc in the flat form → a WASM module. Encoded here and not by binaryen: that is 104 MB on disk and a dependency
// at run time, and the engine's optimising tier schedules and allocates registers anyway. Tests check against binaryen.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import type { WasmSource } from "../kernel-source.ts";
import { parametersOf } from "../parameters.ts";
import type { Context } from "./context.ts";
import { encodeModule } from "./encode.ts";
import type { WasmModule } from "./instruction.ts";
import { LocalPool } from "./local-pool.ts";
import { layOutMemory, type MemoryLayout } from "./memory-layout.ts";
import { printModule } from "./print-wat.ts";
import { runTimeFunctions } from "./run-time-functions.ts";
import { statement } from "./statement.ts";

export interface WasmOptions {
  /** Fuse products and sums by relaxed SIMD: for numerics "fast", in engines that have it. */
  readonly relaxed: boolean;
}

/**
 * The module of a kernel: `run()` reads its inputs and writes its outputs at fixed places of `memory`.
 *
 *     const { bytes, offsets } = generateWasm(func, { relaxed: false });
 */
export function generateWasm(func: LoopFunc, options: WasmOptions): WasmSource {
  const layout = layOutMemory(func.buffers);
  const parameters = parametersOf(func.buffers);
  return {
    kind: "wasm",
    name: func.name,
    parameters,
    bytes: encodeModule(buildModule(func, layout, options)),
    offsets: parameters.map(({ name }) => layout.buffers.get(name)?.offset ?? 0),
    relaxed: options.relaxed,
  };
}

/** The same module as text, for people. */
export function generateWat(func: LoopFunc, options: WasmOptions): string {
  return printModule(buildModule(func, layOutMemory(func.buffers), options));
}

function buildModule({ body }: LoopFunc, layout: MemoryLayout, { relaxed }: WasmOptions): WasmModule {
  const locals = new LocalPool();
  const context: Context = {
    layout,
    relaxed,
    locals,
    hoisting: true,
    runTime: new Set(),
    loops: [],
    bindings: new Map(),
    splats: new Map(),
  };
  const code = statement(context, body);
  const run = { name: "run", params: [], results: [], locals: locals.types, code };
  return { memoryPages: layout.pages, functions: [run, ...runTimeFunctions(context.runTime)] };
}
