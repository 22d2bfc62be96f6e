import { expect, test } from "vitest";
import {
  blur,
  buffersAfter,
  gemm,
  refusal,
  refusedOn,
  rowMajor,
  scheduled,
  twoGemms,
  whole,
  windows,
} from "../nests.ts";

const splitK = { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" } as const;
const outerK = { kind: "reorder", loops: ["C.k.0", "C.i", "C.j"] } as const;
const packB = { kind: "cache-read", buffer: "B", loop: "C.k.0", layout: rowMajor } as const;
const double = (buffer: string) => ({ kind: "double-buffer", buffer }) as const;

test("the next tile is packed before the current one is used", () => {
  expect(scheduled(gemm(), splitK, outerK, packB, double("B.pack"))).toMatchInlineSnapshot(`
    "{
      for B.pack.first.0 in 0..2
        for B.pack.first.1 in 0..7
          block B.pack.first (p0 = B.pack.first.0 in 0..2, p1 = B.pack.first.1 in 0..7)
            B.pack[0, p0, p1] = select(B.pack.first.0 < 5, B[B.pack.first.0, B.pack.first.1], 0.0)
      for C.k.0 in 0..3 cut
        for B.pack.0 in 0..2
          for B.pack.1 in 0..7
            block B.pack (next = C.k.0 + 1 in 0..3, p0 = B.pack.0 in 0..2, p1 = B.pack.1 in 0..7)
              B.pack[(C.k.0 + 1) % 2, p0, p1] = select(C.k.0 * 2 + B.pack.0 < 3, B[C.k.0 * 2 + B.pack.0 + 2, B.pack.1], 0.0)
        for C.i in 0..6
          for C.j in 0..7
            for C.k.1 in 0..2 cut
              block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
                C[i, j] = 0.0 first
                C[i, j] += A[i, k] * B.pack[C.k.0 % 2, C.k.1, C.j]
    }"
  `);
  expect(buffersAfter(gemm(), splitK, outerK, packB, double("B.pack")).at(-1)).toBe("workspace B.pack f32[2, 2, 7]");
});

test("no such buffer", () => {
  expect(refusal(blur, double("Z"))).toBe(refusedOn(blur, "double-buffer.no-such-buffer: there is no buffer Z"));
});

test("a parameter", () => {
  expect(refusal(blur, double("X"))).toBe(refusedOn(blur, "double-buffer.parameter: X is the caller's memory"));
});

test("no pack", () => {
  expect(refusal(twoGemms, double("C"))).toBe(
    refusedOn(twoGemms, "double-buffer.no-pack: C is not filled by one copy at the beginning of a loop's body"),
  );
});

test("a loop whose iterations have no order", () => {
  const pack = { ...packB, loop: "C.i" } as const;
  expect(refusal(gemm(), pack, { kind: "unroll", loop: "C.i" }, double("B.pack"))).toMatchInlineSnapshot(`
    "double-buffer.marked: C.i is unrolled, no iteration is the next one
     ▶ for C.i in 0..6 unrolled
         for B.pack.0 in 0..5
           for B.pack.1 in 0..7
             block B.pack (p0 = B.pack.0 in 0..5, p1 = B.pack.1 in 0..7)
               B.pack[p0, p1] = B[B.pack.0, B.pack.1]
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B.pack[C.k, C.j]"
  `);
});

test("a loop of one iteration", () => {
  expect(refusal(gemm(1), { ...packB, loop: "C.i" }, double("B.pack"))).toMatchInlineSnapshot(`
    "double-buffer.one-iteration: C.i has one iteration, there is no next tile
     ▶ for C.i in 0..1
         for B.pack.0 in 0..5
           for B.pack.1 in 0..7
             block B.pack (p0 = B.pack.0 in 0..5, p1 = B.pack.1 in 0..7)
               B.pack[p0, p1] = B[B.pack.0, B.pack.1]
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..1, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B.pack[C.k, C.j]"
  `);
});

test("what is computed in the same iteration cannot be packed ahead", () => {
  const pack = { kind: "cache-read", buffer: "P", loop: "Q.i", layout: [whole(0)] } as const;
  const at = { kind: "compute-at", block: "P", loop: "Q.i" } as const;
  expect(refusal(blur, pack, at, double("P.pack"))).toMatchInlineSnapshot(`
    "double-buffer.no-pack: P.pack is not filled by one copy at the beginning of a loop's body
       for Q.i in 0..9
         for P.i in 0..2
           block P (i = Q.i + P.i in 0..10)
             P[P.i] = X[i] * 2.0
         {
           for P.pack.0 in 0..2
             block P.pack (p0 = P.pack.0 in 0..2)
               P.pack[p0] = P[P.pack.0]
           block Q (i = Q.i in 0..9)
             Q[i] = P.pack[0] + P.pack[1]
         }"
  `);
});

test("twice", () => {
  expect(refusal(gemm(), splitK, outerK, packB, double("B.pack"), double("B.pack"))).toContain(
    "double-buffer.no-pack: ",
  );
});

test("its loop carries a tile", () => {
  expect(
    refusal(gemm(), { ...packB, loop: "C.i" }, double("B.pack"), { kind: "vectorize", loop: "C.i" }),
  ).toMatchInlineSnapshot(`
    "vectorize.carried: iterations of C.i may read what earlier ones have left in B.pack
       {
         for B.pack.first.0 in 0..5
           for B.pack.first.1 in 0..7
             block B.pack.first (p0 = B.pack.first.0 in 0..5, p1 = B.pack.first.1 in 0..7)
               B.pack[0, p0, p1] = B[B.pack.first.0, B.pack.first.1]
     ▶   for C.i in 0..6
           for B.pack.0 in 0..5
             for B.pack.1 in 0..7
               block B.pack (next = C.i + 1 in 0..6, p0 = B.pack.0 in 0..5, p1 = B.pack.1 in 0..7)
                 B.pack[(C.i + 1) % 2, p0, p1] = B[B.pack.0, B.pack.1]
           for C.j in 0..7
             for C.k in 0..5
               block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B.pack[C.i % 2, C.k, C.j]
       }
      hint: vectorize a loop outside of the storage of B.pack, or one inside"
  `);
});

test("windows that slide over what is filled", () => {
  const split = (loop: string, parts: number, tail: "guard" | "mask") =>
    ({ kind: "split", loop, factors: [0, parts], tail }) as const;
  const merged = { kind: "merge-loops", first: "P.y.0", second: "Q.y.0" } as const;
  expect(refusal(windows, split("P.y", 5, "guard"), split("Q.y", 2, "mask"), merged, double("P"))).toContain(
    "double-buffer.carried: ",
  );
});
