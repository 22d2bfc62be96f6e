// `import kernel from "unplugin-kernel/rspack"`

import { createRspackPlugin } from "unplugin";
import { kernelHooks } from "../hooks/hooks.ts";

export default createRspackPlugin(kernelHooks);
export type * from "../options/types.ts";
