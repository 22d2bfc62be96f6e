// One instruction of each kind, with every field that it can have. Whether they are legal anywhere is not asked.

import type { Instruction, InstructionKind, LayoutDim } from "../../src/compiler/index.ts";

const layout: readonly LayoutDim<number>[] = [
  { dim: 1, part: "outer", tile: 8 },
  { dim: 0, part: "whole", tile: 1 },
  { dim: 1, part: "inner", tile: 8 },
];

const byKind: { readonly [K in InstructionKind]: Omit<Extract<Instruction, { readonly kind: K }>, "kind"> } = {
  split: { loop: "C.i", factors: [0, 6], tail: "cut" },
  fuse: { outer: "C.i", inner: "C.j" },
  reorder: { loops: ["C.k", "C.i.1"] },
  "loop-partition": { loop: "C.i", at: [4, 9] },
  "merge-loops": { first: "C.i", second: "D.i" },
  unroll: { loop: "C.k", depth: 4 },
  vectorize: { loop: "C.j.2" },
  bind: { loop: "C.i", axis: "threadIdx.y" },
  annotate: { loop: "C.k", key: "note", value: -3 },
  prefetch: { buffer: "B", loop: "C.k", distance: 2 },
  parallel: { loop: "C.i" },
  "compute-at": { block: "C", loop: "D.i" },
  "reverse-compute-at": { block: "D", loop: "C.i" },
  inline: { block: "C" },
  "reverse-inline": { block: "D" },
  "cache-read": { buffer: "B", loop: "C.k.0", layout },
  "cache-write": { block: "C", loop: "C.j.1", scope: "workspace" },
  "decompose-reduction": { block: "C", loop: "C.k" },
  rfactor: { loop: "C.k.1" },
  "share-element": { block: "sum" },
  tensorize: { loop: "C.j.2", intrinsic: "vpdpbusd" },
  "set-dtype": { buffer: "A.pack", dtype: "i16" },
  "hoist-storage": { buffer: "P", loop: null, reuse: "fold" },
  "transform-layout": { buffer: "B", layout },
  pad: { block: "C", multiples: [4, 1, 8] },
  "storage-align": { buffer: "P", dim: 0, factor: 16, offset: 1 },
  "double-buffer": { buffer: "A.pack" },
  "set-scope": { buffer: "P", scope: "register" },
};

export const everyInstruction: readonly Instruction[] = Object.entries(byKind).map(
  // The table has the fields of each kind.
  ([kind, fields]) => ({ kind, ...fields }) as Instruction,
);
