// The back end of mode `off`, without its code.

import type { BackendTraits } from "../backend-traits.ts";

export const jsTraits: BackendTraits = { name: "js", needsToolchain: false };
