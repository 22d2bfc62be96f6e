// Code of a kernel → its pipelines on a device. Each text is compiled once a device, off the page's thread.

import type { GpuCode } from "./gpu-facts.ts";

export type Pipelines = readonly GPUComputePipeline[];

const known = new WeakMap<GPUDevice, Map<string, Promise<Pipelines>>>();

async function compile(device: GPUDevice, { text, launches }: GpuCode): Promise<Pipelines> {
  // What is wrong with the text is told below, and by no console.
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: text });
  void device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  const error = messages.find(({ type }) => type === "error");
  if (error) throw new Error(`its text does not compile: ${error.lineNum}:${error.linePos} ${error.message}`);
  return Promise.all(
    launches.map(({ entry }) =>
      device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: entry } }),
    ),
  );
}

/** @throws what the device says of the text */
export function pipelinesOf(device: GPUDevice, code: GpuCode): Promise<Pipelines> {
  const texts = known.get(device) ?? new Map<string, Promise<Pipelines>>();
  known.set(device, texts);
  const pipelines = texts.get(code.text) ?? compile(device, code);
  texts.set(code.text, pipelines);
  return pipelines;
}
