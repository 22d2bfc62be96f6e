// Loads kernels of a Node-API addon as the measuring process runs them: on the task's own arrays, timed inside the addon.

import { loadNative, type NativeKernels } from "../load/load-native.ts";
import { nowMs } from "../machine/clock.ts";
import { machineFeatures } from "../machine/machine-features.ts";
import type { RunnableLoader, TimedKernel } from "./loader.ts";
import type { NativeRunnable } from "./protocol.ts";

/** Makes a loader, which loads each addon file once. It throws the reason why a file cannot be loaded here. */
export function createNativeLoader(): RunnableLoader<NativeRunnable> {
  const cpu = machineFeatures();
  const loaded = new Map<string, NativeKernels>();
  return {
    kind: "native",
    load(candidate, { arena: { arrays, overrun } }) {
      const kernels = loaded.get(candidate.path) ?? open(candidate, cpu);
      loaded.set(candidate.path, kernels);
      return { ...timedBy(kernels, candidate, arrays), overrun };
    },
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
  arrays: TimedKernel["arrays"],
): TimedKernel {
  if (!bench) return { arrays, time: (count) => timeOfCalls(count, () => call(index, ...arrays)) };
  return { arrays, time: (count) => count * bench(index, arrays, 1, Number.MAX_SAFE_INTEGER, count)[0]! };
}

/** Nanoseconds of calls from JavaScript: a shipped addon has no timing loop, and is run to be checked. */
function timeOfCalls(count: number, call: () => void): number {
  const begin = nowMs();
  for (let run = 0; run < count; run++) call();
  return (nowMs() - begin) * 1e6;
}
