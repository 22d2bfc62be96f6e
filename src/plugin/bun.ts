// `import kernel from "unplugin-kernel/bun"`

import plugin from "./index.ts";

export default plugin.bun;
export type * from "./types.ts";
