// Types that TypeScript gives an import of an operator with `?tune=…`: a function over typed arrays. Types only.

import type { DType } from "./dtype.ts";

/**
 * The typed array that holds elements of a dtype; f16 and bf16 are bit patterns, bool is one byte, 0 or 1. Its memory
 * is not shared, since functions that take bytes (`fetch`, `Blob`) take no other.
 */
export interface ArrayTypes {
  readonly f64: Float64Array<ArrayBuffer>;
  readonly f32: Float32Array<ArrayBuffer>;
  readonly f16: Uint16Array<ArrayBuffer>;
  readonly bf16: Uint16Array<ArrayBuffer>;
  readonly i32: Int32Array<ArrayBuffer>;
  readonly i16: Int16Array<ArrayBuffer>;
  readonly i8: Int8Array<ArrayBuffer>;
  readonly u8: Uint8Array<ArrayBuffer>;
  readonly bool: Uint8Array<ArrayBuffer>;
}

export type ArrayOf<D extends DType> = ArrayTypes[D];

/** Any typed array that holds elements, in shared memory or not. */
export type TypedArray = Float64Array | Float32Array | Uint16Array | Int32Array | Int16Array | Int8Array | Uint8Array;

/** Argument for a tensor of u8: bytes, the pixels of a canvas, or the `ImageData` that holds them. */
export type Bytes = Uint8Array | Uint8ClampedArray | { readonly data: Uint8ClampedArray };

/** Type of `Float16Array`, in projects whose TypeScript libraries have it: `"lib": ["esnext.float16"]`. */
type Float16 = typeof globalThis extends { readonly Float16Array: infer Constructor } ? Constructor : never;
type AnyOf<Constructor> = Constructor extends { readonly prototype: infer Half } ? Half : never;
type MadeBy<Constructor> = Constructor extends { of(...items: number[]): infer Half } ? Half : never;

/** Argument for a tensor of f16: halves, or their bits. */
export type Halves = Uint16Array | AnyOf<Float16>;

/**
 * Result of f16: a `Float16Array` where the engine has it, and its bits elsewhere. `fromF16` of `unplugin-kernel/halves` takes both.
 */
export type OwnHalves = Uint16Array<ArrayBuffer> | MadeBy<Float16>;

/** Argument of a call for one tensor. */
export type Argument = TypedArray | Bytes | Halves;

/** Implementation that answers: the addon, a WASM module, or plain loops (mode `off`). A back end of one's own has its own name. */
export type Twin = "native" | "wasm-relaxed" | "wasm" | "reference";

export interface KernelTensorInfo {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly role: "input" | "output";
}

/** Facts about a kernel that runs. */
export interface KernelInfo {
  /** Name of the operator. */
  readonly op: string;
  /** Parameters of the operator, with the import's values. */
  readonly parameters: Readonly<Record<string, number | string>>;
  /** Name of the target: never `native`, but what that stands for; with option `engines` that of the schedule for this engine. */
  readonly target: string;
  readonly numerics: "fast" | "strict";
  /** Inputs and outputs, in calling order. */
  readonly tensors: readonly KernelTensorInfo[];
  /** Loads the kernel if need be; null in a browser before `ready()`. */
  readonly twin: Twin | (string & {}) | null;
  /** Why it is not a better twin, in words; null when it is the best that was built. */
  readonly twinReason: string | null;
  /** The schedule, one instruction a line. Null in the output of a build, unless option `schedules` asks for it. */
  readonly schedule: string | null;
  /** 1e9 operations a second, measured when it was tuned; null for a schedule that was predicted. */
  readonly gflops: number | null;
  /** Key of the kernel in the store. Null in the output of a build, unless option `schedules` asks for it. */
  readonly cacheKey: string | null;
  /**
   * Largest error against exact arithmetic, relative to the largest result, for inputs without a pattern: of the algorithm
   * that was chosen. 0: the bits of the reference. Null: not known.
   */
  readonly errorBound: number | null;
}

/** Result of `buffers()` when nothing more precise is known about the operator: the arrays by name. */
export type AnyBuffers = Readonly<Record<string, TypedArray>>;

/**
 * Members that kernels and packed kernels have in common. `Inputs` and `Outputs` are the arrays of a call in their
 * order, labelled with their names: `[A: Float32Array, B: Float32Array]`. Default: any number of any arrays.
 */
export interface PackedKernel<
  Result = TypedArray,
  Inputs extends readonly Argument[] = Argument[],
  Outputs extends readonly Argument[] = [],
  Buffers = AnyBuffers,
> {
  // One signature for both forms of a call: several ones could not be called through a union of kernels.
  (...arrays: [...Inputs, ...Partial<Outputs>]): Result;
  /** Computes off the event loop, on copies of the inputs. It rejects with the errors that a call throws. */
  async(...arrays: [...Inputs, ...Partial<Outputs>]): Promise<Result>;
  /** The arrays that the kernel reads and writes, by name: a call with exactly these copies nothing. */
  buffers(): Buffers;
  readonly info: KernelInfo;
}

/** A kernel with inputs that stay the same from call to call. */
export interface Packable<Constants, Packed> {
  /**
   * Computes once what the kernel takes of its constant inputs, such as other layouts, and copies the constants that it reads
   * as they are: the caller's arrays may change afterwards.
   *
   *     const layer = gemm.pack({ B: weights });
   *     const C = layer(A);
   *     layer(A, C);
   */
  pack(constants: Readonly<Constants>): Packed;
}

/** A kernel of an operator `withConstants`. Called as it is, it packs them in each call. */
export interface PackableKernel<Result = TypedArray, Constants extends string = string>
  extends Kernel<Result>,
    Packable<Record<Constants, TypedArray>, PackedKernel<Result>> {}

/**
 * A tuned kernel. `Result` is a typed array, or an object of them for several results.
 *
 *     const C = gemm(A, B);               // allocates the result
 *     gemm(A, B, C);                      // writes into C
 *     await gemm.async(A, B, C);          // off the event loop
 *     const { A, B, C } = gemm.buffers()  // typed arrays where the kernel reads them
 *
 * Arrays are row-major and come in the order of the tensors, inputs first. A wrong length, type or number of arrays, or
 * a result that overlaps another array, is a TypeError or RangeError that names the argument.
 */
export interface Kernel<
  Result = TypedArray,
  Inputs extends readonly Argument[] = Argument[],
  Outputs extends readonly Argument[] = [],
  Buffers = AnyBuffers,
> extends PackedKernel<Result, Inputs, Outputs, Buffers> {
  /** Loads the kernel. Needed only in browsers, with `&sync=0` or a very large module: otherwise the first call does. */
  ready(): Promise<void>;
}

/** One output, or several by name. */
export type AnyResult = TypedArray | Readonly<Record<string, TypedArray>>;

/**
 * Type of an import when nothing more precise is known about its operator: `Kernel`, with a result type that the caller
 * chooses. Most results are f32; others are named: `const sums: Int32Array = count(A)`.
 */
export interface AnyKernel extends Omit<Kernel, "async"> {
  <Result extends AnyResult = Float32Array<ArrayBuffer>>(...arrays: Argument[]): Result;
  async<Result extends AnyResult = Float32Array<ArrayBuffer>>(...arrays: Argument[]): Promise<Result>;
}

/** Type that a project's TypeScript libraries have for an object of WebGPU; any object where they have none. */
type GpuType<Name extends string> =
  typeof globalThis extends Readonly<Record<Name, { readonly prototype: infer Type }>> ? Type : object;

/** A buffer of a device, or what has one as its member `buffer`, as TypeGPU's have. */
export type BufferOnDevice = GpuType<"GPUBuffer"> | { readonly buffer: GpuType<"GPUBuffer"> };

/**
 * A kernel on a device of WebGPU. Buffers come in the order of the tensors, inputs first; those of a packed kernel without the constants.
 *
 *     const product = await gemm.on(device);
 *     const [A, B, C] = [product.buffer("A", weights), product.buffer("B", values), product.buffer("C")];
 *     product.run(A, B, C);
 *     const result = await product.read("C", C);
 */
export interface KernelOnDevice {
  readonly device: GpuType<"GPUDevice">;
  /** Makes a buffer for a tensor, with values if they are given. Any other buffer of enough bytes with usage STORAGE does as well. */
  buffer(name: string, values?: Argument): GpuType<"GPUBuffer">;
  /** Adds a run to a compute pass: kernels of one pass run one after the other, and what they hand on stays on the device. */
  encode(pass: GpuType<"GPUComputePassEncoder">, ...buffers: readonly BufferOnDevice[]): void;
  /** Runs in a pass of its own, which is submitted. */
  run(...buffers: readonly BufferOnDevice[]): void;
  /** Copies a buffer of a tensor to an array, when all that was submitted has run. */
  read(name: string, buffer: BufferOnDevice): Promise<TypedArray>;
  /** Frees what the kernel itself keeps on the device. */
  destroy(): void;
}

/** Facts about the GPU that calls off the event loop may use. */
export interface GpuInfo {
  /** Name of the adapter that answers `async`; null: the twin does. */
  readonly adapter: string | null;
  /** Why the twin does; null: a GPU answers. */
  readonly reason: string | null;
}

/** Members of kernels for `webgpu` beside those that all have: the twin answers calls, a GPU those of `async` where it is faster. */
export interface OnGpu {
  readonly info: KernelInfo & { readonly gpu: GpuInfo };
  /**
   * Brings the kernel to a device: a GPUDevice, or what has one as its member `device`, as TypeGPU's roots have.
   *
   * @throws TypeError if it is no device; what the device says of the kernel
   */
  on(device: GpuType<"GPUDevice"> | { readonly device: GpuType<"GPUDevice"> }): Promise<KernelOnDevice>;
}

/** Memory of an NVIDIA GPU, of whichever library of the program. */
export interface CudaMemory {
  /** Address on the device. */
  readonly address: bigint;
  readonly bytes: number;
}

/** Memory that is freed when nothing holds the object any more. */
export interface CudaBuffer extends CudaMemory {
  readonly device: CudaDevice;
  /** Bytes; 0: it has been freed. */
  readonly bytes: number;
  /** Frees it now. */
  free(): void;
}

/** Work of a GPU in its order. What is copied by the device itself comes before and behind all streams. */
export interface CudaStream {
  readonly device: CudaDevice;
  /** The driver's handle, for other libraries of the program. */
  readonly handle: bigint;
  /** Waits, off the event loop, until all that was added has run. Rejects with the failure of a launch. */
  wait(): Promise<void>;
  destroy(): void;
}

/**
 * An NVIDIA GPU: one object for each, which all kernels of a program share. It is opened when it is first used; members throw the reason
 * where there is none.
 */
export interface CudaDevice {
  /** Number among the GPUs that the process sees. */
  readonly index: number;
  /** "NVIDIA H200"; null: it has not been opened yet, or is not there. */
  readonly name: string | null;
  /** Opens the GPU off the event loop. Rejects with the reason why it cannot be used. */
  ready(): Promise<void>;
  /** Another GPU of this process. */
  at(index: number): CudaDevice;
  /** Takes memory, whose values are whatever was there. */
  alloc(bytes: number): CudaBuffer;
  /** Copies an array into memory. The array has been read when this returns. @param stream default: the device's own */
  upload(to: CudaMemory, from: ArrayBufferView, stream?: CudaStream): void;
  /** Copies memory into an array, when all that was added to the stream before has run. @param stream default: the device's own */
  download<Into extends ArrayBufferView>(from: CudaMemory, into: Into, stream?: CudaStream): Promise<Into>;
  /** Makes a stream, whose work may run beside that of other streams. */
  stream(): CudaStream;
  /** Waits, off the event loop, for all streams. */
  wait(): Promise<void>;
}

/**
 * A kernel on an NVIDIA GPU. Buffers come in the order of the tensors, inputs first; those of a packed kernel without the constants.
 *
 *     const product = await gemm.on(gemm.device);
 *     const [A, B, C] = [product.buffer("A", weights), product.buffer("B", values), product.buffer("C")];
 *     product.run(A, B, C);
 *     const result = await product.read("C", C);
 */
export interface KernelOnCuda {
  readonly device: CudaDevice;
  /** Takes memory for a tensor, with values if they are given. Any other memory of enough bytes does as well. */
  buffer(name: string, values?: Argument): CudaBuffer;
  /** Adds a run to a stream. Kernels of one stream run one after the other, and what they hand on stays on the GPU. */
  encode(stream: CudaStream, ...buffers: readonly CudaMemory[]): void;
  /** Adds a run to the stream of the device itself. */
  run(...buffers: readonly CudaMemory[]): void;
  /** Copies a buffer of a tensor to an array, when all that was added has run. */
  read(name: string, buffer: CudaMemory): Promise<TypedArray>;
  /** Frees what the kernel itself keeps on the device. */
  destroy(): void;
}

/** Members of kernels for `cuda-sm80` and later beside those that all have: the twin answers calls, a GPU those of `async` where it is faster. */
export interface OnCuda {
  readonly info: KernelInfo & { readonly gpu: GpuInfo };
  /** The first GPU of the process, the same object for all kernels. */
  readonly device: CudaDevice;
  /**
   * Brings the kernel to a GPU, by itself or its number; default: the first. Rejects with the reason where it does not run there.
   *
   * @throws TypeError if it is neither
   */
  on(device?: CudaDevice | number): Promise<KernelOnCuda>;
}
