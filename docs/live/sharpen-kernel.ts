// The kernel as a page loads it, in a file of its own: its bytes are counted.

import sharpen from "./kernels/sharpen.op.ts?tune=wasm&sync";

export default sharpen;
