// Interface of the makers of a kernel's code, NVRTC, nvcc and the printer of PTX, and the options that the compilers take.

import type { CudaSource } from "../../compiler/index.ts";

export type CudaText = Pick<CudaSource, "text" | "numerics">;

/** Code of a kernel for one architecture. */
export interface CudaBinary {
  /** Machine code; null: there is no compiler, and drivers make it. */
  readonly cubin: Uint8Array | null;
  /** The virtual machine's code that machine code is made of. */
  readonly ptx: string;
}

/** Code that a compiler makes. */
export interface MachineBinary extends CudaBinary {
  readonly cubin: Uint8Array;
}

/** A compiler of CUDA C. */
export interface CompilerOfCuda {
  compile(source: CudaText, architecture: string, signal?: AbortSignal): Promise<MachineBinary>;
}

export interface CudaTools {
  /** "NVRTC 13.0", "nvcc 13.0.88", "PTX printer 1" */
  readonly identity: string;
  readonly isCompiler: boolean;
  /**
   * Compiles or prints a kernel for an architecture: "sm_90a". An Error says what the compiler did.
   *
   * @param signal aborting kills the compiler and rejects with the signal's reason
   */
  compile(source: CudaText & Pick<CudaSource, "ptx">, architecture: string, signal?: AbortSignal): Promise<CudaBinary>;
}

/** Options of a compilation that decide what the code computes. */
export const cudaOptions = ({ numerics }: CudaText): readonly string[] => [
  "--std=c++17",
  `--fmad=${numerics === "fast"}`,
];
