// PTX on the CPU: kernels are translated to C++ (ptx-to-c.ts) and run as generated CUDA C is.

import type { Reference } from "../../support/reference.ts";
import { compileForCpu, type KernelLaunches, type RunKernel, wrongKernels } from "./on-cpu.ts";
import { ptxToCpp } from "./ptx-to-c.ts";

export interface PtxKernel extends KernelLaunches {
  readonly ptx: string;
}

const header = "cpu-ptx.h";

const forCpu = (kernel: PtxKernel) => ({ ...kernel, functions: ptxToCpp(kernel.ptx) });

export const compilePtxForCpu = (kernels: readonly PtxKernel[]): readonly RunKernel[] =>
  compileForCpu(header, kernels.map(forCpu));

/** Returns what is wrong with each kernel's results; null: nothing. */
export const wrongPtxOnCpu = (reference: Reference, kernels: readonly PtxKernel[]): readonly (string | null)[] =>
  wrongKernels(reference, header, kernels.map(forCpu));
