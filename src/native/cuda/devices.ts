// GPUs of this machine, as CUDA's driver lists them, and which code they run. Part of emitted modules too.

import { attributes, type CudaCalls, CudaError, cudaCodes, deviceName } from "./calls.ts";

export interface CudaGpu {
  /** Number of the GPU among those of the process. */
  readonly index: number;
  /** The driver's handle. */
  readonly device: number;
  readonly name: string;
  /** Compute capability: [9, 0] of Hopper. */
  readonly capability: readonly [number, number];
  /** Most bytes of memory that a group may have. */
  readonly groupBytes: number;
}

/** Oldest driver, by the version of CUDA that it is for. */
const oldestDriver = 12_000;

const versionText = (version: number): string => `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;

/** Starts the driver and lists its GPUs, of which there is at least one. An Error says why there is none for kernels. */
export function listGpus(cuda: CudaCalls): readonly CudaGpu[] {
  const version = Number(cuda.read("cuDriverGetVersion"));
  if (version < oldestDriver)
    throw new Error(`the driver is for CUDA ${versionText(version)}, and kernels take one of CUDA 12.0 or later`);
  try {
    cuda.call("cuInit", 0);
  } catch (error) {
    throw error instanceof CudaError && error.code === cudaCodes.noDevice ? noDevice() : error;
  }
  const count = Number(cuda.read("cuDeviceGetCount"));
  if (count === 0) throw noDevice();
  return Array.from({ length: count }, (_, index) => gpuAt(cuda, index));
}

const noDevice = (): Error => new Error("the CUDA driver has no device");

function gpuAt(cuda: CudaCalls, index: number): CudaGpu {
  const device = Number(cuda.read("cuDeviceGet", index));
  const attribute = (which: number): number => Number(cuda.read("cuDeviceGetAttribute", which, device));
  const capability = [attribute(attributes.capabilityMajor), attribute(attributes.capabilityMinor)] as const;
  const groupBytes = attribute(attributes.groupBytes);
  return { index, device, name: deviceName(cuda, BigInt(device)), capability, groupBytes };
}

/**
 * Says why a GPU does not run the code of an architecture; null: it does. Code for "sm_80" runs on that and all later ones, code for
 * "sm_90a" on 9.0 alone.
 */
export function whyNotOnGpu(
  { name, capability: [major, minor] }: Pick<CudaGpu, "name" | "capability">,
  architecture: string,
): string | null {
  const wanted = capabilityOf(architecture);
  const has = major * 10 + minor;
  const least = wanted.major * 10 + wanted.minor;
  const isRight = wanted.isExact ? has === least : has >= least;
  const range = wanted.isExact ? "alone" : "or later";
  return isRight
    ? null
    : `${name} has compute capability ${major}.${minor}, and the kernel is for ${wanted.major}.${wanted.minor} ${range}`;
}

/** Says whether a GPU runs machine code for an architecture as it is: that of a later generation runs PTX alone. */
export function runsMachineCode(
  { capability: [major, minor] }: Pick<CudaGpu, "capability">,
  architecture: string,
): boolean {
  const wanted = capabilityOf(architecture);
  return major === wanted.major && (wanted.isExact ? minor === wanted.minor : minor >= wanted.minor);
}

/** "sm_90a" → 9.0, and no other */
function capabilityOf(architecture: string) {
  const [, major, minor, exact] = /^sm_(\d+)(\d)(a?)$/.exec(architecture) ?? [];
  return { major: Number(major), minor: Number(minor), isExact: exact === "a" };
}
