// Interface of the compilers of CUDA C, NVRTC and nvcc, and the options that both take.

import type { CudaSource } from "../../compiler/index.ts";

export type CudaText = Pick<CudaSource, "text" | "numerics">;

/** Code of a text for one architecture. */
export interface CudaBinary {
  /** Machine code. */
  readonly cubin: Uint8Array;
  /** The virtual machine's code that the machine code was made of. */
  readonly ptx: string;
}

export interface CudaTools {
  /** "NVRTC 13.0", "nvcc 13.0.88" */
  readonly identity: string;
  /**
   * Compiles a text for an architecture: "sm_90a". An Error says what the compiler did.
   *
   * @param signal aborting kills the compiler and rejects with the signal's reason
   */
  compile(source: CudaText, architecture: string, signal?: AbortSignal): Promise<CudaBinary>;
}

/** Options of a compilation that decide what the code computes. */
export const cudaOptions = ({ numerics }: CudaText): readonly string[] => [
  "--std=c++17",
  `--fmad=${numerics === "fast"}`,
];
