// What kernels for CUDA add to the runtime: a module of its own (dist/runtime-cuda.js), which imports the runtime, so that programs without such
// kernels load nothing of it.

export { createCudaKernel } from "../cuda/create-cuda-kernel.ts";
