// CUDA's driver in the program: the package koffi, which calls it, and the driver's library. Both are looked for when a kernel first asks
// for a GPU, and in Node alone.

import { type CudaCalls, type Koffi, openCuda } from "../../../native/cuda/calls.ts";
import { type CudaGpu, listGpus } from "../../../native/cuda/devices.ts";
import { builtin } from "../../../native/process/start-worker.ts";

export interface Driver {
  readonly koffi: Koffi;
  /** Path of the package. */
  readonly koffiPath: string;
  readonly cuda: CudaCalls;
}

let driver: Driver | null = null;
let gpus: readonly CudaGpu[] | null = null;

/** The package, looked for from the program's main file and from where it was started. Bundlers see no import of it. */
function koffiHere(): Pick<Driver, "koffi" | "koffiPath"> {
  const { argv, cwd } = globalThis.process;
  const { createRequire } = builtin("node:module")!;
  const name = "koffi";
  for (const from of [argv[1], `${cwd()}/`]) {
    try {
      const require = from ? createRequire(from) : null;
      if (require) return { koffi: require(name) as Koffi, koffiPath: require.resolve(name) };
    } catch {}
  }
  throw new Error("there is no koffi, which calls the CUDA driver: install the package koffi");
}

/** Loads the driver. An Error says what is missing. */
export function driverHere(): Driver {
  if (driver) return driver;
  if (!builtin("node:module")) throw new Error("CUDA needs Node.js");
  const found = koffiHere();
  driver = { ...found, cuda: openCuda(found.koffi, globalThis.process.env.UNPLUGIN_KERNEL_CUDA) };
  return driver;
}

/** Lists the GPUs of the process, at least one. An Error says why there is none. */
export function gpusHere(): readonly CudaGpu[] {
  gpus ??= listGpus(driverHere().cuda);
  return gpus;
}

/** Lists the GPUs, with the driver started off the event loop. Rejects with the reason why there is none. */
export async function gpusSoon(): Promise<readonly CudaGpu[]> {
  // A driver that fails to start says why when it is asked again.
  if (!gpus)
    await driverHere()
      .cuda.later("cuInit", 0)
      .catch(() => undefined);
  return gpusHere();
}
