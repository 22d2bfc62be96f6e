// `import kernel from "unplugin-kernel/rollup"`

import plugin from "./index.ts";

export default plugin.rollup;
export type * from "./types.ts";
