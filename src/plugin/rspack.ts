// `import kernel from "unplugin-kernel/rspack"`

import plugin from "./index.ts";

export default plugin.rspack;
export type * from "./types.ts";
