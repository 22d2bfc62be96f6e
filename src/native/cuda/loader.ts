// Kernels on an NVIDIA GPU in the measuring process: machine code → launches, timed by events of the device. Bundled to a module of
// its own, which the measuring process imports where a runnable names it.

import { writeSync } from "node:fs";
import type { CudaSource } from "../../compiler/index.ts";
import type { Arena } from "../runner/arena.ts";
import type { DeviceKernel, RunnableLoader } from "../runner/loader.ts";
import type { Runnable } from "../runner/protocol.ts";
import { openCuda } from "./calls.ts";
import { type DeviceMemory, deviceMemory } from "./device-memory.ts";
import { type CudaGpu, listGpus } from "./devices.ts";
import { type CudaDevice, type CudaModule, namedDriver, openDevice } from "./driver.ts";

export interface CudaRunnable extends Runnable, Pick<CudaSource, "launches" | "scratch"> {
  readonly kind: "cuda";
  /** Machine code for the architecture of the device, or PTX that ends with a zero: the driver is given one after the other until it takes one. */
  readonly code: readonly Uint8Array[];
}

/** @param fail called with what the driver says of a launch: the device's memory is lost then, so the process has to end */
export function createCudaLoader(
  open: () => Promise<CudaDevice>,
  fail: (reason: string) => never,
): RunnableLoader<CudaRunnable> {
  let opened: Promise<CudaDevice> | null = null;
  const deviceOnce = (): Promise<CudaDevice> => {
    opened ??= open();
    return opened;
  };
  const memories = new WeakMap<Arena, DeviceMemory>();
  const whenUnused = new FinalizationRegistry<() => void>((free) => onDevice(free, fail));
  const memoryOf = (device: CudaDevice, { parameters, arena }: Parameters<RunnableLoader["load"]>[1]): DeviceMemory => {
    const memory = memories.get(arena) ?? deviceMemory(device, parameters, arena.arrays);
    if (!memories.has(arena)) whenUnused.register(arena, memory.free);
    memories.set(arena, memory);
    return memory;
  };
  return {
    kind: "cuda",
    ready: () => deviceOnce().then(() => undefined),
    async load({ code, launches, scratch }, place) {
      const device = await deviceOnce();
      const memory = memoryOf(device, place);
      const own = scratch.map(({ bytes }) => device.alloc(bytes));
      const module = loadFirst(device, code);
      const addresses = [...memory.addresses, ...own];
      const runs = launches.map((launch) => module.launcher(launch, addresses));
      const runAll = (): void => {
        for (const run of runs) run();
      };
      const kernel = kernelOf(device, memory, place.arena, runAll, fail);
      whenUnused.register(kernel, () => {
        module.unload();
        own.forEach(device.free);
      });
      return kernel;
    },
  };
}

/** Loads the first code that the driver takes. An Error says why it does not take the last. */
function loadFirst(device: CudaDevice, [first, ...others]: readonly Uint8Array[]): CudaModule {
  try {
    return device.load(first!);
  } catch (error) {
    if (others.length === 0) throw error;
    return loadFirst(device, others);
  }
}

/** Does what only fails where the device has. */
function onDevice<T>(work: () => T, fail: (reason: string) => never): T {
  try {
    return work();
  } catch (error) {
    return fail((error as Error).message);
  }
}

const nanosecondsPerMs = 1e6;

function kernelOf(
  device: CudaDevice,
  memory: DeviceMemory,
  arena: Arena,
  run: () => void,
  fail: (reason: string) => never,
): DeviceKernel {
  return {
    clock: "device",
    isExact: false,
    /** Holds the arena, and so its memory on the device, as long as the kernel. */
    get arrays() {
      return arena.arrays;
    },
    upload: () => onDevice(memory.upload, fail),
    download() {
      const touched = onDevice(memory.download, fail);
      // The session takes a RangeError for a fault of the candidate's, after which the process is sound.
      if (touched !== null) throw new RangeError(`it wrote outside ${touched}`);
    },
    time(count) {
      const all = (): void => {
        for (let call = 0; call < count; call++) run();
      };
      return onDevice(() => device.time(all), fail) * nanosecondsPerMs;
    },
  };
}

/** Exit code of a process whose device has failed: another one than that of a mistake of ours. */
const deviceFailed = 70;

export const loader = createCudaLoader(openDevice, (reason) => {
  writeSync(process.stderr.fd, `${reason}\n`);
  process.exit(deviceFailed);
});

/** GPUs of this machine, or why there is none. */
export type CudaState = { readonly gpus: readonly CudaGpu[] } | { readonly reason: string };

/** Asks the driver, for a process that is made for the question. */
export async function cudaState(): Promise<CudaState> {
  try {
    const koffi = await import("koffi").then((it) => it.default).catch(() => null);
    if (!koffi) return { reason: "there is no koffi, which calls the CUDA driver: install the package koffi" };
    return { gpus: listGpus(openCuda(koffi, namedDriver())) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}
