// The kernel as a page loads it, in a file of its own: its bytes are counted.

import layer from "./kernels/layer.op.ts?tune=wasm&sync";

export default layer;
