// PTX → machine code by the assembler in NVRTC, which takes CUDA C alone: the text stands as inline PTX that ends the function around it.

import type { CudaCompiler } from "../../../src/native/cuda/nvrtc.ts";

/**
 * Assembles a module. An Error says what the assembler finds wrong.
 *
 * @param architecture "sm_90a"
 */
export function assemblePtx(nvrtc: CudaCompiler, ptx: string, architecture: string): Uint8Array {
  const kernels = ptx
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\/\/.*$/gm, "")
    .replace(/^\s*\.(?:version|target|address_size)\b.*$/gm, "");
  // NVRTC prints the end of the last function.
  const inline = `ret;\n}\n${kernels.slice(0, kernels.lastIndexOf("}"))}`;
  const text = `extern "C" __global__ void around() { asm volatile(${JSON.stringify(inline)}); }`;
  return nvrtc.compile({ text, numerics: "fast" }, architecture).cubin;
}
