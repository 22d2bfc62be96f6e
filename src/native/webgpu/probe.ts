// Whether this machine has a GPU for WebGPU: asked in a process of its own, as drivers may crash or hang.

import { pathToFileURL } from "node:url";
import { outputOfProgram } from "../process/program-output.ts";
import { adapterName, isSoftware } from "./adapter-name.ts";

/** Prints what the preferred adapter says of itself, or null. */
const program = (file: string): string => `
import { create } from ${JSON.stringify(pathToFileURL(file).href)};
const gpu = create([]);
const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
const { vendor, architecture, device, description, isFallbackAdapter } = adapter?.info ?? {};
console.log(JSON.stringify(adapter && { vendor, architecture, device, description, isFallbackAdapter }));
process.exit();`;

/** @param file main file of the package webgpu. Null: there is a GPU; else why there is none. */
export async function whyNoGpu(file: string, software: boolean): Promise<string | null> {
  const output = await outputOfProgram(program(file));
  if (output === null) return "the package webgpu cannot be started here";
  const info = JSON.parse(output) as GPUAdapterInfo | null;
  if (!info) return "WebGPU has no adapter here";
  return isSoftware(info) && !software ? `the only adapter of WebGPU is ${adapterName(info)}, which is no GPU` : null;
}
