// `import kernel from "unplugin-kernel/webpack"`

import { createWebpackPlugin } from "unplugin";
import { kernelHooks } from "../hooks/hooks.ts";

export default createWebpackPlugin(kernelHooks);
export type * from "../options/types.ts";
