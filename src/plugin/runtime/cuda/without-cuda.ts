// The kernel that a page gets of an import for CUDA: that of its twin, with members that say so.

import type { AnyKernel, CudaDevice } from "../../../compiler/index.ts";
import type { KernelFacts } from "../facts.ts";
import { gpuKernel } from "../gpu/gpu-kernel.ts";
import type { Way } from "../implementation.ts";

const reason = "CUDA needs Node.js";

const none = (): never => {
  throw new Error(reason);
};

const nowhere: CudaDevice = {
  ...{ index: 0, name: null, at: () => nowhere },
  ...{ alloc: none, upload: none, stream: none },
  ...{ ready: async () => none(), download: async () => none(), wait: async () => none() },
};

/** Makes the kernel of an emitted module. @param ways the ways to a twin, best first */
export const withoutCuda = (facts: KernelFacts, ...ways: readonly Way[]): AnyKernel =>
  gpuKernel({ ...facts, reason: facts.reason ?? reason }, "cuda", ways, () => null, { device: nowhere });
