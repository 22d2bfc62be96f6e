// Operators beside those of the library that the sweep draws schedules of: depths and rows that are long enough for every rule, reductions
// to one number, transposes, maps of several axes, narrow types, results that other stages read. Each template of the spaces has some.

import { authoring, type DType, type Op, opLibrary } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";
import { byteProducts } from "../../support/byte-products.ts";
import { between } from "../../support/drawn/drawing.ts";
import { drawExtent, operandTypes, type TypeName } from "../../support/library/library-operator.ts";

const { argmax, compute, defineOp, max, min, prod, reduceAxis, sum, tensor } = authoring;

export interface FurtherOperator {
  readonly title: string;
  readonly types: readonly TypeName[];
  readonly draw: (rng: Rng, type: TypeName) => Op;
}

const floats = ["f32", "f16", "bf16"] as const;
const numbers = [...floats, "i32", "i16", "i8", "u8"] as const;
const factors = [...floats, "i8", "u8·i8"] as const;

/** An extent from `least` on: one in three is a multiple of eight. */
const longExtent = (rng: Rng, least: number, most: number): number => {
  const extent = between(rng, least, most);
  return rng.below(3) === 0 ? Math.max(least, extent - (extent % 8)) : extent;
};

/** What finishes a product, the plain one twice as often. */
export const epilogues: readonly opLibrary.Epilogue[] = [
  {},
  {},
  { bias: true, activation: "relu" },
  { residual: true },
];

const products: readonly FurtherOperator[] = [
  {
    title: "gemm of few rows, deep",
    types: [...factors, "i32"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const sizes = { M: drawExtent(7, rng), N: drawExtent(23, rng), K: longExtent(rng, 64, 150) };
      return opLibrary.gemm({ ...sizes, dtype, dtypeB: second }, rng.pick(epilogues));
    },
  },
  {
    title: "gemm of some size",
    types: [...factors, "i32"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const sizes = { M: drawExtent(40, rng), N: drawExtent(70, rng), K: drawExtent(35, rng) };
      return opLibrary.gemm({ ...sizes, dtype, dtypeB: second }, rng.pick(epilogues));
    },
  },
  {
    title: "product with a transposed matrix",
    types: [...floats, "i32"],
    draw: (rng, dtype) =>
      defineOp({}, () => {
        const [m, n, depth] = [drawExtent(17, rng), drawExtent(33, rng), drawExtent(70, rng)];
        const isFirst = rng.below(2) === 0;
        const A = tensor("A", isFirst ? [depth, m] : [m, depth], dtype as DType);
        const B = tensor("B", isFirst ? [depth, n] : [n, depth], dtype as DType);
        const k = reduceAxis("k", depth);
        return compute("C", [m, n], (i, j) => sum((isFirst ? A(k, i) : A(i, k)).mul(isFirst ? B(k, j) : B(j, k)), k));
      }),
  },
  {
    title: "products of bytes along the depth",
    types: ["i8", "u8", "u8·i8"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const depth = 4 * drawExtent(90, rng);
      return rng.pick(Object.values(byteProducts))([dtype, second], [drawExtent(19, rng), drawExtent(33, rng), depth]);
    },
  },
  {
    title: "batchMatmul, deep",
    types: factors,
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const sizes = { batch: drawExtent(3, rng), M: drawExtent(5, rng), N: drawExtent(11, rng) };
      return opLibrary.batchMatmul({ ...sizes, K: longExtent(rng, 64, 100), dtype, dtypeB: second });
    },
  },
  {
    title: "gemv, long",
    types: factors,
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      return opLibrary.gemv({ M: drawExtent(40, rng), K: longExtent(rng, 64, 400), dtype, dtypeX: second });
    },
  },
  {
    title: "conv2d, deep",
    types: factors,
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const window = {
        KH: between(rng, 1, 3),
        KW: between(rng, 1, 3),
        stride: between(rng, 1, 2),
        padding: rng.below(2),
      };
      const image = { H: between(rng, 3, 5), W: between(rng, 3, 5), C: longExtent(rng, 64, 80), F: drawExtent(9, rng) };
      return opLibrary.conv2d({ ...image, ...window, dtype, filterDtype: second });
    },
  },
  {
    title: "products with few results and a great depth",
    types: [...factors, "i32"],
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const K = rng.below(2) === 0 ? 2 ** between(rng, 1, 3) * between(rng, 33, 70) : between(rng, 129, 560);
      const sizes = { M: drawExtent(6, rng), N: drawExtent(9, rng), K, dtype, dtypeB: second };
      if (rng.below(3) === 0) return opLibrary.batchMatmul({ ...sizes, batch: drawExtent(2, rng) });
      return opLibrary.gemm(sizes, rng.pick(epilogues));
    },
  },
  {
    title: "convolutions of many channels",
    types: factors,
    draw(rng, type) {
      const { dtype, second } = operandTypes(type);
      const image = {
        H: between(rng, 2, 3),
        W: between(rng, 2, 4),
        C: rng.pick([128, 192, 256]),
        F: drawExtent(5, rng),
      };
      return opLibrary.conv2d({ ...image, KH: between(rng, 1, 2), KW: between(rng, 1, 2), dtype, filterDtype: second });
    },
  },
  {
    title: "attention, long",
    types: floats,
    draw: (rng, type) =>
      opLibrary.attention({
        heads: drawExtent(2, rng),
        M: drawExtent(7, rng),
        N: longExtent(rng, 16, 80),
        D: drawExtent(20, rng),
        dtype: type as DType,
      }),
  },
];

const longRows = (rng: Rng, type: TypeName) => ({
  M: drawExtent(4, rng),
  N: longExtent(rng, 60, rng.below(4) === 0 ? 600 : 200),
  dtype: type as DType,
});

const rows: readonly FurtherOperator[] = (["softmax", "layerNorm", "rmsNorm", "variance", "mean"] as const).map(
  (name) => ({
    title: `${name}, long`,
    types: floats,
    draw: (rng, type) => opLibrary[name](longRows(rng, type)),
  }),
);

const reducers = [sum, max, min] as const;

const reductions: readonly FurtherOperator[] = [
  {
    title: "reductions of rows",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n, p] = [drawExtent(6, rng), drawExtent(5, rng), longExtent(rng, 8, 90)];
        const reducer = rng.pick(reducers);
        const X = tensor("X", [m, n, p], type as DType);
        const [j, k] = [reduceAxis("j", n), reduceAxis("k", p)];
        return rng.below(2) === 0
          ? compute("y", [m, n], (i, r) => reducer(X(i, r, k), k))
          : compute("y", [m], (i) => reducer(X(i, j, k), [j, k]));
      }),
  },
  {
    title: "reductions of few long rows",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [between(rng, 1, 2), 8_192 + rng.below(40)];
        const [X, k] = [tensor("X", [m, n], type as DType), reduceAxis("k", n)];
        const reducer = rng.pick(reducers);
        return compute("y", [m], (i) => reducer(X(i, k), k));
      }),
  },
  {
    title: "reductions of columns",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [n, p] = [drawExtent(9, rng), drawExtent(17, rng)];
        const m = rng.below(3) === 0 ? between(rng, 129, 300) : longExtent(rng, 3, 90);
        const reducer = rng.pick(reducers);
        const X = tensor("X", [n, m, p], type as DType);
        const [i, k] = [reduceAxis("i", n), reduceAxis("k", m)];
        return rng.below(2) === 0
          ? compute("y", [n, p], (r, j) => reducer(X(r, k, j), k))
          : compute("y", [p], (j) => reducer(X(i, k, j), [i, k]));
      }),
  },
  {
    title: "reductions to one number",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const reducer = rng.pick(reducers);
        const [m, n] = [drawExtent(40, rng), longExtent(rng, 3, 200)];
        const X = tensor("X", [m, n], type as DType);
        const [i, k] = [reduceAxis("i", m), reduceAxis("k", n)];
        return compute("y", [], () => reducer(X(i, k), [i, k]));
      }),
  },
  {
    title: "dot product",
    types: [...floats, "i32", "i8"],
    draw: (rng, type) =>
      defineOp({}, () => {
        const n = longExtent(rng, 1, 3000);
        const [x, y, k] = [tensor("x", [n], type as DType), tensor("y", [n], type as DType), reduceAxis("k", n)];
        return compute("d", [], () => sum(x(k).mul(y(k)), k));
      }),
  },
  {
    title: "products of rows",
    types: ["f32", "i32", "i8"],
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(9, rng), longExtent(rng, 2, 40)];
        const [X, k] = [tensor("X", [m, n], type as DType), reduceAxis("k", n)];
        return compute("y", [m], (i) => prod(X(i, k), k));
      }),
  },
  {
    title: "argmax",
    types: ["f32", "f16", "i32"],
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(9, rng), longExtent(rng, 3, 120)];
        const [X, k] = [tensor("X", [m, n], type as DType), reduceAxis("k", n)];
        return compute("y", [m], (i) => argmax(X(i, k), k));
      }),
  },
  {
    title: "less the mean of all",
    types: floats,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(19, rng), longExtent(rng, 3, 90)];
        const X = tensor("X", [m, n], type as DType);
        const [i, k] = [reduceAxis("i", m), reduceAxis("k", n)];
        const mean = compute("mean", [], () => sum(X(i, k), [i, k]).div(m * n));
        return compute("Y", [m, n], (r, j) => X(r, j).sub(mean()));
      }),
  },
  {
    title: "two results of rows",
    types: [...floats, "i32"],
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(6, rng), longExtent(rng, 8, 130)];
        const [X, k] = [tensor("X", [m, n], type as DType), reduceAxis("k", n)];
        const most = compute("most", [m], (i) => max(X(i, k), k));
        const Y = compute("Y", [m, n], (i, j) => X(i, j).sub(most(i)));
        return { most, Y };
      }),
  },
];

const maps: readonly FurtherOperator[] = [
  {
    title: "transpose",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n, p] = [drawExtent(5, rng), drawExtent(40, rng), drawExtent(40, rng)];
        const X = tensor("X", [m, n, p], type as DType);
        return rng.below(2) === 0
          ? compute("Y", [m, p, n], (h, i, j) => X(h, j, i))
          : compute("Y", [p, n, m], (h, i, j) => X(j, i, h));
      }),
  },
  {
    title: "rows and columns of a map",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(20, rng), drawExtent(70, rng)];
        const dtype = type as DType;
        const [X, a, b] = [tensor("X", [m, n], dtype), tensor("a", [m], dtype), tensor("b", [n], dtype)];
        return compute("Y", [m, n], (i, j) => X(i, j).mul(a(i)).add(b(j)));
      }),
  },
  {
    title: "casts",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(9, rng), drawExtent(70, rng)];
        const X = tensor("X", [m, n], type as DType);
        const to = rng.pick(numbers);
        return compute("Y", [m, n], (i, j) => X(i, j).cast("i32").mul(3).sub(7).cast(to) as authoring.Expr);
      }),
  },
  {
    title: "padding and slices",
    types: numbers,
    draw: (rng, type) =>
      defineOp({}, () => {
        const [m, n] = [drawExtent(9, rng), drawExtent(40, rng)];
        const [before, after, step] = [rng.below(4), rng.below(4), between(rng, 1, 3)];
        const X = tensor("X", [m, n], type as DType);
        if (rng.below(2) === 0) {
          return compute("Y", [m, Math.ceil(n / step)], (i, j) => X(i, j.mul(step)));
        }
        return compute("Y", [m, before + n + after], (i, j) =>
          j
            .ge(before)
            .and(j.lt(before + n))
            .select(X(i, j.sub(before)), 0),
        );
      }),
  },
];

export const furtherOperators: readonly FurtherOperator[] = [...products, ...rows, ...reductions, ...maps];
