// cuBLAS, called without a C compiler: products of matrices that lie row by row, by the algorithm that it chooses itself.

import type { DeviceAddress } from "../../src/native/cuda/driver.ts";
import type { Product } from "../compiler/cuda/schedules.ts";

export interface Cublas {
  /** Returns a function that launches C = A·B. */
  product(sizes: Product, A: DeviceAddress, B: DeviceAddress, C: DeviceAddress): () => void;
}

/** Codes of element types, and of sums in f32, as cublasGemmEx has them. */
const types = { f16: 2, bf16: 14 } as const;
const sumsInF32 = 68;
const ownChoice = -1;

/** Loads the library once a device is open; null: it is not there. */
export async function loadCublas(path: string): Promise<Cublas | null> {
  const { default: koffi } = await import("koffi");
  const library = (() => {
    try {
      return koffi.load(path);
    } catch {
      return null;
    }
  })();
  if (!library) return null;
  const handle = [null];
  library.func("int cublasCreate_v2(_Out_ void **handle)")(handle);
  const gemm = library.func(
    "int cublasGemmEx(void *handle, int opA, int opB, int m, int n, int k, void *alpha, uint64_t A, int typeA, int lda, uint64_t B, int typeB, int ldb, void *beta, uint64_t C, int typeC, int ldc, int sums, int algorithm)",
  );
  const [one, zero] = [Float32Array.of(1), Float32Array.of(0)];
  return {
    // cuBLAS counts columns first, so it is asked for the transposed product.
    product: ({ M, N, K, dtype }, A, B, C) => {
      const type = types[dtype];
      return () => {
        const code = gemm(
          handle[0],
          0,
          0,
          N,
          M,
          K,
          one,
          B,
          type,
          N,
          A,
          type,
          K,
          zero,
          C,
          type,
          N,
          sumsInF32,
          ownChoice,
        );
        if (code !== 0) throw new Error(`cublasGemmEx: ${code}`);
      };
    },
  };
}
