// `import kernel from "unplugin-kernel/webpack"`

import plugin from "./index.ts";

export default plugin.webpack;
export type * from "./types.ts";
