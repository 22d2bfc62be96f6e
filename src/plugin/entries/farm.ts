// `import kernel from "unplugin-kernel/farm"`

import { createFarmPlugin } from "unplugin";
import { kernelHooks } from "../hooks/hooks.ts";

export default createFarmPlugin(kernelHooks);
export type * from "../options/types.ts";
