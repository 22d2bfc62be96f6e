// Entrants of a kernel for a GPU, where this machine has one: a run of a chain that stays there, and one with its arrays copied there and back.

import { newArray, type OnCuda, type OnGpu, type TypedArray } from "../../compiler/index.ts";
import { findDawn, loadDawn, missingDawn, takesSoftware } from "../../native/webgpu/dawn.ts";
import { type GpuDevice, openGpu } from "../../native/webgpu/device.ts";
import type { CompiledKernel } from "../../plugin/kernel/compiled-kernel.ts";
import { twinOf } from "../../plugin/kernel/twin.ts";
import { type Absent, bitsOf, type EmittedKernel, type Entrant, type NamedInputs, packedKernel } from "./entrant.ts";

/** A kernel with its constants on a device of any kind. */
interface KernelThere {
  buffer(name: string, values?: TypedArray): unknown;
  upload(buffer: unknown, from: TypedArray): void;
  /** Adds a run to the device's queue. */
  run(...buffers: readonly unknown[]): void;
  read(name: string, buffer: unknown): Promise<TypedArray>;
  /** Waits until the device has done all. */
  wait(): Promise<unknown>;
}

type Callable = ReturnType<typeof packedKernel>["callable"];

interface Way {
  readonly name: string;
  /** Brings the kernel to the GPU. Rejects with the reason why it cannot be. */
  open(kernel: Callable): Promise<KernelThere>;
}

/** @param emitted the kernel as a program gets it. None: it is not for a GPU, or the build made no code for one */
export async function gpuEntrants(
  kernel: CompiledKernel,
  emitted: EmittedKernel,
  inputs: NamedInputs,
  root: string,
): Promise<readonly (Entrant | Absent)[]> {
  const way = wayOf(kernel, root);
  if (!way) return [];
  try {
    const { callable, taken } = packedKernel(emitted, kernel, inputs);
    return entrantsOn(await way.open(callable), way.name, taken, inputs);
  } catch (error) {
    return [{ name: way.name, why: error instanceof Error ? error.message : String(error) }];
  }
}

function wayOf(kernel: CompiledKernel, root: string): Way | null {
  if (twinOf(kernel, "webgpu")?.code) return { name: "webgpu", open: (emitted) => onWebgpu(emitted, root) };
  return twinOf(kernel, "cuda")?.code ? { name: "cuda", open: onCuda } : null;
}

/** Device of all kernels that the command measures. */
let device: Promise<GpuDevice> | null = null;

async function openDevice(root: string): Promise<GpuDevice> {
  const file = findDawn({ project: root });
  if (file === null) throw new Error(missingDawn);
  return openGpu(await loadDawn(file), { software: takesSoftware() });
}

async function onWebgpu(kernel: Callable, root: string): Promise<KernelThere> {
  device ??= openDevice(root);
  const gpu = (await device).device;
  const there = await (kernel as unknown as OnGpu).on(gpu);
  const { queue } = gpu;
  return {
    ...(there as unknown as Pick<KernelThere, "buffer" | "run" | "read">),
    upload(buffer, { buffer: memory, byteOffset, byteLength }) {
      // A queue writes whole words, and the buffer has them.
      const bytes = new Uint8Array(Math.ceil(byteLength / 4) * 4);
      bytes.set(new Uint8Array(memory, byteOffset, byteLength));
      queue.writeBuffer(buffer as GPUBuffer, 0, bytes);
    },
    wait: () => queue.onSubmittedWorkDone(),
  };
}

async function onCuda(kernel: Callable): Promise<KernelThere> {
  const there = await (kernel as unknown as OnCuda).on();
  const { device } = there;
  return {
    ...(there as unknown as Pick<KernelThere, "buffer" | "run" | "read">),
    upload: (buffer, from) => device.upload(buffer as Parameters<typeof device.upload>[0], from),
    wait: () => device.wait(),
  };
}

function entrantsOn(
  there: KernelThere,
  name: string,
  taken: CompiledKernel["tensors"],
  inputs: NamedInputs,
): readonly Entrant[] {
  const all = taken.map((tensor) => {
    const array = inputs.get(tensor.name) ?? newArray(tensor.dtype, tensor.length);
    return { ...tensor, array, buffer: there.buffer(tensor.name, array) };
  });
  const buffers = all.map(({ buffer }) => buffer);
  const given = all.filter(({ role }) => role === "input");
  const results = all.filter(({ role }) => role === "output");
  const outputs = results.map(({ array }) => array);
  const bring = async (): Promise<void> => {
    for (const result of results)
      (result.array as Float64Array).set(bitsOf(await there.read(result.name, result.buffer)) as Float64Array);
  };
  const withCopies = async (): Promise<void> => {
    for (const { buffer, array } of given) there.upload(buffer, array);
    there.run(...buffers);
    await bring();
  };
  /** Copies the arrays' sentinels to the outputs on the device first, so that an element which the kernel does not write is seen. */
  const checked = async (): Promise<void> => {
    for (const { buffer, array } of results) there.upload(buffer, array);
    await withCopies();
  };
  return [
    { name, outputs, call: () => there.run(...buffers), settle: () => there.wait(), checked },
    { name: `${name}, with copies`, outputs, call: withCopies, checked },
  ];
}
