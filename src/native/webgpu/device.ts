// A device of WebGPU in this process: the adapter that it is of, buffers, pipelines and submissions, whose errors are thrown where they
// arise. A text that is refused is told of with the line.

import { subgroupsFeature, type WgslSource } from "../../compiler/index.ts";
import { adapterName, isSoftware } from "./adapter-name.ts";
import type { Dawn } from "./dawn.ts";

export interface GpuDevice {
  readonly device: GPUDevice;
  /** What the adapter calls itself: "google swiftshader". */
  readonly name: string;
  readonly hasTimestamps: boolean;
  readonly dawn: Dawn;
  /** Instance and adapter, which have to be held as long as the device. */
  readonly held: readonly unknown[];
  /** Resolves with the reason when the device is lost. */
  readonly lost: Promise<string>;
}

export interface DeviceOptions {
  /** Whether an adapter is taken that computes on the CPU. */
  readonly software: boolean;
  /** Options of Dawn. */
  readonly dawnOptions?: readonly string[];
  /** Features that kernels need; an adapter that lacks one has no device. */
  readonly features?: readonly string[];
}

/** Opens the adapter that is preferred for speed. An Error says why there is none. */
export async function openGpu(
  dawn: Dawn,
  { software, dawnOptions = [], features = [] }: DeviceOptions,
): Promise<GpuDevice> {
  const gpu = dawn.create(dawnOptions);
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) throw new Error("there is no adapter of WebGPU: no driver for Vulkan, Metal or Direct3D 12 was found");
  const name = adapterName(adapter.info);
  if (!software && isSoftware(adapter.info)) {
    throw new Error(
      `the only adapter of WebGPU is ${name}, which computes on the CPU: its times say nothing of a GPU (UNPLUGIN_KERNEL_WEBGPU_SOFTWARE=1 takes it)`,
    );
  }
  const hasTimestamps = adapter.features.has("timestamp-query");
  const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
  const taken = ["timestamp-query", subgroupsFeature].filter((feature) => adapter.features.has(feature));
  const device = await adapter.requestDevice({
    requiredFeatures: [...new Set([...taken, ...features])] as GPUFeatureName[],
    requiredLimits: { maxStorageBufferBindingSize, maxBufferSize },
  });
  const lost = device.lost.then(({ reason, message }) => `the device was lost (${reason}): ${message}`);
  return { device, name, hasTimestamps, dawn, held: [gpu, adapter], lost };
}

/** Compiles a text to a pipeline for each of its launches, in their order. An Error says what is wrong, and with which line. */
export async function pipelinesOf(
  device: GPUDevice,
  { text, launches }: Pick<WgslSource, "text" | "launches">,
): Promise<readonly GPUComputePipeline[]> {
  const module = await checked(device, () => device.createShaderModule({ code: text }), text);
  const { messages } = await module.getCompilationInfo();
  const error = messages.find(({ type }) => type === "error");
  if (error) throw new Error(complaint(text, error));
  return Promise.all(
    launches.map(({ entry: entryPoint }) =>
      device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint } }),
    ),
  );
}

/** The module, though it may be refused: what is wrong with it is asked for then. */
async function checked(device: GPUDevice, create: () => GPUShaderModule, text: string): Promise<GPUShaderModule> {
  device.pushErrorScope("validation");
  const module = create();
  const error = await device.popErrorScope();
  if (!error) return module;
  const { messages } = await module.getCompilationInfo();
  const first = messages.find(({ type }) => type === "error");
  throw new Error(first ? complaint(text, first) : error.message);
}

function complaint(text: string, { lineNum, linePos, message }: GPUCompilationMessage): string {
  const line = text.split("\n")[lineNum - 1]?.trim() ?? "";
  return `line ${lineNum}, column ${linePos}: ${message}\n${line}`;
}

/** Does what the device may refuse. An Error says what it said. */
export async function withErrors<T>(device: GPUDevice, work: () => T | Promise<T>): Promise<T> {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  const result = await work();
  const errors = [await device.popErrorScope(), await device.popErrorScope()];
  const error = errors.find((it) => it !== null);
  if (error) throw new Error(error.message);
  return result;
}
