// Kernels for WebGPU in the measuring process: a text → pipelines, timed on the device. Bundled to a module of its own, which the
// measuring process imports where a runnable names it.

import { writeSync } from "node:fs";
import type { WgslSource } from "../../compiler/index.ts";
import type { Arena } from "../runner/arena.ts";
import type { DeviceKernel, LoadPlace, RunnableLoader } from "../runner/loader.ts";
import type { Runnable } from "../runner/protocol.ts";
import { findDawn, loadDawn, missingDawn, takesSoftware } from "./dawn.ts";
import { type GpuDevice, openGpu, withErrors } from "./device.ts";
import { type DeviceMemory, deviceMemory, scratchBuffer } from "./device-memory.ts";
import { type LaunchedKernel, launchedKernel } from "./launches.ts";

export interface WgslRunnable extends Runnable, Pick<WgslSource, "text" | "launches" | "scratch"> {
  readonly kind: "wgsl";
  /** File of the package `webgpu`; null: there is none, and pages alone can run it. */
  readonly dawn: string | null;
}

/**
 * @param fail called with what the device says of a launch: nothing on it can be trusted then, so the process has to end
 * @param find returns the file of the package, before a kernel has told it
 */
export function createWebgpuLoader(
  open: (dawn: string) => Promise<GpuDevice>,
  fail: (reason: string) => never,
  find: () => string | null = findDawn,
): RunnableLoader<WgslRunnable> {
  let opened: Promise<GpuDevice> | null = null;
  const deviceOnce = (dawn: string): Promise<GpuDevice> => {
    opened ??= open(dawn);
    return opened;
  };
  const memories = new WeakMap<Arena, Promise<DeviceMemory>>();
  const whenUnused = new FinalizationRegistry<() => void>((free) => free());
  const memoryOf = async (gpu: GpuDevice, { parameters, arena }: LoadPlace): Promise<DeviceMemory> => {
    const memory = memories.get(arena) ?? deviceMemory(gpu, parameters, arena.arrays);
    if (!memories.has(arena))
      void memory.then(
        ({ free }) => whenUnused.register(arena, free),
        () => undefined,
      );
    memories.set(arena, memory);
    return memory;
  };
  return {
    kind: "wgsl",
    async ready() {
      const dawn = find();
      if (dawn !== null) await deviceOnce(dawn);
    },
    async load({ text, launches, scratch, dawn }, place) {
      if (dawn === null) throw new Error(missingDawn);
      const gpu = await deviceOnce(dawn);
      const memory = await memoryOf(gpu, place);
      const own = await withErrors(gpu.device, () => scratch.map(({ bytes }) => scratchBuffer(gpu, bytes)));
      const launched = await launchedKernel(gpu, { text, launches }, [...memory.buffers, ...own]);
      // Some drivers compile at the first dispatch: no time of a run has that in it.
      memory.upload();
      await onDevice(gpu, () => launched.run(1), fail);
      const kernel = kernelOf(gpu, memory, place.arena, launched, fail);
      whenUnused.register(kernel, () => {
        for (const buffer of own) buffer.destroy();
      });
      return kernel;
    },
  };
}

/** Does what only fails where the device has. Work of a device that is lost never ends. */
async function onDevice<T>(gpu: GpuDevice, work: () => Promise<T>, fail: (reason: string) => never): Promise<T> {
  const lost = gpu.lost.then((reason): T => fail(reason));
  try {
    return await Promise.race([work(), lost]);
  } catch (error) {
    return fail((error as Error).message);
  }
}

function kernelOf(
  gpu: GpuDevice,
  memory: DeviceMemory,
  arena: Arena,
  launched: LaunchedKernel,
  fail: (reason: string) => never,
): DeviceKernel {
  return {
    clock: "device",
    isExact: false,
    /** Holds the arena, and so its memory on the device, as long as the kernel. */
    get arrays() {
      return arena.arrays;
    },
    upload: memory.upload,
    async download() {
      const touched = await onDevice(gpu, memory.download, fail);
      // The session takes a RangeError for a fault of the candidate's, after which the process is sound.
      if (touched !== null) throw new RangeError(`it wrote outside ${touched}`);
    },
    time: (count) => onDevice(gpu, () => launched.run(count), fail),
  };
}

/** Exit code of a process whose device has failed: another one than that of a mistake of ours. */
const deviceFailed = 70;

export const loader = createWebgpuLoader(
  async (dawn) => openGpu(await loadDawn(dawn), { software: takesSoftware() }),
  (reason) => {
    writeSync(process.stderr.fd, `${reason}\n`);
    process.exit(deviceFailed);
  },
);
