// A schedule of a product of 64×64 for threads: groups of 8×8 threads compute squares of 32, each thread 4×4 sums in registers, of operands
// that are copied to the memory of the group, perhaps ahead.

import {
  type ComputeDef,
  type Instruction,
  instantiate,
  opLibrary,
  type Trace,
} from "../../../../src/compiler/index.ts";

export const productOf = (dtype: "f32" | "i8"): ComputeDef =>
  instantiate(opLibrary.gemm({ M: 64, N: 64, K: 32, dtype }), {}, "gemm");

const wholeRows = [0, 1].map((dim) => ({ dim, part: "whole", tile: 1 }) as const);
const inGroup = (buffer: string): Trace => [
  { kind: "cache-read", buffer, loop: "C.k.0", layout: wholeRows },
  { kind: "set-scope", buffer: `${buffer}.pack`, scope: "group" },
];

/** @param stages copies that are under way, or 1 */
export const byThreads = (stages: number): Trace => [
  { kind: "split", loop: "C.i", factors: [2, 8, 4], tail: "perfect" },
  { kind: "split", loop: "C.j", factors: [2, 8, 4], tail: "perfect" },
  { kind: "split", loop: "C.k", factors: [4, 8], tail: "perfect" },
  { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.k.0", "C.i.1", "C.j.1", "C.k.1", "C.i.2", "C.j.2"] },
  { kind: "fuse", outer: "C.i.0", inner: "C.j.0" },
  { kind: "bind", loop: "C.i.0+C.j.0", axis: "blockIdx.x" },
  { kind: "bind", loop: "C.i.1", axis: "threadIdx.y" },
  { kind: "bind", loop: "C.j.1", axis: "threadIdx.x" },
  { kind: "unroll", loop: "C.i.2" },
  { kind: "vectorize", loop: "C.j.2" },
  { kind: "cache-write", block: "C", loop: "C.i.0+C.j.0", scope: "register" },
  ...inGroup("A"),
  { kind: "split", loop: "A.pack.0", factors: [4, 8], tail: "perfect" },
  { kind: "split", loop: "A.pack.1", factors: [2, 4], tail: "perfect" },
  { kind: "unroll", loop: "A.pack.0.0" },
  { kind: "bind", loop: "A.pack.0.1", axis: "threadIdx.y" },
  { kind: "bind", loop: "A.pack.1.0", axis: "threadIdx.x" },
  { kind: "vectorize", loop: "A.pack.1.1" },
  ...inGroup("B"),
  { kind: "split", loop: "B.pack.1", factors: [8, 4], tail: "perfect" },
  { kind: "bind", loop: "B.pack.0", axis: "threadIdx.y" },
  { kind: "bind", loop: "B.pack.1.0", axis: "threadIdx.x" },
  { kind: "vectorize", loop: "B.pack.1.1" },
  ...(stages > 1
    ? [{ kind: "annotate", loop: "C.k.0", key: "stages", value: stages } as const satisfies Instruction]
    : []),
];
