// The back end for NVIDIA's GPUs, without its code.

import type { BackendTraits } from "../backend-traits.ts";

export const cudaTraits: BackendTraits = { name: "cuda", needsToolchain: false, isForGpuHere: true };
