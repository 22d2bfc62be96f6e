// The part of the runtime that kernels for CUDA alone need (dist/runtime-cuda.js). It imports the rest from dist/runtime.js, so programs without
// such kernels load none of it.

export { createCudaKernel } from "../cuda/create-cuda-kernel.ts";
