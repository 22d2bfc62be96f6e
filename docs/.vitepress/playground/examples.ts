// The operators that the playground begins with.

export interface Example {
  readonly title: string;
  readonly source: string;
}

const matrixProduct = `import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";

export default defineOp({ M: 128, N: 128, K: 128 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j)), k));
});
`;

const search = `import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";

// How near each document is to a query: unit vectors, so products are cosines.
export default defineOp({ documents: 2000, width: 384 }, ({ documents, width }) => {
  const vectors = tensor("vectors", [documents, width], "f32");
  const query = tensor("query", [width], "f32");
  const k = reduceAxis("k", width);
  return compute("score", [documents], (i) => sum(vectors(i, k).mul(query(k)), k));
});
`;

const sharpen = `import { cast, compute, defineOp, type Expr, tensor } from "unplugin-kernel/op";

// Sharpens an image of four bytes a pixel; beyond its border the last pixels are read again.
export default defineOp({ H: 90, W: 160 }, ({ H, W }) => {
  const image = tensor("image", [H, W, 4], "u8");
  return compute("sharp", [H, W, 4], (y, x, c) => {
    const at = (dy: number, dx: number): Expr =>
      image(y.add(dy).max(0).min(H - 1), x.add(dx).max(0).min(W - 1), c).cast("i32");
    const around = at(-1, 0).add(at(1, 0)).add(at(0, -1)).add(at(0, 1));
    return cast(at(0, 0).mul(5).sub(around).max(0).min(255), "u8");
  });
});
`;

const softmax = `import { compute, defineOp, div, exp, max, reduceAxis, sum, tensor } from "unplugin-kernel/op";

export default defineOp({ M: 64, N: 512 }, ({ M, N }) => {
  const X = tensor("X", [M, N], "f32");
  const m = reduceAxis("m", N);
  const largest = compute("largest", [M], (i) => max(X(i, m), m));
  const k = reduceAxis("k", N);
  const total = compute("total", [M], (i) => sum(exp(X(i, k).sub(largest(i))), k));
  return compute("Y", [M, N], (i, j) => div(exp(X(i, j).sub(largest(i))), total(i)));
});
`;

const layer = `import { gemm } from "unplugin-kernel/ops";

// A layer of a network, from the library: a product, a bias, and GELU.
export default gemm({ M: 32, N: 256, K: 128 }, { bias: true, activation: "gelu" });
`;

const broken = `import { compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";

export default defineOp({ M: 128, N: 128, K: 128 }, ({ M, N, K }) => {
  const A = tensor("A", [M, K], "f32");
  const B = tensor("B", [K, N], "f32");
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => sum(A(i, k).mul(B(k, j, 0)), k));
});
`;

export const examples: readonly Example[] = [
  { title: "Matrix product", source: matrixProduct },
  { title: "Semantic search", source: search },
  { title: "Image filter", source: sharpen },
  { title: "Softmax", source: softmax },
  { title: "Layer of a network", source: layer },
  { title: "A mistake", source: broken },
];
