// The back end for GPUs behind WebGPU, without its code.

import type { BackendTraits } from "../backend-traits.ts";

export const wgslTraits: BackendTraits = { name: "wgsl", needsToolchain: false, isForVisitors: true };
