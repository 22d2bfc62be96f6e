// `import kernel from "unplugin-kernel/rollup"`

import { createRollupPlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "./hooks.ts";

export default createRollupPlugin(kernelHooks) as KernelPlugin<"rollup">;
export type * from "./types.ts";
