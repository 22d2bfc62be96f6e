// The parts of tfjs that live pages use, in a file of its own: a bundler leaves out the rest, and its bytes are counted.

export { setThreadsCount, setWasmPaths, version_wasm } from "@tensorflow/tfjs-backend-wasm";
export { depthwiseConv2d, fused, matMul, mirrorPad, setBackend, tensor, tidy } from "@tensorflow/tfjs-core";
