// The operator library: what "unplugin-kernel/ops" exports. Each is written in the language of operator files.

export { type AttentionParameters, attention } from "./attention.ts";
export { type AvgPool2dParameters, avgPool2d } from "./avg-pool2d.ts";
export { type BatchMatmulParameters, batchMatmul } from "./batch-matmul.ts";
export { type Conv1dParameters, conv1d } from "./conv1d.ts";
export { type Conv2dParameters, conv2d } from "./conv2d.ts";
export { type Conv3dParameters, conv3d } from "./conv3d.ts";
export { type DepthwiseConv2dParameters, depthwiseConv2d } from "./depthwise-conv2d.ts";
export { dilatedConv2d } from "./dilated-conv2d.ts";
export type { Activation, Epilogue } from "./epilogue.ts";
export { type FoldBatchNormParameters, foldBatchNorm } from "./fold-batch-norm.ts";
export { type GemmParameters, gemm } from "./gemm.ts";
export { type GemmExpGemmParameters, gemmExpGemm } from "./gemm-exp-gemm.ts";
export { type GemvParameters, gemv } from "./gemv.ts";
export { type GroupConv2dParameters, groupConv2d } from "./group-conv2d.ts";
export { layerNorm } from "./layer-norm.ts";
export { type MapParameters, map } from "./map.ts";
export { type MaxPool2dParameters, maxPool2d } from "./max-pool2d.ts";
export { mean } from "./mean.ts";
export { type NormParameters, rmsNorm } from "./rms-norm.ts";
export { scan } from "./scan.ts";
export { type SoftmaxParameters, softmax } from "./softmax.ts";
export { type RowsParameters, sum } from "./sum.ts";
export { type TransposedConv2dParameters, transposedConv2d } from "./transposed-conv2d.ts";
export { variance } from "./variance.ts";
