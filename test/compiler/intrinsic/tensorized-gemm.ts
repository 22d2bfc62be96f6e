// GEMMs of narrow integers and a schedule by hand that tensorizes them: operands packed in groups, a register tile of
// rows × vectors, whatever the extents.

import {
  authoring,
  type ComputeDef,
  type DType,
  instantiate,
  type Op,
  type Trace,
} from "../../../src/compiler/index.ts";

const { cast, compute, defineOp, reduceAxis, sum, tensor } = authoring;

/** C[M, N] i32 or f32 = A[M, K] · B[K, N]. */
export const narrowGemm = (M: number, N: number, K: number, a: DType, b: DType): ComputeDef => {
  const wide = a === "bf16" ? "f32" : "i32";
  const op: Op = defineOp({ M, N, K }, ({ M, N, K }) => {
    const A = tensor("A", [M, K], a);
    const B = tensor("B", [K, N], b);
    const k = reduceAxis("k", K);
    return compute("C", [M, N], (i, j) => sum(cast(A(i, k), wide).mul(cast(B(k, j), wide)), k));
  });
  return instantiate(op, {}, `gemm_${a}_${b}`);
};

export interface Tile {
  readonly intrinsic: string;
  readonly lanes: number;
  readonly group: number;
  readonly rows: number;
  readonly vectors: number;
  /** What bytes are widened to when they are packed; null: they are not. */
  readonly widen: DType | null;
}

/** Both operands packed, tails of i and j masked, of k cut. */
export const tensorizedTile = ({ intrinsic, lanes, group, rows, vectors, widen }: Tile): Trace => [
  { kind: "split", loop: "C.i", factors: [0, rows], tail: "mask" },
  { kind: "split", loop: "C.j", factors: [0, vectors, lanes], tail: "mask" },
  { kind: "split", loop: "C.k", factors: [0, group], tail: "cut" },
  { kind: "reorder", loops: ["C.j.0", "C.i.0", "C.k.0", "C.i.1", "C.j.1", "C.j.2", "C.k.1"] },
  {
    kind: "cache-read",
    buffer: "B",
    loop: "C.j.0",
    layout: [
      { dim: 1, part: "outer", tile: vectors * lanes },
      { dim: 0, part: "outer", tile: group },
      { dim: 1, part: "inner", tile: vectors * lanes },
      { dim: 0, part: "inner", tile: group },
    ],
  },
  {
    kind: "cache-read",
    buffer: "A",
    loop: "C.j.0",
    layout: [
      { dim: 0, part: "outer", tile: rows },
      { dim: 1, part: "outer", tile: group },
      { dim: 0, part: "inner", tile: rows },
      { dim: 1, part: "inner", tile: group },
    ],
  },
  ...(widen ? ["A.pack", "B.pack"].map((buffer) => ({ kind: "set-dtype", buffer, dtype: widen }) as const) : []),
  { kind: "vectorize", loop: "C.j.2" },
  { kind: "unroll", loop: "C.i.1" },
  { kind: "unroll", loop: "C.j.1" },
  { kind: "cache-write", block: "C", loop: "C.i.0", scope: "register" },
  { kind: "tensorize", loop: "C.j.2", intrinsic },
];
