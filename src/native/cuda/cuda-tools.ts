// What a compiler of CUDA C does for us, whichever it is, and the options that both take.

import type { CudaSource } from "../../compiler/index.ts";

export type CudaText = Pick<CudaSource, "text" | "numerics">;

export interface CudaTools {
  /** "NVRTC 13.0", "nvcc 13.0.88" */
  readonly identity: string;
  /**
   * Compiles a text to machine code for an architecture: "sm_90a". An Error says what the compiler did.
   *
   * @param signal aborting kills the compiler and rejects with the signal's reason
   */
  compile(source: CudaText, architecture: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Compiles a text to PTX for a virtual architecture: "compute_90a", as `compile` does. */
  ptx(source: CudaText, architecture: string, signal?: AbortSignal): Promise<string>;
}

/** Options of a compilation that decide what the code computes. */
export const cudaOptions = ({ numerics }: CudaText): readonly string[] => [
  "--std=c++17",
  `--fmad=${numerics === "fast"}`,
];
