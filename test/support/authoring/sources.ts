// Operator files as users write them, without a mistake: what mistakes are planted in.

/** Name → text of an operator file. */
export const sources: Readonly<Record<string, string>> = {
  layer: `import { compute, defineOp, max, reduceAxis, sum, tensor } from "unplugin-kernel/op";

export default defineOp({ M: 4, N: 6, K: 8, dtype: "f32" }, ({ M, N, K, dtype }) => {
  const A = tensor("A", [M, K], dtype);
  const B = tensor("B", [K, N], dtype);
  const bias = tensor("bias", [N], dtype);
  const k = reduceAxis("k", K);
  return compute("C", [M, N], (i, j) => {
    const product = sum(A(i, k).mul(B(k, j)), k);
    return max(product.add(bias(j)), 0);
  });
});
`,
  filter: `import { compute, defineOp, select, tensor } from "unplugin-kernel/op";

const weights = [0.25, 0.5, 0.25];

export default defineOp({ H: 6, W: 8 }, ({ H, W }) => {
  const image = tensor("image", [H, W], "u8");
  return compute("out", [H, W], (y, x) => {
    const at = (dx: number) => {
      const column = x.add(dx);
      const inside = column.ge(0).and(column.lt(W));
      return select(inside, image(y, column), 0).cast("f32");
    };
    const left = at(-1).mul(weights[0]);
    const middle = at(0).mul(weights[1]);
    const right = at(1).mul(weights[2]);
    return left.add(middle).add(right).round().cast("u8");
  });
});
`,
  moments: `import * as op from "unplugin-kernel/op";

export default op.defineOp({ rows: 3, columns: 16 }, ({ rows, columns }) => {
  const X = op.tensor("X", [rows, columns], "f32");
  const k = op.reduceAxis("k", columns);
  const mean = op.compute("mean", [rows], (i) => op.sum(X(i, k), k).div(columns));
  const variance = op.compute("variance", [rows], (i) => {
    const d = X(i, k).sub(mean(i));
    return op.sum(d.mul(d), k).div(columns);
  });
  return { mean, variance };
});
`,
  library: `import { withConstants } from "unplugin-kernel/op";
import { gemm } from "unplugin-kernel/ops";

const size = 8;

export default withConstants(gemm({ M: 4, N: size, K: size }, { bias: true, activation: "gelu" }), "B", "bias");
`,
  search: `import { argmax, compute, defineOp, reduceAxis, sum, tensor } from "unplugin-kernel/op";

function normalised(x, length) {
  return x.div(length.sqrt().max(1e-6));
}

export default defineOp({ N: 12, D: 8 }, ({ N, D }) => {
  const documents = tensor("documents", [N, D], "f16");
  const query = tensor("query", [D], "f32");
  const d = reduceAxis("d", D);
  const n = reduceAxis("n", N);
  const score = compute("score", [N], (i) => normalised(sum(documents(i, d).mul(query(d)), d), sum(query(d).mul(query(d)), d)));
  const best = compute("best", [], () => argmax(score(n), n));
  return { score, best };
});
`,
};
