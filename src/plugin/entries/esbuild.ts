// `import kernel from "unplugin-kernel/esbuild"`

import { createEsbuildPlugin } from "unplugin";
import { kernelHooks } from "../hooks/hooks.ts";

export default createEsbuildPlugin(kernelHooks);
export type * from "../options/types.ts";
