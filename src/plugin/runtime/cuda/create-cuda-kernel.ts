// The kernel that an import for CUDA gets: calls off the event loop may go to an NVIDIA GPU, `device` is the first of them, and `on` takes
// memory of one.

import { type AnyKernel, fromBf16Bits, fromF16Bits, type TypedArray } from "../../../compiler/index.ts";
import type { KernelFacts } from "../facts.ts";
import type { FoundGpu, GpuApi, NoGpu } from "../gpu/gpu-api.ts";
import { gpuKernel } from "../gpu/gpu-kernel.ts";
import type { ModuleContext, Way } from "../implementation.ts";
import { cudaDevice } from "./cuda-device.ts";
import type { CudaFacts } from "./cuda-facts.ts";
import { openOn } from "./on-device.ts";
import { gpuFor, type OpenGpu, openGpuSoon } from "./open-gpu.ts";
import { openArrayRunner } from "./run-arrays.ts";

interface FoundCuda extends FoundGpu {
  readonly gpu: OpenGpu;
}

async function find(architecture: string): Promise<FoundCuda | NoGpu> {
  try {
    const gpu = await openGpuSoon(await gpuFor(architecture));
    if (gpu.lost !== null) return { kind: "none", reason: gpu.lost };
    return { kind: "found", adapter: gpu.gpu.name, gpu };
  } catch (error) {
    return { kind: "none", reason: (error as Error).message.split("\n")[0]! };
  }
}

/** Numbers of the types whose elements are patterns of bits. */
const decoders: Readonly<Partial<Record<string, (bits: number) => number>>> = {
  f16: fromF16Bits,
  bf16: fromBf16Bits,
};

function cuda(context: ModuleContext, facts: CudaFacts): GpuApi<FoundCuda, CudaFacts> {
  const outputs = context.others.filter(({ role }) => role === "output");
  let used: OpenGpu | null = null;
  return {
    async find() {
      const found = await find(facts.architecture);
      used = found.kind === "found" ? found.gpu : used;
      return found;
    },
    schedulesFor: () => [facts],
    open: (schedule, { gpu }) => openArrayRunner(context, schedule, gpu),
    on: (device, constants) => openOn(context, facts, device, constants),
    lost: () => used?.lost ?? null,
    numbersOf(output: TypedArray, at) {
      const decode = decoders[outputs[at]!.dtype];
      return decode ? Float32Array.from(output, decode) : output;
    },
  };
}

/**
 * Makes the kernel of an emitted module.
 *
 * @param cudaFacts null: the build made no code for a GPU
 * @param ways the ways to a twin, best first; none: there is no twin
 * @example export default createCudaKernel({ op: "gemm", … }, { architecture: "sm_90a", code: […] }, wasm);
 */
export const createCudaKernel = (facts: KernelFacts, cudaFacts: CudaFacts | null, ...ways: readonly Way[]): AnyKernel =>
  gpuKernel(facts, "cuda", ways, (context) => cudaFacts && cuda(context, cudaFacts), { device: cudaDevice(0) });
