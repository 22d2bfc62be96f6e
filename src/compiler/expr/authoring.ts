// The language of operator files: what "unplugin-kernel/op" exports.

export { compute } from "./compute.ts";
export type { DType } from "./dtype.ts";
export type { Expr, Operand, ReduceAxis, Tensor } from "./expr-type.ts";
export * from "./functions.ts";
export type {
  AnyKernel,
  AnyResult,
  Argument,
  ArrayOf,
  BufferOnDevice,
  Bytes,
  CudaBuffer,
  CudaDevice,
  CudaMemory,
  CudaStream,
  GpuInfo,
  Halves,
  Kernel,
  KernelInfo,
  KernelOnCuda,
  KernelOnDevice,
  OnCuda,
  OnGpu,
  OwnHalves,
  Packable,
  PackableKernel,
  PackedKernel,
  TypedArray,
} from "./kernel-type.ts";
export { defineOp, type Op, type PackableOp, withConstants } from "./op.ts";
export { argmax, argmin, max, min, prod, type ReduceAxes, sum } from "./reduce.ts";
export { reduceAxis } from "./reduce-axis.ts";
export { tensor } from "./tensor.ts";
