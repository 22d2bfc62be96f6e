// The kernel that an import for WebGPU gets: calls off the event loop may go to the visitor's GPU, and `on` takes buffers of a device.

import type { AnyKernel } from "../../../compiler/index.ts";
import type { KernelFacts } from "../facts.ts";
import type { GpuApi } from "../gpu/gpu-api.ts";
import { gpuKernel } from "../gpu/gpu-kernel.ts";
import type { ModuleContext, Way } from "../implementation.ts";
import { findDevice } from "./device.ts";
import { type GpuFacts, type GpuSchedule, schedulesFor } from "./gpu-facts.ts";
import { openOn } from "./on-device.ts";
import { openArrayRunner } from "./run-arrays.ts";

const webgpu = (context: ModuleContext, facts: GpuFacts): GpuApi<GpuSchedule> => ({
  async find() {
    const found = await findDevice();
    if (found.kind === "none") return found;
    return {
      kind: "found",
      adapter: found.adapter,
      schedules: schedulesFor(facts, found.gpu),
      open: (schedule) => openArrayRunner(context, schedule, found.device),
    };
  },
  textsOf: ({ code }) => code.map(({ text }) => text),
  on: (device, constants) => openOn(context, facts, device, constants),
});

/**
 * Makes the kernel of an emitted module.
 *
 * @param gpuFacts null: the build made no code for a GPU
 * @param ways the ways to a twin, best first; none: there is no twin
 * @example export default createGpuKernel({ op: "gemm", … }, { schedules: [{ code: […] }] }, wasm);
 */
export const createGpuKernel = (facts: KernelFacts, gpuFacts: GpuFacts | null, ...ways: readonly Way[]): AnyKernel =>
  gpuKernel(facts, "webgpu", (context) => gpuFacts && webgpu(context, gpuFacts), ways);
