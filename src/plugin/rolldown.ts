// `import kernel from "unplugin-kernel/rolldown"`

import plugin from "./index.ts";

export default plugin.rolldown;
export type * from "./types.ts";
