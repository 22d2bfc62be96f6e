// `import kernel from "unplugin-kernel/rolldown"`

import { createRolldownPlugin } from "unplugin";
import { type KernelPlugin, kernelHooks } from "../hooks/hooks.ts";
import { withQuietTimings } from "../hooks/quiet-timings.ts";

export default createRolldownPlugin(
  /* @__PURE__ */ withQuietTimings("rolldown", kernelHooks),
) as KernelPlugin<"rolldown">;
export type * from "../options/types.ts";
