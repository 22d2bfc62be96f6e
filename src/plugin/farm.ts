// `import kernel from "unplugin-kernel/farm"`

import plugin from "./index.ts";

export default plugin.farm;
export type * from "./types.ts";
