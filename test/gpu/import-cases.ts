// Kernels whose imports are checked on a GPU: a thread for each element, rows, and products by mma.sync and wgmma.

interface ImportCase {
  readonly op: string;
  readonly target: "cuda-sm80" | "cuda-sm90";
}

export const importCases: readonly ImportCase[] = [
  { op: "gemm({ M: 33, N: 70, K: 45 })", target: "cuda-sm80" },
  { op: "softmax({ M: 128, N: 512 })", target: "cuda-sm80" },
  { op: 'gemm({ M: 1024, N: 1024, K: 1024, dtype: "bf16" })', target: "cuda-sm80" },
  { op: 'gemm({ M: 1024, N: 1024, K: 1024, dtype: "f16" })', target: "cuda-sm80" },
  { op: 'gemm({ M: 2048, N: 2048, K: 2048, dtype: "bf16" })', target: "cuda-sm90" },
];
