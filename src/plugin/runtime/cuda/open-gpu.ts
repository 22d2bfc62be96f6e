// A GPU that kernels run on: its context, memory, copies by pinned memory of the host, launches, and waiting. It is opened once a process.
// A failure after which the driver refuses all further work ends the use of the GPU for all kernels of the process.

import { type CallName, CudaError, cudaCodes } from "../../../native/cuda/calls.ts";
import { type CudaGpu, whyNotOnGpu } from "../../../native/cuda/devices.ts";
import { nextTurn, nowMs, sleepMs } from "../../../native/machine/clock.ts";
import { type Driver, driverHere, gpusHere, gpusSoon } from "./driver-here.ts";
import { loadInWorker } from "./load-in-worker.ts";

/** Memory of the host that the device copies from and to by itself. */
export interface Staging {
  readonly bytes: Uint8Array;
  /** Gives it back for the next call. */
  release(): void;
}

/** Stream that the driver keeps in order with all others. */
export const ownStream = 0n;

/** Codes behind which a context, or the device, is of no more use: CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED and their like. */
const fatal: ReadonlySet<number> = new Set([
  3, 4, 46, 101, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999,
]);

/** Milliseconds for which a device is asked at each turn of the event loop: short kernels end by then. Later it is asked by a timer. */
const eagerMs = 2;

/** Blocks of one size that are kept for the next call. */
const mostKept = 4;

const pageBytes = 4096;
/** Events that are not asked for their time cost less. */
const withoutTiming = 2;

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copies what has arrived into an array, and gives the staging back. */
export function takeBytes(staging: Staging, into: ArrayBufferView): void {
  bytesOf(into).set(staging.bytes.subarray(0, into.byteLength));
  staging.release();
}

export class OpenGpu {
  readonly gpu: CudaGpu;
  readonly #driver: Driver;
  readonly #context: bigint;
  readonly #free = new Map<number, Staging[]>();
  readonly #events: bigint[] = [];
  #lost: string | null = null;

  constructor(driver: Driver, gpu: CudaGpu) {
    this.gpu = gpu;
    this.#driver = driver;
    this.#context = driver.cuda.read("cuDevicePrimaryCtxRetain", gpu.device);
  }

  /** Why the GPU is of no more use to this process; null: it is. */
  get lost(): string | null {
    return this.#lost;
  }

  /** Calls the driver in the context of this GPU. @throws CudaError, and the reason where the GPU is lost */
  call(name: CallName, ...values: readonly unknown[]): void {
    this.#during((cuda) => cuda.call(name, ...values));
  }

  /** Returns what a function of the driver stores. @throws CudaError, and the reason where the GPU is lost */
  read(name: CallName, ...values: readonly unknown[]): bigint {
    return this.#during((cuda) => cuda.read(name, ...values));
  }

  addressOf(array: Uint8Array): bigint {
    return this.#driver.cuda.addressOf(array);
  }

  /** Loads machine code, or PTX that ends with a zero, in a worker where the program may have one. Rejects with a CudaError. */
  async load(code: Uint8Array): Promise<bigint> {
    const { koffiPath, cuda } = this.#driver;
    const wanted = { koffiPath, library: cuda.library, context: this.#context, code };
    const loaded = await loadInWorker(wanted).catch(() => null);
    if (loaded === null) return this.read("cuModuleLoadDataEx", code, 0, null, null);
    this.#during(() => cuda.check("cuModuleLoadDataEx", loaded.code));
    return loaded.module;
  }

  alloc(bytes: number): bigint {
    try {
      return this.read("cuMemAlloc_v2", Math.max(bytes, 1));
    } catch (error) {
      if (!(error instanceof CudaError) || error.code !== cudaCodes.outOfMemory) throw error;
      throw new Error(`${this.gpu.name} has no memory for ${bytes} bytes: ${error.message}`);
    }
  }

  /** Frees memory. */
  free(address: bigint): void {
    this.release("cuMemFree_v2", address);
  }

  /** Gives something back to the driver, which frees all that is lost with a GPU by itself. A failure is that of an earlier call. */
  release(name: CallName, handle: bigint): void {
    try {
      this.call(name, handle);
    } catch {}
  }

  /** Adds a copy of an array to the device. The array has been read when this returns; the staging is free once the stream got there. */
  copyIn(to: bigint, from: ArrayBufferView, stream: bigint): Staging {
    const staging = this.staging(from.byteLength);
    staging.bytes.set(bytesOf(from));
    if (from.byteLength > 0) this.call("cuMemcpyHtoDAsync_v2", to, staging.bytes, from.byteLength, stream);
    return staging;
  }

  /** Adds a copy from the device. Its bytes are there once the stream got there. */
  copyOut(from: bigint, bytes: number, stream: bigint): Staging {
    const staging = this.staging(bytes);
    if (bytes > 0) this.call("cuMemcpyDtoHAsync_v2", staging.bytes, from, bytes, stream);
    return staging;
  }

  /** Copies an array to the device. The array has been read when this returns. */
  upload(to: bigint, from: ArrayBufferView, stream: bigint): void {
    const staging = this.copyIn(to, from, stream);
    // A failure is told by what waits for the result.
    this.finished(stream).then(staging.release, () => undefined);
  }

  /** Copies from the device into an array, behind all that was added to the stream. */
  async download(from: bigint, into: ArrayBufferView, stream: bigint): Promise<void> {
    const staging = this.copyOut(from, into.byteLength, stream);
    await this.finished(stream);
    takeBytes(staging, into);
  }

  /** Waits, between other events of the program, until all that was added to a stream has run. Rejects with its failure. */
  async finished(stream: bigint): Promise<void> {
    const event = this.#events.pop() ?? this.read("cuEventCreate", withoutTiming);
    this.call("cuEventRecord", event, stream);
    const start = nowMs();
    while (!this.#hasHappened(event)) await (nowMs() - start < eagerMs ? nextTurn() : sleepMs(1));
    this.#events.push(event);
  }

  /** Waits until all that was added to any stream has run. */
  wait(): Promise<void> {
    return this.finished(ownStream);
  }

  /** Takes pinned memory of at least this many bytes; where the system gives none, memory as any other. */
  staging(bytes: number): Staging {
    const size = Math.ceil(bytes / pageBytes) * pageBytes;
    const kept = this.#free.get(size) ?? [];
    this.#free.set(size, kept);
    const known = kept.pop();
    if (known) return known;
    const { bytes: memory, free } = this.#memory(size);
    const staging: Staging = {
      bytes: memory,
      release() {
        if (kept.length < mostKept) kept.push(staging);
        else free();
      },
    };
    return staging;
  }

  /** Pinned memory as an array. Electron allows no array over memory that is not its own, so there it is memory as any other. */
  #memory(size: number): { readonly bytes: Uint8Array; free(): void } {
    const address = this.#pinned(size);
    const free = (): void => {
      if (address !== null) this.release("cuMemFreeHost", address);
    };
    try {
      if (address !== null) return { bytes: new Uint8Array(this.#driver.koffi.view(address, size)), free };
    } catch {
      free();
    }
    return { bytes: new Uint8Array(size), free: () => undefined };
  }

  #pinned(size: number): bigint | null {
    try {
      return this.read("cuMemHostAlloc", size, 0);
    } catch (error) {
      if (error instanceof CudaError && !fatal.has(error.code)) return null;
      throw error;
    }
  }

  #hasHappened(event: bigint): boolean {
    return this.#during((cuda) => {
      const code = cuda.ask("cuEventQuery", event);
      if (code !== cudaCodes.done && code !== cudaCodes.notReady) cuda.check("cuEventQuery", code);
      return code === cudaCodes.done;
    });
  }

  #during<T>(work: (cuda: Driver["cuda"]) => T): T {
    const { cuda } = this.#driver;
    if (this.#lost !== null) throw new Error(this.#lost);
    try {
      // A program may have several GPUs, and other libraries that use them.
      cuda.call("cuCtxSetCurrent", this.#context);
      return work(cuda);
    } catch (error) {
      if (error instanceof CudaError && fatal.has(error.code))
        this.#lost = `${this.gpu.name} is lost to this process, which has to be started again: ${error.message}`;
      throw error;
    }
  }
}

const opened = new Map<number, OpenGpu>();

/** Returns a GPU that has been opened; undefined: it has not. */
export const openedGpu = (index: number): OpenGpu | undefined => opened.get(index);

/** Opens a GPU by its number. An Error says why it cannot be used. */
export function openGpu(index: number): OpenGpu {
  const gpus = gpusHere();
  const gpu = gpus[index];
  if (!gpu) throw new RangeError(`there is no GPU ${index}: the CUDA driver has ${gpus.length}`);
  const known = opened.get(index) ?? new OpenGpu(driverHere(), gpu);
  opened.set(index, known);
  return known;
}

/** Opens a GPU off the event loop. Rejects with the reason why it cannot be used. */
export async function openGpuSoon(index: number): Promise<OpenGpu> {
  const gpu = (await gpusSoon())[index];
  // The context takes longest. It is counted by those who keep it, and made once.
  if (gpu && !opened.has(index))
    await driverHere()
      .cuda.later("cuDevicePrimaryCtxRetain", [0], gpu.device)
      .catch(() => undefined);
  return openGpu(index);
}

/** Returns the number of the first GPU that runs code of an architecture. Rejects with the reason why none does. */
export async function gpuFor(architecture: string): Promise<number> {
  const reasons = (await gpusSoon()).map((gpu) => whyNotOnGpu(gpu, architecture));
  const at = reasons.indexOf(null);
  if (at < 0) throw new Error(reasons[0]!);
  return at;
}
