// Schedules of a product of matrices for tensor cores: by the instructions of a warp, and by those of a group of four warps.

import { type ComputeDef, type Instruction, instantiate, opLibrary, type Trace } from "../../../src/compiler/index.ts";

export interface Product {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly dtype: "f16" | "bf16";
}

/**
 * Sizes of a block, which `across` × `along` warps (or groups of warps) share; slots of its copies; rows of blocks that run beside each other; blocks
 * that a group computes one after another (default: 1); groups that copy together (default: 1).
 */
export interface Blocks {
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
  readonly across: number;
  readonly along: number;
  readonly stages: number;
  readonly neighbours: number;
  readonly rounds?: number;
  readonly cluster?: number;
}

export const productOf = (sizes: Product, epilogue = {}): ComputeDef =>
  instantiate(opLibrary.gemm(sizes, epilogue), { ...sizes }, "gemm");

const loop = (axis: string, ...levels: readonly (number | string)[]): string => ["C.sum", axis, ...levels].join(".");
const block = `${loop("i", 0, 0)}+${loop("j", 0)}+${loop("i", 0, 1)}`;

/** By `mma`, of 16×16×16, whose operands lie row by row. */
export function byWarps({ M, N, K, dtype }: Product, blocks: Blocks): Trace {
  const { rows, columns, depth, across, along, stages } = blocks;
  const product = `mma.m16n16k16.${dtype}`;
  return [
    { kind: "split", loop: loop("i"), factors: [M / rows, across, rows / across / 16, 16], tail: "perfect" },
    { kind: "split", loop: loop("j"), factors: [N / columns, along, columns / along / 16, 16], tail: "perfect" },
    { kind: "split", loop: loop("k"), factors: [K / depth, depth / 16, 16], tail: "perfect" },
    ...blocksOfThreads(M / rows, blocks, [loop("i", 3), loop("j", 3), loop("k", 2)]),
    ...sumsInTiles([16, 16], blocks),
    { kind: "tensorize", loop: loop("i", 3), intrinsic: product },
    ...["A", "B"].flatMap((buffer) => {
      const pack = `${buffer}.pack`;
      const [height, width] = buffer === "A" ? [rows, depth] : [depth, columns];
      const lanes = Math.min(32, width / 8);
      return [
        ...inGroup(
          buffer,
          [0, 1].map((dim) => ({ dim, part: "whole", tile: 1 }) as const),
        ),
        { kind: "storage-align", buffer: pack, dim: 0, factor: width, offset: 8 },
        { kind: "split", loop: `${pack}.1`, factors: [lanes, 8], tail: "perfect" },
        ...rowsToThreads(pack, 0, height, 32 / lanes, blocks),
        {
          kind: "reorder",
          loops: [`${pack}.0.0`, `${pack}.0.1`, `${pack}.0.2`, `${pack}.0.3`, `${pack}.1.0`, `${pack}.1.1`],
        },
        ...lanesToThreads(`${pack}.0.3`, `${pack}.1.0`, `${pack}.1.1`),
      ] as const satisfies readonly Instruction[];
    }),
    { kind: "annotate", loop: loop("k", 0), key: "stages", value: stages },
  ];
}

/**
 * By `wgmma`, of 64 rows, whose operands lie in panels of 64 elements a row.
 *
 * @param copies whether all threads copy operands, piece by piece, or one has panels copied as boxes, and whether that one computes nothing
 */
export function byGroups(
  { M, N, K, dtype }: Product,
  blocks: Blocks,
  wide: number,
  copies: "by threads" | "by boxes" | "by boxes, warp-specialized" = "by threads",
): Trace {
  const { rows, columns, depth, across, along, stages } = blocks;
  return [
    { kind: "split", loop: loop("i"), factors: [M / rows, across, rows / across / 64, 64], tail: "perfect" },
    {
      kind: "split",
      loop: loop("j"),
      factors: [N / columns, along, columns / along / wide, wide / 64, 64],
      tail: "perfect",
    },
    { kind: "split", loop: loop("k"), factors: [K / depth, depth / 16, 16], tail: "perfect" },
    ...blocksOfThreads(M / rows, blocks, [loop("i", 3), loop("j", 3), loop("j", 4), loop("k", 2)]),
    ...sumsInTiles([64, wide], blocks),
    ...["A", "B"].flatMap((buffer) => {
      const pack = `${buffer}.pack`;
      return [
        ...inGroup(buffer, [
          { dim: 1, part: "outer", tile: 64 },
          { dim: 0, part: "whole", tile: 1 },
          { dim: 1, part: "inner", tile: 64 },
        ]),
        ...(copies !== "by threads"
          ? [{ kind: "annotate", loop: `${pack}.1`, key: "warp", value: 1 } as const]
          : piecesToThreads(pack, buffer === "A" ? rows : depth, blocks)),
      ] as const satisfies readonly Instruction[];
    }),
    { kind: "tensorize", loop: loop("i", 3), intrinsic: `wgmma.m64n${wide}k16.${dtype}` },
    { kind: "annotate", loop: loop("k", 0), key: "stages", value: stages },
    { kind: "annotate", loop: loop("k", 0), key: "products-behind", value: 1 },
    ...(copies === "by boxes, warp-specialized"
      ? [{ kind: "annotate", loop: loop("k", 0), key: "warp-specialized", value: 1 } as const]
      : []),
    ...(blocks.cluster === undefined
      ? []
      : [{ kind: "annotate", loop: loop("k", 0), key: "cluster", value: blocks.cluster } as const]),
  ];
}

/** Blocks for groups of threads, tiles of a block for their warps; a few rows of blocks are walked together, which share what L2 holds. */
function blocksOfThreads(rowBlocks: number, { neighbours, rounds }: Blocks, tile: readonly string[]): Trace {
  const first = `${loop("i", 0, 0)}+${loop("j", 0)}`;
  const grid = [loop("i", 0, 0), loop("j", 0), loop("i", 0, 1)];
  const warps = [loop("i", 1), loop("j", 1)];
  return [
    { kind: "split", loop: loop("i", 0), factors: [rowBlocks / neighbours, neighbours], tail: "perfect" },
    { kind: "reorder", loops: [...grid, loop("k", 0), ...warps, loop("k", 1), loop("i", 2), loop("j", 2), ...tile] },
    { kind: "fuse", outer: loop("i", 0, 0), inner: loop("j", 0) },
    { kind: "fuse", outer: first, inner: loop("i", 0, 1) },
    ...(rounds === undefined ? [] : inRounds(rounds)),
    { kind: "bind", loop: rounds === undefined ? block : `${block}.1`, axis: "blockIdx.x" },
    { kind: "bind", loop: loop("i", 1), axis: "threadIdx.z" },
    { kind: "bind", loop: loop("j", 1), axis: "threadIdx.y" },
    ...[loop("k", 1), loop("i", 2), loop("j", 2)].map((name) => ({ kind: "unroll", loop: name }) as const),
  ];
}

/** Blocks that a group computes one after another lie as far apart as there are groups. */
const inRounds = (rounds: number): Trace => [
  { kind: "split", loop: block, factors: [rounds, 0], tail: "perfect" },
  { kind: "reorder", loops: [`${block}.1`, `${block}.0`] },
];

/** Sums in registers, tile by tile; what finishes them does so on their way to memory. */
const sumsInTiles = ([rows, columns]: readonly [number, number], { rounds }: Blocks): Trace => [
  {
    kind: "cache-write",
    block: "C.sum",
    loop: rounds === undefined ? block : `${block}.0`,
    scope: "register",
  },
  { kind: "reverse-inline", block: "C" },
  {
    kind: "transform-layout",
    buffer: "C.sum.acc",
    layout: (["outer", "inner"] as const).flatMap((part) => [rows, columns].map((tile, dim) => ({ dim, part, tile }))),
  },
  { kind: "annotate", loop: loop("i", 3, "init"), key: "warp", value: 1 },
  { kind: "annotate", loop: loop("i", 3, "store"), key: "warp", value: 1 },
];

const inGroup = (buffer: string, layout: (Instruction & { kind: "cache-read" })["layout"]): Trace => [
  { kind: "cache-read", buffer, loop: loop("k", 0), layout },
  { kind: "set-scope", buffer: `${buffer}.pack`, scope: "group" },
];

const rowsToThreads = (pack: string, dim: number, rows: number, lanes: number, { across, along }: Blocks): Trace => [
  {
    kind: "split",
    loop: `${pack}.${dim}`,
    factors: [rows / across / along / lanes, across, along, lanes],
    tail: "perfect",
  },
  { kind: "unroll", loop: `${pack}.${dim}.0` },
  { kind: "bind", loop: `${pack}.${dim}.1`, axis: "threadIdx.z" },
  { kind: "bind", loop: `${pack}.${dim}.2`, axis: "threadIdx.y" },
];

/** Rows of panels, eight pieces each, to threads. */
const piecesToThreads = (pack: string, rows: number, blocks: Blocks): Trace => [
  { kind: "split", loop: `${pack}.2`, factors: [8, 8], tail: "perfect" },
  ...rowsToThreads(pack, 1, rows, 16, blocks),
  {
    kind: "reorder",
    loops: [`${pack}.0`, ...[0, 1, 2, 3].map((level) => `${pack}.1.${level}`), `${pack}.2.0`, `${pack}.2.1`],
  },
  ...lanesToThreads(`${pack}.1.3`, `${pack}.2.0`, `${pack}.2.1`),
];

const lanesToThreads = (row: string, piece: string, element: string): Trace => [
  { kind: "fuse", outer: row, inner: piece },
  { kind: "bind", loop: `${row}+${piece}`, axis: "threadIdx.x" },
  { kind: "vectorize", loop: element },
];
