// The compiler of CUDA C that this machine has: NVRTC, which needs no other program, else nvcc. It is looked for once a process and place.

import type { CudaTools } from "./cuda-tools.ts";
import { findNvcc } from "./nvcc.ts";
import { loadNvrtc } from "./nvrtc.ts";
import { nvrtcProcesses } from "./nvrtc-processes.ts";

/** Says that there is no compiler, and how to get one. */
export const missingCudaCompiler =
  "there is no CUDA compiler: install NVRTC (libnvrtc of the CUDA toolkit, or Debian's libnvrtc12) and the package koffi, name the library in UNPLUGIN_KERNEL_NVRTC, or have nvcc on the PATH";

const found = new Map<string, Promise<CudaTools | null>>();

/** Looks for a compiler; null: there is none. */
export function cudaTools(): Promise<CudaTools | null> {
  const place = `${process.env.UNPLUGIN_KERNEL_NVRTC}\n${process.env.PATH}`;
  const tools = found.get(place) ?? look();
  found.set(place, tools);
  return tools;
}

async function look(): Promise<CudaTools | null> {
  const nvrtc = await loadNvrtc();
  if (!nvrtc) return findNvcc();
  return { identity: nvrtc.identity, ...nvrtcProcesses(nvrtc.library) };
}
