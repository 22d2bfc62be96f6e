// numpy-ts, whose products are WASM.

import type { KernelArray } from "../../../../src/native/runner/protocol.ts";
import type { NpmPeer, Package } from "./npm-peer.ts";

interface NDArray {
  readonly data: KernelArray;
  reshape(shape: readonly number[]): NDArray;
  dispose?(): void;
}

/** Part of its interface that we use. */
interface Numpy {
  array(values: KernelArray, dtype: string): NDArray;
  matmul(a: NDArray, b: NDArray): NDArray;
}

export async function numpyTs(found: Package): Promise<NpmPeer> {
  const np = (await found.load()) as unknown as Numpy;
  return {
    name: "numpy-ts",
    version: found.version,
    async open({ name, extents }, [left, right]) {
      const shapes = shapesOf(name, extents);
      if (shapes === null) return null;
      const [a, b] = [np.array(left!, "float32").reshape(shapes[0]), np.array(right!, "float32").reshape(shapes[1])];
      let last: NDArray | null = null;
      return {
        run() {
          last?.dispose?.();
          last = np.matmul(a, b);
          return undefined;
        },
        result: async () => last!.data,
        close() {
          for (const array of [a, b, last]) array?.dispose?.();
        },
      };
    },
  };
}

/** Shapes of a product's two sides; null: it is none that the library has. */
function shapesOf(name: string, extents: readonly number[]): readonly [readonly number[], readonly number[]] | null {
  const [M = 1, N = 1, K = 1] = extents;
  if (name === "gemm-f32" || name === "gemm-f32-packed")
    return [
      [M, K],
      [K, N],
    ];
  return name === "gemv-f32" ? [[M, N], [N]] : null;
}
