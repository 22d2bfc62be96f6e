// The device that a program's kernels share: asked for once, and again when it was lost. Adapters that compute on the CPU are left to the
// twins, which are made for that.

import { adapterName, isSoftware } from "../../../native/webgpu/adapter-name.ts";
import type { FoundGpu, NoGpu } from "../gpu/gpu-api.ts";
import { gpuHere } from "./dawn.ts";

/** The device that kernels share. */
export interface OwnDevice extends FoundGpu {
  readonly device: GPUDevice;
}

type Found = OwnDevice | NoGpu;

const none = (reason: string): Found => ({ kind: "none", reason });

/** After so many losses a program asks for no other device: a kernel may be what loses it. */
const mostLosses = 3;

let asked: Promise<Found> | null = null;
let losses = 0;

/** Whether kernels may run on an adapter that is no GPU, for tests: `globalThis.UNPLUGIN_KERNEL_WEBGPU_SOFTWARE = "1"`, or so in the environment of Node. */
function takesSoftware(): boolean {
  const name = "UNPLUGIN_KERNEL_WEBGPU_SOFTWARE";
  const own = (globalThis as { [name]?: unknown })[name] ?? globalThis.process?.env?.[name];
  return own === "1";
}

async function ask(): Promise<Found> {
  const gpu = await gpuHere();
  if (!gpu) return none("there is no WebGPU here");
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return none("WebGPU has no adapter");
  const name = adapterName(adapter.info);
  if (isSoftware(adapter.info) && !takesSoftware()) return none(`the adapter computes on the CPU (${name})`);
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const wanted = ["shader-f16", "subgroups"] as const;
  const device = await adapter.requestDevice({
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
  });
  void device.lost.then(({ reason }) => {
    losses += reason === "destroyed" ? 0 : 1;
    asked = losses < mostLosses ? null : Promise.resolve(none(`the device was lost ${losses} times`));
  });
  return { kind: "found", device, adapter: name };
}

/** Asks for the program's device. Never rejects. */
export function findDevice(): Promise<Found> {
  asked ??= ask().catch((error: Error) => none(error.message));
  return asked;
}
