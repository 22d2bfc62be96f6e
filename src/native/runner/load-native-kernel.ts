// Loads kernels of a Node-API addon as the measuring process runs them: on the task's own arrays, timed inside the addon.

import type { LoadedKernel } from "../harness/bench-wasm.ts";
import { cpuFeatures } from "../load/cpu-features.ts";
import { loadNative, type NativeKernels } from "../load/load-native.ts";
import type { NativeRunnable } from "./protocol.ts";
import type { LoadNativeKernel } from "./session.ts";

/** Makes a loader, which loads each addon file once. It throws the reason why a file cannot be loaded here. */
export function createNativeLoader(): LoadNativeKernel {
  const cpu = cpuFeatures();
  const loaded = new Map<string, NativeKernels>();
  return (candidate, arrays) => {
    const kernels = loaded.get(candidate.path) ?? open(candidate, cpu);
    loaded.set(candidate.path, kernels);
    return timedBy(kernels, candidate, arrays);
  };
}

function open({ path, features }: NativeRunnable, cpu: readonly string[]): NativeKernels {
  const result = loadNative(path, { features, cpu });
  if (result.kind === "unavailable") throw new Error(result.reason);
  return result.kernels;
}

function timedBy(
  { bench, call }: NativeKernels,
  { index }: NativeRunnable,
  arrays: LoadedKernel["arrays"],
): LoadedKernel {
  if (!bench) return { arrays, time: (count) => timedFromHere(() => call(index, ...arrays), count) };
  return { arrays, time: (count) => count * bench(index, arrays, 1, Number.MAX_SAFE_INTEGER, count)[0]! };
}

/** Returns the nanoseconds of some runs, calls included: good enough to know that a kernel came back. */
function timedFromHere(run: () => void, count: number): number {
  const start = performance.now();
  for (let at = 0; at < count; at++) run();
  return (performance.now() - start) * 1e6;
}
