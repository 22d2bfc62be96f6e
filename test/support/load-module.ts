// Puts an emitted module into a folder of its own and imports it, as a bundle would.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { emitModule } from "../../src/plugin/binding/module/module.ts";
import { type Platform, placeAssets } from "../../src/plugin/binding/module/place.ts";
import { runtimeUrls } from "../../src/plugin/binding/runtime-files.ts";
import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import type { AnyKernel } from "../../src/plugin/options/types.ts";

/** Writes the module and its assets; returns the path of the module. */
export function writeModule(kernel: CompiledKernel, platform: Platform = "node", sync: boolean | null = null): string {
  const folder = mkdtempSync(join(tmpdir(), "emitted-"));
  const references = placeAssets(kernel, platform, sync, ({ fileName, bytes }) => {
    writeFileSync(join(folder, fileName), bytes);
    return `new URL("./${fileName}", import.meta.url).href`;
  });
  const path = join(folder, "kernel.mjs");
  writeFileSync(path, emitModule(kernel, references, { files: runtimeUrls(), hasSchedule: true }));
  return path;
}

export async function loadModule(
  kernel: CompiledKernel,
  platform: Platform = "node",
  sync: boolean | null = null,
): Promise<AnyKernel> {
  const module = await import(/* @vite-ignore */ pathToFileURL(writeModule(kernel, platform, sync)).href);
  return module.default;
}
