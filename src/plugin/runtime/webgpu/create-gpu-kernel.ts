// The kernel that an import for WebGPU gets: that of its twin, whose calls off the event loop may go to a GPU, and `on`, which takes
// buffers of a device.

import type { AnyKernel } from "../../../compiler/index.ts";
import type { KernelFacts } from "../facts.ts";
import type { Arrays, Implementation, Loader, ModuleContext, Way } from "../implementation.ts";
import { createKernel } from "../kernel.ts";
import type { GpuFacts } from "./gpu-facts.ts";
import { createGpu, type Gpu } from "./webgpu.ts";

interface Packable {
  pack?(values: Readonly<Record<string, unknown>>): object;
}

/** A way that a GPU goes beside. */
function besideGpu(gpu: Gpu, { now, soon, mustWait }: Loader): Loader {
  const beside = (twin: Implementation | null): Implementation | null =>
    twin && { kind: twin.kind, open: () => gpu.beside(twin.open()) };
  return { now: () => beside(now()), soon: async () => beside(await soon()), mustWait };
}

/** The GPU by itself, where there is no twin. */
function gpuAlone(gpu: Gpu): Loader {
  const alone: Implementation = { kind: "webgpu", open: () => gpu.beside(null) };
  return { now: () => alone, soon: async () => alone, mustWait: () => false };
}

/**
 * Makes the kernel of an emitted module.
 *
 * @param gpuFacts null: the build made no code for a GPU
 * @param ways the ways to a twin, best first; none: there is no twin
 * @example export default createGpuKernel({ op: "gemm", … }, { schedules: [{ code: […] }] }, wasm);
 */
export function createGpuKernel(facts: KernelFacts, gpuFacts: GpuFacts | null, ...ways: readonly Way[]): AnyKernel {
  let made: { readonly gpu: Gpu; readonly context: ModuleContext } | null = null;
  const gpuOf = (context: ModuleContext): Gpu => {
    made ??= { gpu: createGpu(context, gpuFacts), context };
    return made.gpu;
  };
  const wrapped = ways.map(
    (way): Way =>
      (context) =>
        besideGpu(gpuOf(context), way(context)),
  );
  const alone: Way = (context) => gpuAlone(gpuOf(context));
  const kernel = createKernel(facts, ...(ways.length > 0 ? wrapped : [alone]));
  const { gpu, context } = made!;
  const info = Object.freeze(
    Object.defineProperties(
      {},
      { ...Object.getOwnPropertyDescriptors(kernel.info), gpu: { value: gpu.info, enumerable: true } },
    ),
  );
  const { ready } = kernel;
  const { pack } = kernel as Packable;
  return Object.assign(kernel, {
    info,
    on: (device: unknown) => gpu.on(device, null),
    async ready() {
      await Promise.all([ready(), gpu.ready()]);
    },
    ...(pack && {
      pack(values: Readonly<Record<string, unknown>>): object {
        const layer = pack(values);
        // The caller may change its arrays afterwards.
        const given = context.constants.map(({ name }) => (values[name] as Arrays[number]).slice());
        return Object.assign(layer, { info, on: (device: unknown) => gpu.on(device, given) });
      },
    }),
  }) as unknown as AnyKernel;
}
