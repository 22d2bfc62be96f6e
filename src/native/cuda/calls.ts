// Functions of CUDA's driver, called by koffi without a C compiler. Every call is checked: an error says which function failed, and what
// the driver calls that. Part of emitted modules too, so nothing is imported but types.

export type Koffi = typeof import("koffi").default;
export type Library = ReturnType<Koffi["load"]>;

/** Names of the driver's library on Linux and Windows. */
const libraries: readonly string[] = ["libcuda.so.1", "nvcuda.dll"];

/** Handles and addresses are numbers of 64 bits. */
const prototypes = {
  cuInit: "int cuInit(uint32_t flags)",
  cuDriverGetVersion: "int cuDriverGetVersion(_Out_ int *version)",
  cuDeviceGetCount: "int cuDeviceGetCount(_Out_ int *count)",
  cuDeviceGet: "int cuDeviceGet(_Out_ int *device, int ordinal)",
  cuDeviceGetName: "int cuDeviceGetName(void *name, int length, int device)",
  cuDeviceGetAttribute: "int cuDeviceGetAttribute(_Out_ int *value, int attribute, int device)",
  cuDevicePrimaryCtxRetain: "int cuDevicePrimaryCtxRetain(_Out_ uint64_t *context, int device)",
  cuCtxSetCurrent: "int cuCtxSetCurrent(uint64_t context)",
  cuCtxSynchronize: "int cuCtxSynchronize()",
  cuMemAlloc_v2: "int cuMemAlloc_v2(_Out_ uint64_t *at, size_t bytes)",
  cuMemFree_v2: "int cuMemFree_v2(uint64_t at)",
  cuMemHostAlloc: "int cuMemHostAlloc(_Out_ uint64_t *at, size_t bytes, uint32_t flags)",
  cuMemFreeHost: "int cuMemFreeHost(uint64_t at)",
  cuMemcpyHtoD_v2: "int cuMemcpyHtoD_v2(uint64_t to, void *from, size_t bytes)",
  cuMemcpyDtoH_v2: "int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)",
  cuMemcpyHtoDAsync_v2: "int cuMemcpyHtoDAsync_v2(uint64_t to, void *from, size_t bytes, uint64_t stream)",
  cuMemcpyDtoHAsync_v2: "int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, uint64_t stream)",
  cuMemsetD8_v2: "int cuMemsetD8_v2(uint64_t at, uint8_t byte, size_t bytes)",
  cuModuleLoadData: "int cuModuleLoadData(_Out_ uint64_t *module, void *code)",
  cuModuleLoadDataEx:
    "int cuModuleLoadDataEx(_Out_ uint64_t *module, void *code, uint32_t count, void *options, void *values)",
  cuModuleUnload: "int cuModuleUnload(uint64_t module)",
  cuModuleGetFunction: "int cuModuleGetFunction(_Out_ uint64_t *function, uint64_t module, const char *name)",
  cuFuncSetAttribute: "int cuFuncSetAttribute(uint64_t function, int attribute, int value)",
  cuLaunchKernel:
    "int cuLaunchKernel(uint64_t function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, uint32_t shared, uint64_t stream, void **parameters, void *extra)",
  cuTensorMapEncodeTiled:
    "int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, uint64_t array, void *sizes, void *strides, void *box, void *steps, int order, int swizzle, int lines, int outside)",
  cuStreamCreate: "int cuStreamCreate(_Out_ uint64_t *stream, uint32_t flags)",
  cuStreamDestroy_v2: "int cuStreamDestroy_v2(uint64_t stream)",
  cuEventCreate: "int cuEventCreate(_Out_ uint64_t *event, uint32_t flags)",
  cuEventRecord: "int cuEventRecord(uint64_t event, uint64_t stream)",
  cuEventQuery: "int cuEventQuery(uint64_t event)",
  cuEventDestroy_v2: "int cuEventDestroy_v2(uint64_t event)",
  cuEventSynchronize: "int cuEventSynchronize(uint64_t event)",
  cuEventElapsedTime: "int cuEventElapsedTime(_Out_ float *ms, uint64_t from, uint64_t to)",
} as const;

export type CallName = keyof typeof prototypes;

/** Failure of a call of the driver. */
export class CudaError extends Error {
  readonly code: number;

  constructor(name: CallName, code: number, text: string) {
    super(`${name}: ${text || code}`);
    this.code = code;
  }
}

/** Codes of the driver that callers tell apart. */
export const cudaCodes = { done: 0, outOfMemory: 2, noDevice: 100, noCode: 209, notReady: 600 } as const;

export interface CudaCalls {
  /** Name or path by which the driver's library was found. */
  readonly library: string;
  /** @throws CudaError */
  call(name: CallName, ...values: readonly unknown[]): void;
  /** Calls a function and returns its code: 0, or what went wrong. */
  ask(name: CallName, ...values: readonly unknown[]): number;
  /** @throws CudaError if the code that a function returned is another than 0 */
  check(name: CallName, code: number): void;
  /** Calls a function on a thread of its own, which has no current context. Rejects with a CudaError. */
  later(name: CallName, ...values: readonly unknown[]): Promise<void>;
  /** Returns what a function stores at its first argument. @throws CudaError */
  read(name: CallName, ...values: readonly unknown[]): bigint;
  /** Address of an array of this process. */
  addressOf(array: Uint8Array): bigint;
}

interface Callable {
  (...values: readonly unknown[]): number;
  async(...values: readonly unknown[]): void;
}

/** @param path of the driver's library, where it lies elsewhere. An Error says that there is none. */
export function openCuda(koffi: Koffi, path?: string): CudaCalls {
  const { name: found, library } = firstOf(koffi, path ? [path] : libraries);
  const functions = new Map<CallName, Callable>();
  const nameOf = library.func("int cuGetErrorName(int code, _Out_ const char **name)");
  const functionNamed = (name: CallName): Callable => {
    const known = functions.get(name) ?? (library.func(prototypes[name]) as unknown as Callable);
    functions.set(name, known);
    return known;
  };
  const check = (name: CallName, code: number): void => {
    if (code === cudaCodes.done) return;
    const text = [""];
    nameOf(code, text);
    throw new CudaError(name, code, text[0]!);
  };
  const call: CudaCalls["call"] = (name, ...values) => check(name, functionNamed(name)(...values));
  return {
    library: found,
    call,
    check,
    ask: (name, ...values) => functionNamed(name)(...values),
    read(name, ...values) {
      const result = [0];
      call(name, result, ...values);
      return BigInt(result[0]!);
    },
    addressOf: (array) => BigInt(koffi.address(array)),
    async later(name, ...values) {
      const code = await new Promise<number>((resolve, reject) => {
        functionNamed(name).async(...values, (error: unknown, answer: number) =>
          error ? reject(error) : resolve(answer),
        );
      });
      check(name, code);
    },
  };
}

function firstOf(koffi: Koffi, paths: readonly string[]): { readonly name: string; readonly library: Library } {
  const failures: string[] = [];
  for (const path of paths) {
    try {
      return { name: path, library: koffi.load(path) };
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  const why = failures[0]?.replace(/^Failed to load shared library: /, "");
  throw new Error(`there is no CUDA driver (looked for ${paths.join(", ")}: ${why})`);
}

/** Attributes of a device, by the driver's numbers. */
export const attributes = { processors: 16, capabilityMajor: 75, capabilityMinor: 76, groupBytes: 97 } as const;

/** Attribute of a function: the most memory that a launch gives a group. */
const mostGroupBytes = 8;

/** Memory of a group beyond which a function has to be told that it will get more. */
const usualGroupBytes = 48 * 1024;

/** Returns a function of a module, which may be given this much memory for a group. @throws CudaError */
export function functionOf(
  cuda: Pick<CudaCalls, "call" | "read">,
  module: bigint,
  entry: string,
  groupBytes: number,
): bigint {
  const found = cuda.read("cuModuleGetFunction", module, entry);
  if (groupBytes > usualGroupBytes) cuda.call("cuFuncSetAttribute", found, mostGroupBytes, groupBytes);
  return found;
}

/** Places of a launch's arguments: the driver copies them at the launch, from the places whose addresses it is given. */
export function argumentPlaces(addresses: readonly bigint[]): readonly Uint8Array[] {
  const values = BigUint64Array.from(addresses);
  return addresses.map((_, at) => new Uint8Array(values.buffer, at * 8, 8));
}

/** Name of a device, by what the driver writes. */
export function deviceName({ call }: CudaCalls, device: bigint): string {
  const bytes = new Uint8Array(256);
  call("cuDeviceGetName", bytes, bytes.length, Number(device));
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
