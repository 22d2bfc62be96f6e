// Runtime that emitted modules import: one module for all kernels of a program (dist/runtime.js). The plugin resolves
// it, so that it is part of the bundle; an implementation that no kernel names leaves nothing behind.

export { withoutCuda } from "../cuda/without-cuda.ts";
export { forEngine } from "../engine.ts";
export type { KernelFacts } from "../facts.ts";
export { foreign } from "../foreign.ts";
export { gpuKernel } from "../gpu/gpu-kernel.ts";
export { hotKernel } from "../hot.ts";
export { createKernel } from "../kernel.ts";
export { loops } from "../loops.ts";
export { measureHere } from "../measure-here.ts";
export { native } from "../native.ts";
export { wasm, wasmOnThreads } from "../wasm.ts";
export { createGpuKernel } from "../webgpu/create-gpu-kernel.ts";
