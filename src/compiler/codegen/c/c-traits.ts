// The back end for C compilers, without its code.

import type { BackendTraits } from "../backend-traits.ts";

export const cTraits: BackendTraits = { name: "c", needsToolchain: true };
