// GEMM and its kin, gemm-exp-gemm and attention among them.

import { opLibrary } from "../../../src/compiler/index.ts";
import {
  drawExtent,
  factors,
  floats,
  type LibraryOperator,
  libraryOperator,
  type OperandTypes,
  type TypeName,
  tabulate,
  total,
  type Values,
} from "./library-operator.ts";
import { plainEpilogue } from "./plain-epilogue.ts";

type Gemm = { readonly batch: number; readonly M: number; readonly N: number; readonly K: number };

const product = ({ batch, M, N, K }: Gemm, { A, B }: Values): number[] =>
  tabulate([batch, M, N], (b, i, j) => total(K, (k) => A![(b! * M + i!) * K + k]! * B![(b! * K + k) * N + j!]!));

interface Variant {
  readonly variant?: string;
  readonly types: readonly TypeName[];
  readonly callsFunctions?: boolean;
}

const gemm = (epilogue: opLibrary.Epilogue, variant: Variant): LibraryOperator =>
  libraryOperator({
    ...variant,
    name: "gemm",
    make: (parameters, { dtype, second }) => opLibrary.gemm({ ...parameters, dtype, dtypeB: second }, epilogue),
    plain: (parameters, inputs) => ({
      C: plainEpilogue(product({ ...parameters, batch: 1 }, inputs), parameters.N, inputs, epilogue),
    }),
    small: (rng) => ({ M: drawExtent(13, rng), N: drawExtent(37, rng), K: drawExtent(19, rng) }),
    shapes: [
      { M: 128, N: 128, K: 128 },
      { M: 8, N: 512, K: 256 },
      { M: 37, N: 53, K: 71 },
    ],
  });

const batchMatmul = libraryOperator({
  name: "batchMatmul",
  types: factors,
  make: (parameters, { dtype, second }) => opLibrary.batchMatmul({ ...parameters, dtype, dtypeB: second }),
  plain: (parameters, inputs) => ({ C: product(parameters, inputs) }),
  small: (rng) => ({ batch: drawExtent(3, rng), M: drawExtent(7, rng), N: drawExtent(21, rng), K: drawExtent(9, rng) }),
  shapes: [
    { batch: 8, M: 64, N: 64, K: 64 },
    { batch: 12, M: 16, N: 128, K: 32 },
    { batch: 3, M: 31, N: 43, K: 29 },
  ],
});

const gemv = libraryOperator({
  name: "gemv",
  types: factors,
  make: (parameters, { dtype, second }) => opLibrary.gemv({ ...parameters, dtype, dtypeX: second }),
  plain: ({ M, K }, { A, x }) => ({ y: tabulate([M], (i) => total(K, (k) => A![i! * K + k]! * x![k]!)) }),
  small: (rng) => ({ M: drawExtent(13, rng), K: drawExtent(67, rng) }),
  shapes: [
    { M: 512, K: 512 },
    { M: 64, K: 2048 },
    { M: 127, K: 331 },
  ],
});

const gemmExpGemm = libraryOperator({
  name: "gemmExpGemm",
  types: floats,
  callsFunctions: true,
  make: (parameters, { dtype }: OperandTypes) => opLibrary.gemmExpGemm({ ...parameters, dtype }),
  plain: ({ M, N, K, L }, { A, B, E }) => {
    const D = product({ batch: 1, M, N, K }, { A: A!, B: B! }).map(Math.exp);
    return { F: product({ batch: 1, M, N: L, K: N }, { A: D, B: E! }) };
  },
  small: (rng) => ({
    M: drawExtent(7, rng),
    N: drawExtent(19, rng),
    K: drawExtent(9, rng),
    L: drawExtent(21, rng),
  }),
  shapes: [
    { M: 64, N: 64, K: 64, L: 64 },
    { M: 16, N: 128, K: 32, L: 64 },
    { M: 37, N: 41, K: 29, L: 43 },
  ],
});

const attention = libraryOperator({
  name: "attention",
  types: floats,
  callsFunctions: true,
  make: (parameters, { dtype }) => opLibrary.attention({ ...parameters, dtype }),
  plain: ({ heads, M, N, D }, { Q, K, V }) => {
    const score = (h: number, i: number, j: number): number =>
      total(D, (d) => Q![(h * M + i) * D + d]! * K![(h * N + j) * D + d]!) / Math.sqrt(D);
    const rows = Array.from({ length: heads * M }, (_, row) => {
      const scores = Array.from({ length: N }, (_value, j) => score(Math.floor(row / M), row % M, j));
      const weights = scores.map((it) => Math.exp(it - Math.max(...scores)));
      const sum = total(N, (j) => weights[j]!);
      return weights.map((weight) => weight / sum);
    });
    const O = tabulate([heads, M, D], (h, i, e) =>
      total(N, (j) => rows[h! * M + i!]![j]! * V![(h! * N + j) * D + e!]!),
    );
    return { O };
  },
  small: (rng) => ({
    heads: drawExtent(3, rng),
    M: drawExtent(5, rng),
    N: drawExtent(17, rng),
    D: drawExtent(11, rng),
  }),
  shapes: [
    { heads: 4, M: 64, N: 64, D: 32 },
    { heads: 2, M: 16, N: 128, D: 64 },
    { heads: 3, M: 31, N: 37, D: 23 },
  ],
});

export const products: readonly LibraryOperator[] = [
  gemm({}, { types: [...factors, "i32", "i16", "u8"] }),
  gemm({ bias: true, activation: "relu" }, { variant: "bias, relu", types: factors }),
  gemm({ bias: true, activation: "gelu" }, { variant: "bias, gelu", types: floats, callsFunctions: true }),
  gemm({ residual: true }, { variant: "residual", types: factors }),
  batchMatmul,
  gemv,
  gemmExpGemm,
  attention,
];
