// The back end for WebAssembly engines, without its code.

import type { BackendTraits } from "../backend-traits.ts";

export const wasmTraits: BackendTraits = { name: "wasm", needsToolchain: false, isPortable: true };
