// `import kernel from "unplugin-kernel/farm"`

import { createFarmPlugin } from "unplugin";
import { kernelHooks } from "./hooks.ts";

export default createFarmPlugin(kernelHooks);
export type * from "./types.ts";
