// `import kernel from "unplugin-kernel/bun"`

import { createBunPlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "../hooks/hooks.ts";
import type { KernelPluginOptions } from "../options/types.ts";
import { type BunProgram, hookProgram } from "../program/bun-program.ts";

const ofBuilds = createBunPlugin(kernelHooks);

/** Says whether Bun builds. In a program that runs from its sources, the builder has no `onStart`. */
const isBuild = (build: object): boolean => "onStart" in build;

/** Plugin for `Bun.build`, and for `Bun.plugin` in a preload of a program that runs from its sources. */
const plugin: KernelPlugin<"bun"> = (options?: KernelPluginOptions) => {
  const built = ofBuilds(options);
  const setup = (build: object): unknown =>
    isBuild(build) ? built.setup(build) : hookProgram(build as BunProgram, options);
  return { ...built, setup };
};
export default plugin;
export type * from "../options/types.ts";
