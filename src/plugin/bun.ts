// `import kernel from "unplugin-kernel/bun"`

import { createBunPlugin } from "unplugin";
import { kernelHooks } from "./hooks.ts";

export default createBunPlugin(kernelHooks);
export type * from "./types.ts";
