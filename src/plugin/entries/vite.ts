// `import kernel from "unplugin-kernel/vite"`

import { createVitePlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "../hooks/hooks.ts";
import { withQuietTimings } from "../hooks/quiet-timings.ts";

const hooks = /* @__PURE__ */ withQuietTimings("vite", kernelHooks);

const plugin = createVitePlugin((options, meta) => hooks(options, meta, () => plugin(options))) as KernelPlugin<"vite">;
export default plugin;
export type * from "../options/types.ts";
