// The kernel that an import for a GPU gets: that of its twin, whose calls off the event loop may go to the GPU, and members for devices.

import type { AnyKernel } from "../../../compiler/index.ts";
import type { KernelFacts } from "../facts.ts";
import type { Arrays, Implementation, Loader, ModuleContext, Way } from "../implementation.ts";
import { createKernel } from "../kernel.ts";
import { createGpu, type Gpu } from "./gpu.ts";
import type { GpuApi } from "./gpu-api.ts";

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
function gpuAlone(kind: string, gpu: Gpu): Loader {
  const alone: Implementation = { kind, open: () => gpu.beside(null) };
  return { now: () => alone, soon: async () => alone, mustWait: () => false };
}

/**
 * Makes the kernel of an emitted module.
 *
 * @param kind name in `info.twin` where there is no twin
 * @param ways the ways to a twin, best first; none: there is no twin
 * @param apiOf returns the way to the GPU; null: the build made no code for one
 * @param extra members beside those of all kernels for GPUs
 */
export function gpuKernel(
  facts: KernelFacts,
  kind: string,
  ways: readonly Way[],
  apiOf: (context: ModuleContext) => GpuApi | null,
  extra?: object,
): AnyKernel {
  let made: { readonly gpu: Gpu; readonly context: ModuleContext } | null = null;
  const gpuOf = (context: ModuleContext): Gpu => {
    made ??= { gpu: createGpu(context, apiOf(context)), context };
    return made.gpu;
  };
  const wrapped = ways.map(
    (way): Way =>
      (context) =>
        besideGpu(gpuOf(context), way(context)),
  );
  const alone: Way = (context) => gpuAlone(kind, gpuOf(context));
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
  return Object.assign(kernel, extra, {
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
        return Object.assign(layer, extra, { info, on: (device: unknown) => gpu.on(device, given) });
      },
    }),
  }) as unknown as AnyKernel;
}
