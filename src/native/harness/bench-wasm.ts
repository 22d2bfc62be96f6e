// The timing loop of WASM kernels, and what all kernels look like to the code that checks and times them.

import type { KernelParameter } from "../../compiler/index.ts";
import { arrayAt } from "../runner/arena.ts";
import type { KernelArray } from "../runner/protocol.ts";

/** A kernel with its arguments in place. */
export interface LoadedKernel {
  /** The arrays it reads and writes, in the order of the parameters. */
  readonly arrays: readonly KernelArray[];
  /** Runs it `count` times; the time of all of them together, in nanoseconds. */
  time(count: number): number;
}

/**
 * Compiles and instantiates a module that exports `memory` and `run()`. Throws what the engine throws at a module that
 * it refuses (CompileError, LinkError), a TypeError for missing exports, a RangeError for parameters outside memory.
 */
export function loadWasmKernel(
  bytes: Uint8Array<ArrayBuffer>,
  offsets: readonly number[],
  parameters: readonly KernelParameter[],
): LoadedKernel {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const { memory, run } = exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof run !== "function")
    throw new TypeError("the module does not export memory and run()");
  const arrays = parameters.map(({ dtype, length }, index) =>
    arrayAt(dtype, memory.buffer, offsets[index] ?? -1, length),
  );
  return { arrays, time: (count) => timeCalls(run as () => void, count) };
}

/** Calling an export costs some 10 ns: kernels below a microsecond are timed with that. */
function timeCalls(run: () => void, count: number): number {
  const start = process.hrtime.bigint();
  for (let call = 0; call < count; call++) run();
  return Number(process.hrtime.bigint() - start);
}
