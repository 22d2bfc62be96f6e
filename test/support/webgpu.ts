// WebGPU for tests, by Dawn: SwiftShader of Debian's Chromium computes, the null back end validates. The environment has to name the
// driver before Dawn is loaded, so this module sets it when it is imported.

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { WgslSource } from "../../src/compiler/index.ts";
import { packageFile } from "../../src/native/machine/package-file.ts";
import type { KernelArray } from "../../src/native/runner/protocol.ts";
import { findDawn, loadDawn } from "../../src/native/webgpu/dawn.ts";
import { type GpuDevice, openGpu } from "../../src/native/webgpu/device.ts";
import { deviceMemory, scratchBuffer } from "../../src/native/webgpu/device-memory.ts";
import { launchedKernel } from "../../src/native/webgpu/launches.ts";
import { firstMismatch, type Reference } from "./reference.ts";

// Bundled sweeps use it from elsewhere, so the folder is looked for from there upwards.
const toolsFolder = join(dirname(packageFile("test/run.js")), "tools/node_modules/webgpu");
const driver = "/usr/lib/chromium/vk_swiftshader_icd.json";

/** Environment of processes that use SwiftShader by Dawn. */
export const softwareEnvironment: Readonly<Record<string, string>> = {
  VK_DRIVER_FILES: process.env.VK_DRIVER_FILES ?? driver,
  // A driver looks for it, and complains where there is none.
  XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? tmpdir(),
  UNPLUGIN_KERNEL_WEBGPU: process.env.UNPLUGIN_KERNEL_WEBGPU ?? toolsFolder,
  UNPLUGIN_KERNEL_WEBGPU_SOFTWARE: "1",
};
Object.assign(process.env, softwareEnvironment);

/** Why no text can be validated here; null: one can. */
export const noDawn: string | null = findDawn() === null ? "no WebGPU for Node: npm ci --prefix test/tools" : null;

/** Folders where Dawn finds the loader of Vulkan on Linux. */
const loaderFolders = [...(process.env.LD_LIBRARY_PATH ?? "").split(":"), "/usr/lib/x86_64-linux-gnu", "/usr/lib64"];

/** Debian's Chromium brings the driver. */
function missingDriver(): string | null {
  if (!existsSync(softwareEnvironment.VK_DRIVER_FILES!)) return "no SwiftShader: apt-get install chromium";
  const hasLoader = loaderFolders.some((folder) => existsSync(join(folder, "libvulkan.so.1")));
  return hasLoader ? null : "no loader of Vulkan: apt-get install libvulkan1";
}

/** Why no kernel can run here; null: one can. */
export const noSoftwareGpu: string | null = noDawn ?? missingDriver();

export const openSoftwareGpu = async (): Promise<GpuDevice> => openGpu(await loadDawn(findDawn()!), { software: true });

/** Runs a kernel on arrays, which are read and written. Resolves to what is wrong beside them; null: nothing. */
export async function runOnGpu(
  gpu: GpuDevice,
  source: WgslSource,
  arrays: readonly KernelArray[],
): Promise<string | null> {
  const memory = await deviceMemory(gpu, source.parameters, arrays);
  const scratch = source.scratch.map(({ bytes }) => scratchBuffer(gpu, bytes));
  try {
    const kernel = await launchedKernel(gpu, source, [...memory.buffers, ...scratch]);
    memory.upload();
    await kernel.run(1);
    const touched = await memory.download();
    return touched === null ? null : `it wrote outside of ${touched}`;
  } finally {
    memory.free();
    for (const buffer of scratch) buffer.destroy();
  }
}

/** Resolves to the mistake in what a kernel makes of the reference's inputs; null: it is right. */
export async function wrongOnGpu(gpu: GpuDevice, reference: Reference, source: WgslSource): Promise<string | null> {
  const outputs = reference.expected.map(({ sentinel }) => sentinel.slice());
  const beside = await runOnGpu(gpu, source, [...reference.inputs, ...outputs]);
  if (beside !== null) return beside;
  return firstMismatch(
    reference,
    ({ name }) => outputs[reference.expected.findIndex((it) => it.parameter.name === name)]!,
  );
}
