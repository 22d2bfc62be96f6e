// `import kernel from "unplugin-kernel/rollup"`

import { createRollupPlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "../hooks/hooks.ts";

export default createRollupPlugin(kernelHooks) as KernelPlugin<"rollup">;
export type * from "../options/types.ts";
