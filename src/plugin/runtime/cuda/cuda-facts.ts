// Data about a kernel's code for CUDA in its emitted module. The plugin writes it (binding/twin/cuda.ts), the files beside this one read it.

import type { CudaLaunch } from "../../../compiler/index.ts";
import type { ScheduleOnGpu } from "../gpu/gpu-api.ts";

/** Code of one function: an entry point a launch, whose arguments are the addresses of all parameters, then of scratch memory. */
export interface CudaCode {
  /** PTX. */
  readonly text: string;
  /** Machine code for the architecture, in base64; absent in artifacts of earlier versions. */
  readonly cubin?: string;
  readonly launches: readonly CudaLaunch[];
  /** Bytes of each scratch array. */
  readonly scratch: readonly number[];
}

export interface CudaFacts extends ScheduleOnGpu {
  /** Architecture of the GPUs that run it: "sm_80" and later ones, "sm_90a" alone. */
  readonly architecture: string;
  /** The kernel, then what prepares constants. */
  readonly code: readonly CudaCode[];
}
