import { expect, test } from "vitest";
import {
  DiagnosticError,
  printDiagnostic,
  printTrace,
  replay,
  schedule,
  type Trace,
} from "../../../../src/compiler/index.ts";
import { gemm } from "../nests.ts";

const trace: Trace = [
  { kind: "split", loop: "C.i", factors: [3, 2], tail: "perfect" },
  { kind: "vectorize", loop: "C.j" },
  { kind: "split", loop: "C.j", factors: [0, 4], tail: "cut" },
  { kind: "unroll", loop: "C.k" },
];

test("replay stops at the first illegal instruction and says which", () => {
  const result = replay(gemm(), trace);
  if (result.kind === "ok") throw new Error("the trace is legal");
  expect(result.at).toBe(2);
  expect(printDiagnostic(result.diagnostic)).toBe(`split.marked: C.j is already vectorized
   for C.i.0 in 0..3
     for C.i.1 in 0..2
 ▶     for C.j in 0..7 vectorized
         for C.k in 0..5
           block C (i = C.i.0 * 2 + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
             C[i, j] = 0.0 first
             C[i, j] += A[i, k] * B[k, j]
  hint: split first, mark then`);
});

test("schedule throws what replay answers", () => {
  const result = replay(gemm(), trace);
  const wanted = result.kind === "illegal" ? printDiagnostic(result.diagnostic) : null;
  expect(() => schedule(gemm(), trace)).toThrow(DiagnosticError);
  expect(() => schedule(gemm(), trace)).toThrow(wanted!);
});

test("the empty trace", () => {
  const nest = gemm();
  expect(replay(nest, [])).toEqual({ kind: "ok", nest });
});

test("the nest that a trace starts from stays as it is", () => {
  const nest = gemm();
  const before = JSON.stringify(nest);
  schedule(nest, [...trace.slice(0, 1), { kind: "cache-write", block: "C", loop: "C.j", scope: "register" }]);
  expect(JSON.stringify(nest)).toBe(before);
});

test("printed, one line an instruction", () => {
  const all: Trace = [
    ...trace,
    { kind: "fuse", outer: "C.i.0", inner: "C.i.1" },
    { kind: "reorder", loops: ["C.k", "C.j"] },
    { kind: "parallel", loop: "C.i.0" },
    { kind: "compute-at", block: "P", loop: "C.i.0" },
    { kind: "inline", block: "P" },
    {
      kind: "cache-read",
      buffer: "B",
      loop: "C.k",
      layout: [
        { dim: 1, part: "outer", tile: 4 },
        { dim: 0, part: "whole", tile: 1 },
        { dim: 1, part: "inner", tile: 4 },
      ],
    },
    { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
    { kind: "decompose-reduction", block: "C", loop: "C.k" },
    { kind: "rfactor", loop: "C.k" },
    { kind: "set-scope", buffer: "P", scope: "workspace" },
  ];
  expect(printTrace(all)).toBe(`split C.i [3, 2] perfect
vectorize C.j
split C.j [0, 4] cut
unroll C.k
fuse C.i.0 C.i.1
reorder C.k C.j
parallel C.i.0
compute-at P at C.i.0
inline P
cache-read B at C.k layout [1/4] [0] [1%4]
cache-write C register at C.j
decompose-reduction C at C.k
rfactor C.k
set-scope P workspace`);
});
