// The kernel as a page loads it, in a file of its own: its bytes are counted.

import search from "./kernels/search.op.ts?tune=wasm&sync";

export default search;
