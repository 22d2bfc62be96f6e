// The timing loop of WASM kernels, and what all kernels look like to the code that checks and times them.

import type { KernelParameter, WasmSource } from "../../compiler/index.ts";
import { arrayAt } from "../load/array-at.ts";
import { openWasm } from "../load/wasm-instance.ts";
import { nowMs } from "../machine/clock.ts";
import type { KernelArray } from "./protocol.ts";

/** A kernel with its arguments in place, in the memory of this process and by its clock. */
export interface TimedKernel {
  /** The arrays it reads and writes, in the order of the parameters. */
  readonly arrays: readonly KernelArray[];
  /** Returns the name of a parameter around which the kernel wrote, or null. Absent: its memory is a sandbox. */
  overrun?(): string | null;
  /** Runs the kernel `count` times. Returns the time of all runs together, in nanoseconds. */
  time(count: number): number;
}

/**
 * Opens a module as `openWasm` does, waits until its threads have started, and throws a RangeError for parameters outside
 * memory.
 */
export function loadWasmKernel(
  source: Pick<WasmSource, "bytes" | "offsets" | "sharing">,
  parameters: readonly KernelParameter[],
): TimedKernel {
  const { memory, run, isReady } = openWasm(source);
  const arrays = parameters.map(({ dtype, length }, index) =>
    arrayAt(dtype, memory.buffer, source.offsets[index] ?? -1, length),
  );
  const end = nowMs() + patienceMs;
  while (!isReady() && nowMs() < end) Atomics.wait(nap, 0, 0, napMs);
  return { arrays, time: (count) => timeCalls(run, count) };
}

/** Longest wait for the threads, in milliseconds; starting a worker takes some 50 ms. */
const patienceMs = 2000;
const nap = new Int32Array(new SharedArrayBuffer(4));
const napMs = 0.1;

/** Calling an export costs some 10 ns: kernels below a microsecond are timed with that. */
function timeCalls(run: () => void, count: number): number {
  const start = process.hrtime.bigint();
  for (let call = 0; call < count; call++) run();
  return Number(process.hrtime.bigint() - start);
}
