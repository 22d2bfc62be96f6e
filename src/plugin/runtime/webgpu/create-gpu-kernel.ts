// The kernel that an import for WebGPU gets: calls off the event loop may go to the visitor's GPU, and `on` takes buffers of a device.

import type { AnyKernel } from "../../../compiler/index.ts";
import type { KernelFacts } from "../facts.ts";
import type { GpuApi } from "../gpu/gpu-api.ts";
import { gpuKernel } from "../gpu/gpu-kernel.ts";
import type { Way } from "../implementation.ts";
import { findDevice, type OwnDevice } from "./device.ts";
import { type GpuFacts, type GpuSchedule, schedulesFor } from "./gpu-facts.ts";
import { openOn } from "./on-device.ts";
import { openArrayRunner } from "./run-arrays.ts";

/**
 * Makes the kernel of an emitted module.
 *
 * @param gpuFacts null: the build made no code for a GPU
 * @param ways the ways to a twin, best first; none: there is no twin
 * @example export default createGpuKernel({ op: "gemm", … }, { schedules: [{ code: […] }] }, wasm);
 */
export const createGpuKernel = (facts: KernelFacts, gpuFacts: GpuFacts | null, ...ways: readonly Way[]): AnyKernel =>
  gpuKernel(
    facts,
    "webgpu",
    ways,
    (context): GpuApi<OwnDevice, GpuSchedule> | null =>
      gpuFacts && {
        find: findDevice,
        schedulesFor: ({ device }) => schedulesFor(gpuFacts, device),
        open: (schedule, { device }) => openArrayRunner(context, schedule, device),
        on: (device, constants) => openOn(context, gpuFacts, device, constants),
      },
  );
