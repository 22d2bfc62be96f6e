// The plugin for all bundlers, as unplugin makes them of one set of hooks.

import { createUnplugin, type UnpluginInstance } from "unplugin";
import { createKernelHooks, type KernelHooks, kernelHooks } from "../../src/plugin/hooks/hooks.ts";
import type { CompileKernel } from "../../src/plugin/kernel/compiled-kernel.ts";
import type { KernelPluginOptions } from "../../src/plugin/options/types.ts";

export type KernelPlugin = UnpluginInstance<KernelPluginOptions | undefined, false>;

function pluginOf(hooks: KernelHooks): KernelPlugin {
  const plugin: KernelPlugin = createUnplugin((options, meta) => hooks(options, meta, () => plugin.vite(options)));
  return plugin;
}

export const kernelPlugin = pluginOf(kernelHooks);

/** Around another way of compiling kernels. */
export const createKernelPlugin = (compile: CompileKernel): KernelPlugin => pluginOf(createKernelHooks(compile));
