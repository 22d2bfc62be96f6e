// `import kernel from "unplugin-kernel/rsbuild"`

import plugin from "./index.ts";

export default plugin.rsbuild;
export type * from "./types.ts";
