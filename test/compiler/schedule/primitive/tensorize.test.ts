import { expect, test } from "vitest";
import { fromCompute, type LayoutDim, type LoopFunc, type Trace } from "../../../../src/compiler/index.ts";
import { narrowGemm } from "../../intrinsic/tensorized-gemm.ts";
import { gemm as floatGemm, refusal, scheduled } from "../nests.ts";

const nest = (a: "i16" | "u8" = "i16"): LoopFunc => fromCompute(narrowGemm(2, 8, 4, a, a === "u8" ? "i8" : "i16"));
const intrinsic = "vpmaddwd.256";

/** Vectors of 8, pairs of k innermost. */
const tiled: Trace = [
  { kind: "split", loop: "C.j", factors: [0, 8], tail: "perfect" },
  { kind: "split", loop: "C.k", factors: [0, 2], tail: "perfect" },
  { kind: "reorder", loops: ["C.i", "C.j.0", "C.k.0", "C.j.1", "C.k.1"] },
];
const accumulated: Trace = [
  { kind: "vectorize", loop: "C.j.1" },
  { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
];
const pairs: readonly LayoutDim<number>[] = [
  { dim: 0, part: "outer", tile: 2 },
  { dim: 1, part: "whole", tile: 1 },
  { dim: 0, part: "inner", tile: 2 },
];
const packed: Trace = [{ kind: "cache-read", buffer: "B", loop: "C.i", layout: pairs }];
const it = { kind: "tensorize", loop: "C.j.1", intrinsic } as const;

test("vectors of pairs, one operand packed, the other read where it is", () => {
  expect(scheduled(nest(), ...tiled, ...packed, ...accumulated, it)).toMatchInlineSnapshot(`
    "for C.i in 0..2
      for B.pack.0 in 0..2
        for B.pack.1 in 0..8
          for B.pack.2 in 0..2
            block B.pack (p0 = B.pack.0 in 0..2, p1 = B.pack.1 in 0..8, p2 = B.pack.2 in 0..2)
              B.pack[p0, p1, p2] = B[B.pack.0 * 2 + B.pack.2, B.pack.1]
      for C.j.0 in 0..1
        for C.j.1.init in 0..8 vectorized
          block C.init (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.init in 0..8)
            C.acc[0, C.j.1.init] = 0
        for C.k.0 in 0..2
          for C.j.1 in 0..8 tensorized vpmaddwd.256
            for C.k.1 in 0..2
              block C (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1 in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                C.acc[0, C.j.1] += i32(A[i, k]) * i32(B.pack[C.k.0, C.j.0 * 8 + C.j.1, C.k.1])
        for C.j.1.store in 0..8 vectorized
          block C.store (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.store in 0..8)
            C[i, j] = C.acc[0, C.j.1.store]"
  `);
});

test("the loops may stand the other way round", () => {
  const swapped = { kind: "reorder", loops: ["C.k.1", "C.j.1"] } as const;
  const decomposed = { kind: "decompose-reduction", block: "C", loop: "C.k.0" } as const;
  const trace: Trace = [...tiled, ...packed, decomposed, swapped, { ...it, loop: "C.k.1" }];
  expect(scheduled(nest(), ...trace)).toContain("for C.k.1 in 0..2 tensorized vpmaddwd.256");
});

test("no such intrinsic", () => {
  expect(refusal(nest(), { ...it, intrinsic: "vpmaddwd.1024" })).toMatchInlineSnapshot(`
    "tensorize.no-such-intrinsic: there is no intrinsic vpmaddwd.1024
       for C.i in 0..2
         for C.j in 0..8
           for C.k in 0..4
             block C (i = C.i in 0..2, j = C.j in 0..8, reduce k = C.k in 0..4)
               C[i, j] = 0 first
               C[i, j] += i32(A[i, k]) * i32(B[k, j])"
  `);
});

test("no such loop", () => {
  expect(refusal(nest(), it)).toMatchInlineSnapshot(`
    "tensorize.no-such-loop: there is no loop C.j.1
       for C.i in 0..2
         for C.j in 0..8
           for C.k in 0..4
             block C (i = C.i in 0..2, j = C.j in 0..8, reduce k = C.k in 0..4)
               C[i, j] = 0 first
               C[i, j] += i32(A[i, k]) * i32(B[k, j])
      hint: loops are named stage.axis, and loop.0, loop.1, … after a split"
  `);
});

test("a loop that is unrolled", () => {
  expect(refusal(nest(), ...tiled, { kind: "unroll", loop: "C.j.1" }, it)).toMatchInlineSnapshot(`
    "tensorize.marked: C.j.1 is already unrolled
       for C.i in 0..2
         for C.j.0 in 0..1
           for C.k.0 in 0..2
     ▶       for C.j.1 in 0..8 unrolled
               for C.k.1 in 0..2
                 block C (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1 in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                   C[i, j] = 0 first
                   C[i, j] += i32(A[i, k]) * i32(B[k, j])"
  `);
});

test("more than one block inside", () => {
  expect(refusal(nest(), ...tiled, ...accumulated, { ...it, loop: "C.j.0" })).toMatchInlineSnapshot(`
    "tensorize.several-statements: C.j.0 holds more than one block and the loops to it
       for C.i in 0..2
     ▶   for C.j.0 in 0..1
           for C.j.1.init in 0..8 vectorized
             block C.init (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.init in 0..8)
               C.acc[0, C.j.1.init] = 0
           for C.k.0 in 0..2
             for C.j.1 in 0..8 vectorized
               for C.k.1 in 0..2
                 block C (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1 in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                   C.acc[0, C.j.1] += i32(A[i, k]) * i32(B[k, j])
           for C.j.1.store in 0..8 vectorized
             block C.store (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.store in 0..8)
               C[i, j] = C.acc[0, C.j.1.store]"
  `);
});

test("a block that initialises its elements", () => {
  expect(refusal(nest(), ...tiled, ...packed, it)).toMatchInlineSnapshot(`
    "tensorize.initialises: C initialises its elements here
       for C.i in 0..2
         for B.pack.0 in 0..2
           for B.pack.1 in 0..8
             for B.pack.2 in 0..2
               block B.pack (p0 = B.pack.0 in 0..2, p1 = B.pack.1 in 0..8, p2 = B.pack.2 in 0..2)
                 B.pack[p0, p1, p2] = B[B.pack.0 * 2 + B.pack.2, B.pack.1]
         for C.j.0 in 0..1
           for C.k.0 in 0..2
     ▶       for C.j.1 in 0..8
     ▶         for C.k.1 in 0..2
                 block C (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1 in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                   C[i, j] = 0 first
                   C[i, j] += i32(A[i, k]) * i32(B.pack[C.k.0, C.j.0 * 8 + C.j.1, C.k.1])
      hint: cache-write it, or decompose the reduction, outside of these loops first"
  `);
});

test("another computation", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.j", factors: [0, 8], tail: "guard" },
    { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" },
  ];
  expect(refusal(floatGemm(), ...trace, it)).toMatchInlineSnapshot(`
    "tensorize.computation: vpmaddwd.256 computes something else
       for C.i in 0..6
         for C.j.0 in 0..1
           for C.j.1.init in 0..8
             block C.init (i = C.i in 0..6, j = C.j.0 * 8 + C.j.1.init in 0..7)
               C.acc[0, C.j.1.init] = 0.0
     ▶     for C.j.1 in 0..8
     ▶       for C.k in 0..5
               block C (i = C.i in 0..6, j = C.j.0 * 8 + C.j.1 in 0..7, reduce k = C.k in 0..5)
                 C.acc[0, C.j.1] += A[i, k] * B[k, j]
           for C.j.1.store in 0..8
             block C.store (i = C.i in 0..6, j = C.j.0 * 8 + C.j.1.store in 0..7)
               C[i, j] = C.acc[0, C.j.1.store]"
  `);
});

test("other types: u8 · u8 is not u8 · i8", () => {
  const unsigned = fromCompute(narrowGemm(2, 8, 4, "u8", "u8"));
  expect(refusal(unsigned, ...tiled, ...accumulated, { ...it, intrinsic: "vpdpbusd.256" })).toMatch(
    "tensorize.computation: vpdpbusd.256 computes something else",
  );
});

test("other extents", () => {
  expect(refusal(nest("u8"), ...tiled, ...accumulated, { ...it, intrinsic: "vpdpbusd.256" })).toMatchInlineSnapshot(`
    "tensorize.extents: vpdpbusd.256 wants loops of 8 and 4 iterations and no others
       for C.i in 0..2
         for C.j.0 in 0..1
           for C.j.1.init in 0..8 vectorized
             block C.init (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.init in 0..8)
               C.acc[0, C.j.1.init] = 0
           for C.k.0 in 0..2
     ▶       for C.j.1 in 0..8 vectorized
     ▶         for C.k.1 in 0..2
                 block C (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1 in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                   C.acc[0, C.j.1] += i32(A[i, k]) * i32(B[k, j])
           for C.j.1.store in 0..8 vectorized
             block C.store (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.store in 0..8)
               C[i, j] = C.acc[0, C.j.1.store]"
  `);
});

test("an operand that does not lie in pairs", () => {
  expect(refusal(nest(), ...tiled, ...accumulated, it)).toMatchInlineSnapshot(`
    "tensorize.layout: B moves by 1 elements along C.j.1, vpmaddwd.256 wants its operand B to move by 2
       for C.i in 0..2
         for C.j.0 in 0..1
           for C.j.1.init in 0..8 vectorized
             block C.init (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.init in 0..8)
               C.acc[0, C.j.1.init] = 0
           for C.k.0 in 0..2
     ▶       for C.j.1 in 0..8 vectorized
     ▶         for C.k.1 in 0..2
                 block C (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1 in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                   C.acc[0, C.j.1] += i32(A[i, k]) * i32(B[k, j])
           for C.j.1.store in 0..8 vectorized
             block C.store (i = C.i in 0..2, j = C.j.0 * 8 + C.j.1.store in 0..8)
               C[i, j] = C.acc[0, C.j.1.store]
      hint: cache-read the operand with another layout"
  `);
});

test("a result that lanes share", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.k", factors: [0, 8, 2], tail: "guard" },
    { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
  ];
  expect(refusal(nest(), ...trace, { ...it, loop: "C.k.1" })).toMatchInlineSnapshot(`
    "tensorize.layout: vpmaddwd.256 has a result of its own for each lane, C.acc has one for several
       for C.i in 0..2
         for C.j in 0..8
           block C.init (i = C.i in 0..2, j = C.j in 0..8)
             C.acc[0, 0] = 0
           for C.k.0 in 0..1
     ▶       for C.k.1 in 0..8
     ▶         for C.k.2 in 0..2
                 block C (i = C.i in 0..2, j = C.j in 0..8, reduce k = C.k.0 * 16 + (C.k.1 * 2 + C.k.2) in 0..4)
                   C.acc[0, 0] += i32(A[i, k]) * i32(B[k, j])
           block C.store (i = C.i in 0..2, j = C.j in 0..8)
             C[i, j] = C.acc[0, 0]
      hint: cache-read the operand with another layout"
  `);
});
