// `import kernel from "unplugin-kernel/vite"`

import plugin from "./index.ts";

export default plugin.vite;
export type * from "./types.ts";
