// The operator library: what "unplugin-kernel/ops" exports. Each is written in the language of operator files.

export { type AvgPool2dParameters, avgPool2d } from "./avg-pool2d.ts";
export { type BatchMatmulParameters, batchMatmul } from "./batch-matmul.ts";
export { type Conv2dParameters, conv2d } from "./conv2d.ts";
export { type DepthwiseConv2dParameters, depthwiseConv2d } from "./depthwise-conv2d.ts";
export type { Activation, Epilogue } from "./epilogue.ts";
export { type GemmParameters, gemm } from "./gemm.ts";
export { type GemvParameters, gemv } from "./gemv.ts";
export { layerNorm } from "./layer-norm.ts";
export { type MapParameters, map } from "./map.ts";
export { type MaxPool2dParameters, maxPool2d } from "./max-pool2d.ts";
export { type NormParameters, rmsNorm } from "./rms-norm.ts";
export { type SoftmaxParameters, softmax } from "./softmax.ts";
