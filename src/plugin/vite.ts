// `import kernel from "unplugin-kernel/vite"`

import { createVitePlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "./hooks.ts";

const plugin = createVitePlugin((options, meta) =>
  kernelHooks(options, meta, () => plugin(options)),
) as KernelPlugin<"vite">;
export default plugin;
export type * from "./types.ts";
