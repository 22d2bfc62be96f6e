// GEMMs of narrow integers and a schedule by hand that tensorizes them: operands packed in groups, a register tile of
// rows × vectors, for all extents.

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
  /** Type that bytes are converted to when they are packed; null: they are packed as bytes. */
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

/** Tiles of side × side sums, each in one vector: the rows of both operands packed in groups, the reduce axis padded, tails masked. */
export const matrixTile = ({ intrinsic, side, group, rows, columns }: MatrixTile, K: number): Trace => {
  const [A, B] = K % group === 0 ? ["A", "B"] : ["A.pad", "B.pad"];
  const panels = (dim: number, tile: number) =>
    [
      { dim, part: "outer", tile },
      { dim: 1 - dim, part: "outer", tile: group },
      { dim, part: "inner", tile },
      { dim: 1 - dim, part: "inner", tile: group },
    ] as const;
  return [
    ...(K % group === 0 ? [] : [{ kind: "pad", block: "C", multiples: [1, 1, group] } as const]),
    { kind: "split", loop: "C.i", factors: [0, rows, side], tail: "mask" },
    { kind: "split", loop: "C.j", factors: [0, columns, side], tail: "mask" },
    { kind: "split", loop: "C.k", factors: [0, group], tail: "perfect" },
    { kind: "reorder", loops: ["C.j.0", "C.i.0", "C.k.0", "C.i.1", "C.j.1", "C.i.2", "C.j.2", "C.k.1"] },
    { kind: "cache-read", buffer: B, loop: "C.j.0", layout: panels(1, columns * side) },
    { kind: "cache-read", buffer: A, loop: "C.j.0", layout: panels(0, rows * side) },
    ...[A, B].filter((name) => name.endsWith(".pad")).map((block) => ({ kind: "inline", block }) as const),
    { kind: "vectorize", loop: "C.j.2" },
    { kind: "unroll", loop: "C.i.1" },
    { kind: "unroll", loop: "C.j.1" },
    { kind: "cache-write", block: "C", loop: "C.i.0", scope: "register" },
    {
      kind: "transform-layout",
      buffer: "C.acc",
      layout: [
        { dim: 0, part: "outer", tile: side },
        { dim: 1, part: "outer", tile: side },
        { dim: 0, part: "inner", tile: side },
        { dim: 1, part: "inner", tile: side },
      ],
    },
    { kind: "unroll", loop: "C.i.2.init" },
    { kind: "unroll", loop: "C.i.2.store" },
    { kind: "tensorize", loop: "C.i.2", intrinsic },
  ];
};

export interface MatrixTile {
  readonly intrinsic: string;
  /** Rows, and columns, of the sums of one vector. */
  readonly side: number;
  readonly group: number;
  /** Tiles of a register tile. */
  readonly rows: number;
  readonly columns: number;
}

export interface TileBlock {
  /** The product of tiles. */
  readonly intrinsic: string;
  /** Elements that one instruction adds up from 4 bytes: 4 bytes, or 2 bf16. */
  readonly group: number;
  readonly sum: "i32" | "f32";
  /** Tiles of sums that are kept in registers. */
  readonly rows: number;
  readonly columns: number;
}

const wholeDims = [0, 1, 2, 3].map((dim) => ({ dim, part: "whole", tile: 1 }) as const);

/** Both operands packed in tiles, which are padded with zeros; the sums leave their registers through memory. */
export const tileBlock = ({ intrinsic, group, sum, rows, columns }: TileBlock, K: number): Trace => {
  const depth = 16 * group;
  const [A, B] = K % depth === 0 ? ["A", "B"] : ["A.pad", "B.pad"];
  const inTiles = (first: number, second: number) =>
    [
      { dim: 0, part: "outer", tile: first },
      { dim: 1, part: "outer", tile: second },
      { dim: 0, part: "inner", tile: first },
      { dim: 1, part: "inner", tile: second },
    ] as const;
  const inGroups = [
    { dim: 1, part: "outer", tile: 16 },
    { dim: 0, part: "outer", tile: group },
    { dim: 1, part: "inner", tile: 16 },
    { dim: 0, part: "inner", tile: group },
  ] as const;
  const order = ["C.j.0", "C.i.0", "C.k.0", "C.i.1", "C.j.1", "C.i.2", "C.j.2", "C.k.1", "C.k.2"];
  return [
    ...(K % depth === 0 ? [] : [{ kind: "pad", block: "C", multiples: [1, 1, depth] } as const]),
    { kind: "split", loop: "C.i", factors: [0, rows, 16], tail: "mask" },
    { kind: "split", loop: "C.j", factors: [0, columns, 16], tail: "mask" },
    { kind: "split", loop: "C.k", factors: [0, 16, group], tail: "perfect" },
    { kind: "reorder", loops: order },
    { kind: "cache-read", buffer: B, loop: "C.j.0", layout: inGroups },
    { kind: "cache-read", buffer: A, loop: "C.j.0", layout: inTiles(16, depth) },
    ...[A, B].filter((name) => name.endsWith(".pad")).map((block) => ({ kind: "inline", block }) as const),
    { kind: "unroll", loop: "C.i.1" },
    { kind: "unroll", loop: "C.j.1" },
    { kind: "cache-write", block: "C", loop: "C.i.0", scope: "register" },
    { kind: "transform-layout", buffer: "C.acc", layout: inTiles(16, 16) },
    { kind: "cache-read", buffer: "C.acc", loop: "C.i.1.store", layout: wholeDims },
    { kind: "unroll", loop: "C.acc.pack.1" },
    { kind: "vectorize", loop: "C.j.2.store" },
    { kind: "tensorize", loop: "C.i.2", intrinsic },
    { kind: "tensorize", loop: "C.i.2.init", intrinsic: `tilezero.${sum}` },
    { kind: "tensorize", loop: "C.acc.pack.2", intrinsic: `tilestored.${sum}` },
  ];
};
