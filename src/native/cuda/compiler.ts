// The maker of kernels' code on this machine: NVRTC, which needs no other program, else nvcc, else the printer of PTX, which needs nothing. It is
// looked for once a process and place.

import { ptxVersion } from "../../compiler/index.ts";
import type { CudaTools } from "./cuda-tools.ts";
import { findNvcc } from "./nvcc.ts";
import { loadNvrtc } from "./nvrtc.ts";
import { nvrtcProcesses } from "./nvrtc-processes.ts";

/** Drivers compile what it prints. */
export const ptxPrinter: CudaTools = {
  identity: `PTX printer ${ptxVersion}`,
  isCompiler: false,
  compile: async ({ ptx }, architecture) => ({ cubin: null, ptx: ptx(architecture) }),
};

const found = new Map<string, Promise<CudaTools>>();

export function cudaTools(): Promise<CudaTools> {
  const place = `${process.env.UNPLUGIN_KERNEL_NVRTC}\n${process.env.PATH}`;
  const tools = found.get(place) ?? look();
  found.set(place, tools);
  return tools;
}

async function look(): Promise<CudaTools> {
  const nvrtc = await loadNvrtc();
  if (!nvrtc) return (await findNvcc()) ?? ptxPrinter;
  return { identity: nvrtc.identity, isCompiler: true, ...nvrtcProcesses(nvrtc.library) };
}
