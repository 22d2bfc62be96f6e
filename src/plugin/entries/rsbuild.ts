// `import kernel from "unplugin-kernel/rsbuild"`

import { createRsbuildPlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "../hooks/hooks.ts";

export default createRsbuildPlugin(kernelHooks) as KernelPlugin<"rsbuild">;
export type * from "../options/types.ts";
