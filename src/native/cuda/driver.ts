// CUDA's driver, called without a C compiler: one device, its memory, modules of machine code and launches. Every call is checked;
// an error says which call failed and what the driver calls it. Synchronous, but for what launches leave running.

import type { CudaLaunch } from "../../compiler/index.ts";

const libraries: readonly string[] = ["libcuda.so.1", "nvcuda.dll"];

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

/** Opens the first device. An Error says why there is none: no driver, no device, no koffi. */
export async function openDevice(ordinal = 0): Promise<CudaDevice> {
  const koffi = await import("koffi").then((it) => it.default);
  const library = firstOf(koffi);
  const call = callsOf(library);
  call("cuInit", 0);
  const device = [0];
  call("cuDeviceGet", device, ordinal);
  const context = [null];
  call("cuDevicePrimaryCtxRetain", context, device[0]);
  call("cuCtxSetCurrent", context[0]);
  const attribute = (which: number): number => {
    const value = [0];
    call("cuDeviceGetAttribute", value, which, device[0]);
    return value[0]!;
  };
  const name = Buffer.alloc(256);
  call("cuDeviceGetName", name, 256, device[0]);
  const events = [newEvent(call), newEvent(call)] as const;
  return {
    name: name.toString("utf8").replace(/\0.*$/s, ""),
    capability: [attribute(75), attribute(76)],
    processors: attribute(16),
    alloc(bytes) {
      const at = [0n];
      call("cuMemAlloc_v2", at, bytes);
      return BigInt(at[0]!);
    },
    free: (at) => call("cuMemFree_v2", at),
    upload: (to, from) => call("cuMemcpyHtoD_v2", to, bytesOf(from), from.byteLength),
    download: (to, from) => call("cuMemcpyDtoH_v2", bytesOf(to), from, to.byteLength),
    fill: (at, byte, bytes) => call("cuMemsetD8_v2", at, byte, bytes),
    load: (code) => moduleOf(call, code),
    wait: () => call("cuCtxSynchronize"),
    time(work) {
      call("cuEventRecord", events[0], null);
      work();
      call("cuEventRecord", events[1], null);
      call("cuEventSynchronize", events[1]);
      const ms = [0];
      call("cuEventElapsedTime", ms, events[0], events[1]);
      return ms[0]!;
    },
  };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

type Koffi = typeof import("koffi").default;
type Library = ReturnType<Koffi["load"]>;
type Call = (name: keyof typeof prototypes, ...values: readonly unknown[]) => void;

function firstOf(koffi: Koffi): Library {
  const failures: string[] = [];
  for (const path of libraries) {
    try {
      return koffi.load(path);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new Error(`there is no CUDA driver: ${failures[0]}`);
}

const prototypes = {
  cuInit: "int cuInit(uint32_t flags)",
  cuDeviceGet: "int cuDeviceGet(_Out_ int *device, int ordinal)",
  cuDeviceGetName: "int cuDeviceGetName(void *name, int length, int device)",
  cuDeviceGetAttribute: "int cuDeviceGetAttribute(_Out_ int *value, int attribute, int device)",
  cuDevicePrimaryCtxRetain: "int cuDevicePrimaryCtxRetain(_Out_ void **context, int device)",
  cuCtxSetCurrent: "int cuCtxSetCurrent(void *context)",
  cuCtxSynchronize: "int cuCtxSynchronize()",
  cuMemAlloc_v2: "int cuMemAlloc_v2(_Out_ uint64_t *at, size_t bytes)",
  cuMemFree_v2: "int cuMemFree_v2(uint64_t at)",
  cuMemcpyHtoD_v2: "int cuMemcpyHtoD_v2(uint64_t to, void *from, size_t bytes)",
  cuMemcpyDtoH_v2: "int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)",
  cuMemsetD8_v2: "int cuMemsetD8_v2(uint64_t at, uint8_t byte, size_t bytes)",
  cuModuleLoadData: "int cuModuleLoadData(_Out_ void **module, void *code)",
  cuModuleUnload: "int cuModuleUnload(void *module)",
  cuModuleGetFunction: "int cuModuleGetFunction(_Out_ void **function, void *module, const char *name)",
  cuFuncSetAttribute: "int cuFuncSetAttribute(void *function, int attribute, int value)",
  cuLaunchKernel:
    "int cuLaunchKernel(void *function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, void *stream, void **parameters, void *extra)",
  cuEventCreate: "int cuEventCreate(_Out_ void **event, uint32_t flags)",
  cuEventRecord: "int cuEventRecord(void *event, void *stream)",
  cuEventSynchronize: "int cuEventSynchronize(void *event)",
  cuEventElapsedTime: "int cuEventElapsedTime(_Out_ float *ms, void *from, void *to)",
} as const;

function callsOf(library: Library): Call {
  const functions = new Map<string, (...values: readonly unknown[]) => number>();
  const nameOf = library.func("int cuGetErrorName(int code, _Out_ const char **name)");
  return (name, ...values) => {
    const known = functions.get(name) ?? library.func(prototypes[name]);
    functions.set(name, known as (...values: readonly unknown[]) => number);
    const code = known(...values);
    if (code === 0) return;
    const text = [""];
    nameOf(code, text);
    throw new Error(`${name}: ${text[0] || code}`);
  };
}

function newEvent(call: Call): unknown {
  const event = [null];
  call("cuEventCreate", event, 0);
  return event[0];
}

/** Attribute of a function: the most memory that a launch gives a group. */
const mostGroupBytes = 8;

function moduleOf(call: Call, code: Uint8Array): CudaModule {
  const handle = [null];
  call("cuModuleLoadData", handle, code);
  return {
    launcher({ entry, grid, group, groupBytes }, addresses) {
      const found = [null];
      call("cuModuleGetFunction", found, handle[0], entry);
      if (groupBytes > 48 * 1024) call("cuFuncSetAttribute", found[0], mostGroupBytes, groupBytes);
      // The driver copies the arguments at the launch, from the places whose addresses it is given.
      const values = BigUint64Array.from(addresses);
      const places = addresses.map((_, at) => new Uint8Array(values.buffer, at * 8, 8));
      return () => call("cuLaunchKernel", found[0], ...grid, ...group, groupBytes, null, places, null);
    },
    unload: () => call("cuModuleUnload", handle[0]),
  };
}
