// One device for measuring, by CUDA's driver: its memory, modules of machine code and launches. Synchronous, but for what launches leave
// running.

import type { CudaLaunch } from "../../compiler/index.ts";
import { launchArguments } from "./box-maps.ts";
import { attributes, type CudaCalls, deviceName, functionOf, type Koffi, openCuda } from "./calls.ts";

/** Memory of the device, by its address. */
export type DeviceAddress = bigint;

export interface CudaDevice {
  readonly name: string;
  /** Compute capability: [9, 0] of Hopper. */
  readonly capability: readonly [number, number];
  readonly processors: number;
  alloc(bytes: number): DeviceAddress;
  free(at: DeviceAddress): void;
  upload(to: DeviceAddress, from: ArrayBufferView): void;
  download(to: ArrayBufferView, from: DeviceAddress): void;
  fill(at: DeviceAddress, byte: number, bytes: number): void;
  /** Loads machine code, or PTX that ends with a zero. */
  load(code: Uint8Array): CudaModule;
  /** Waits for all that was launched. */
  wait(): void;
  /** Returns the milliseconds that what `work` launches takes, by the device's clock. */
  time(work: () => void): number;
}

export interface CudaModule {
  /** Makes a function that launches one of the module's, with these addresses. */
  launcher(launch: CudaLaunch, addresses: readonly DeviceAddress[]): () => void;
  unload(): void;
}

/** Path of the driver's library, where the user names one. */
export const namedDriver = (): string | undefined => process.env.UNPLUGIN_KERNEL_CUDA;

/** Opens the first device. An Error says why there is none: no driver, no device, no koffi. */
export async function openDevice(ordinal = 0): Promise<CudaDevice> {
  const koffi: Koffi = await import("koffi").then((it) => it.default);
  const cuda = openCuda(koffi, namedDriver());
  const { call, read } = cuda;
  call("cuInit", 0);
  const device = read("cuDeviceGet", ordinal);
  call("cuCtxSetCurrent", read("cuDevicePrimaryCtxRetain", Number(device)));
  const attribute = (which: number): number => Number(read("cuDeviceGetAttribute", which, Number(device)));
  const events = [read("cuEventCreate", 0), read("cuEventCreate", 0)] as const;
  const legacyStream = 0;
  return {
    name: deviceName(cuda, device),
    capability: [attribute(attributes.capabilityMajor), attribute(attributes.capabilityMinor)],
    processors: attribute(attributes.processors),
    alloc: (bytes) => read("cuMemAlloc_v2", bytes),
    free: (at) => call("cuMemFree_v2", at),
    upload: (to, from) => call("cuMemcpyHtoD_v2", to, bytesOf(from), from.byteLength),
    download: (to, from) => call("cuMemcpyDtoH_v2", bytesOf(to), from, to.byteLength),
    fill: (at, byte, bytes) => call("cuMemsetD8_v2", at, byte, bytes),
    load: (code) => moduleOf(cuda, code),
    wait: () => call("cuCtxSynchronize"),
    time(work) {
      call("cuEventRecord", events[0], legacyStream);
      work();
      call("cuEventRecord", events[1], legacyStream);
      call("cuEventSynchronize", events[1]);
      const ms = [0];
      call("cuEventElapsedTime", ms, ...events);
      return ms[0]!;
    },
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function moduleOf(cuda: CudaCalls, code: Uint8Array): CudaModule {
  const { call, read } = cuda;
  const module = read("cuModuleLoadData", code);
  return {
    launcher(launch, addresses) {
      const { entry, grid, group, groupBytes } = launch;
      const found = functionOf(cuda, module, entry, groupBytes);
      const places = launchArguments(cuda, addresses, launch);
      return () => call("cuLaunchKernel", found, ...grid, ...group, groupBytes, 0, places, null);
    },
    unload: () => call("cuModuleUnload", module),
  };
}
