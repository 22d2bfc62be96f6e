// A kernel's functions on one GPU: its module, scratch memory, and the launches of a run on given addresses.

import { launchArguments } from "../../../native/cuda/box-maps.ts";
import { CudaError, functionOf } from "../../../native/cuda/calls.ts";
import { runsMachineCode } from "../../../native/cuda/devices.ts";
import type { DeviceFunction } from "../gpu/layer.ts";
import type { CudaCode } from "./cuda-facts.ts";
import type { OpenGpu } from "./open-gpu.ts";

/** Modules of a GPU by their PTX. Each is loaded once. */
const known = new WeakMap<OpenGpu, Map<string, Promise<bigint>>>();

/** Meanings of the codes by which a driver refuses a text. */
const refusals: Readonly<Record<number, string>> = {
  209: "the driver has no code for this GPU",
  218: "the driver does not take the kernel's PTX",
  222: "the driver is older than the kernel's PTX",
};

function moduleOf(gpu: OpenGpu, code: CudaCode, architecture: string): Promise<bigint> {
  const modules = known.get(gpu) ?? new Map<string, Promise<bigint>>();
  known.set(gpu, modules);
  const { text } = code;
  const module = modules.get(text) ?? load(gpu, code, architecture);
  modules.set(text, module);
  // A refusal for want of memory need not be the last word.
  module.catch(() => modules.delete(text));
  return module;
}

async function load(gpu: OpenGpu, { text, cubin }: CudaCode, architecture: string): Promise<bigint> {
  const isForIt = cubin !== undefined && runsMachineCode(gpu.gpu, architecture);
  return (isForIt ? await loadCubin(gpu, cubin) : null) ?? loadPtx(gpu, text);
}

/** Resolves to null where the driver does not take the machine code, as one that is older than the compiler need not. */
async function loadCubin(gpu: OpenGpu, cubin: string): Promise<bigint | null> {
  try {
    return await gpu.load(Buffer.from(cubin, "base64"));
  } catch (error) {
    if (gpu.lost !== null || !(error instanceof CudaError)) throw error;
    return null;
  }
}

async function loadPtx(gpu: OpenGpu, text: string): Promise<bigint> {
  try {
    return await gpu.load(new TextEncoder().encode(`${text}\0`));
  } catch (error) {
    const meant = error instanceof CudaError ? refusals[error.code] : undefined;
    throw meant === undefined ? error : new Error(`${meant}: ${(error as Error).message}`);
  }
}

/** Rejects with what the driver says of the code, or of its scratch memory. */
export async function functionOn(
  gpu: OpenGpu,
  code: CudaCode,
  architecture: string,
): Promise<DeviceFunction<bigint, bigint>> {
  const { launches, scratch } = code;
  const most = Math.max(...launches.map(({ groupBytes }) => groupBytes));
  const { name, groupBytes: has } = gpu.gpu;
  if (most > has) throw new Error(`its groups want ${most} bytes of memory, and those of ${name} have ${has}`);
  const module = await moduleOf(gpu, code, architecture);
  const functions = launches.map(({ entry, groupBytes }) => functionOf(gpu, module, entry, groupBytes));
  const own = scratch.map((bytes) => gpu.alloc(bytes));
  let last: readonly bigint[] = [];
  let places: readonly (readonly Uint8Array[])[] = [];
  return {
    encode(stream, addresses) {
      const isSame = addresses.length === last.length && addresses.every((address, at) => address === last[at]);
      if (!isSame) places = launches.map((launch) => launchArguments(gpu, [...addresses, ...own], launch));
      last = addresses;
      for (const [at, { grid, group, groupBytes }] of launches.entries())
        gpu.call("cuLaunchKernel", functions[at], ...grid, ...group, groupBytes, stream, places[at], null);
    },
    destroy() {
      for (const address of own) gpu.free(address);
    },
  };
}
