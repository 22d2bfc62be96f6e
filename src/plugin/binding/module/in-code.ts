// Modules for hosts that have no way to emit files: webpack's loaders, Node's own. WASM is part of the code, and an addon is
// read from the store, where it was built.

import { dirname, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { CompiledKernel } from "../../kernel/compiled-kernel.ts";
import type { KernelAsset } from "../asset.ts";
import { emitModule, type ModuleOptions } from "./module.ts";
import { type Platform, placeAssets } from "./place.ts";

export interface InCodeOptions extends ModuleOptions {
  /** Whether the text never leaves this machine's memory, so that an addon may have its whole path; default: no. */
  readonly isLocal?: boolean;
}

/**
 * Code for an addon's address, from the module's own: no path of the building machine is in it. Turbopack would serve the file
 * of a `new URL`.
 */
function addonUrl(file: string, importer: string): string {
  const path = relative(dirname(importer), file).replaceAll("\\", "/");
  return `import.meta.url.replace(/[^/]*$/, ${JSON.stringify(path)})`;
}

/** @param path of the operator file, which stands for the module */
export function moduleInCode(kernel: CompiledKernel, path: string, platform: Platform, options: InCodeOptions): string {
  const urlTo = (addon: string): string =>
    options.isLocal ? JSON.stringify(pathToFileURL(addon).href) : addonUrl(addon, path);
  const urlOf = ({ path: file }: KernelAsset): string | null => (file === null ? null : urlTo(file));
  return emitModule(kernel, placeAssets(kernel, platform, true, urlOf), options);
}
