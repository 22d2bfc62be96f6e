// One device of WebGPU for everybody who competes: libraries of pages ask `navigator.gpu`, and get the device that our kernels run on.
// Dispatches are counted where they are recorded.

import { adapterName, isSoftware } from "../../../src/native/webgpu/adapter-name.ts";
import { findDawn, loadDawn } from "../../../src/native/webgpu/dawn.ts";
import type { GpuDevice } from "../../../src/native/webgpu/device.ts";
import { countDispatches, type Passes } from "./count-dispatches.ts";

export interface SharedDevice extends GpuDevice {
  /** What the driver calls itself. */
  readonly driver: string;
  /** Whether a CPU computes. */
  readonly isSoftware: boolean;
  /** Dispatches since the last call. */
  takeDispatches(): number;
}

const wantedFeatures: readonly GPUFeatureName[] = ["timestamp-query", "shader-f16"];

/** Libraries ask for all that the adapter has, so the device has it. */
const wantedLimits = [
  ...["maxBufferSize", "maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY"],
  ...["maxComputeWorkgroupSizeZ", "maxComputeWorkgroupStorageSize", "maxComputeWorkgroupsPerDimension"],
  ...["maxStorageBufferBindingSize", "maxStorageBuffersPerShaderStage", "maxStorageTexturesPerShaderStage"],
] as (keyof GPUSupportedLimits & string)[];

export async function openShared(): Promise<SharedDevice> {
  const dawn = await loadDawn(findDawn()!);
  Object.assign(globalThis, dawn.globals);
  const instance = dawn.create([]);
  const adapter = await instance.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("WebGPU has no adapter here");
  const device = await adapter.requestDevice({
    requiredFeatures: wantedFeatures.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(wantedLimits.map((limit) => [limit, adapter.limits[limit] as number])),
  });
  const { features, limits, info } = adapter;
  const shared = { features, limits, info, requestDevice: async () => device };
  const navigator = { userAgent: "node", hardwareConcurrency: 1, gpu: { requestAdapter: async () => shared } };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  return {
    device,
    name: adapterName(info),
    driver: info.description,
    isSoftware: isSoftware(info),
    hasTimestamps: device.features.has("timestamp-query"),
    dawn,
    held: [instance, adapter],
    lost: device.lost.then(({ message }) => message),
    takeDispatches: countDispatches(dawn.globals as unknown as Passes),
  };
}
