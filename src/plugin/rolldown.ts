// `import kernel from "unplugin-kernel/rolldown"`

import { createRolldownPlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "./hooks.ts";

export default createRolldownPlugin(kernelHooks) as KernelPlugin<"rolldown">;
export type * from "./types.ts";
