// `import kernel from "unplugin-kernel/esbuild"`

import plugin from "./index.ts";

export default plugin.esbuild;
export type * from "./types.ts";
