import { expect, test } from "vitest";
import { gemm, refusal, refusedOn, rowMajor, scheduled } from "../nests.ts";

test("factors that divide the extent", () => {
  expect(scheduled(gemm(), { kind: "split", loop: "C.i", factors: [3, 2], tail: "perfect" })).toMatchInlineSnapshot(`
    "for C.i.0 in 0..3
      for C.i.1 in 0..2
        for C.j in 0..7
          for C.k in 0..5
            block C (i = C.i.0 * 2 + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("three factors, one of them inferred, that overshoot", () => {
  expect(scheduled(gemm(), { kind: "split", loop: "C.j", factors: [0, 2, 2], tail: "mask" })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j.0 in 0..2 mask
        for C.j.1 in 0..2 mask
          for C.j.2 in 0..2 mask
            for C.k in 0..5
              block C (i = C.i in 0..6, j = C.j.0 * 4 + (C.j.1 * 2 + C.j.2) in 0..7, reduce k = C.k in 0..5)
                C[i, j] = 0.0 first
                C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("a reduce loop", () => {
  expect(scheduled(gemm(), { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k.0 in 0..3 cut
          for C.k.1 in 0..2 cut
            block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "split", loop: "C.x", factors: [0, 2], tail: "cut" })).toBe(
    refusedOn(
      gemm(),
      "split.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("a marked loop", () => {
  expect(
    refusal(gemm(), { kind: "unroll", loop: "C.i" }, { kind: "split", loop: "C.i", factors: [0, 2], tail: "cut" }),
  ).toMatchInlineSnapshot(`
    "split.marked: C.i is already unrolled
     ▶ for C.i in 0..6 unrolled
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
      hint: split first, mark then"
  `);
});

test.each([[[2.5, 4]], [[-1, 4]], [[0, 0]], [[Number.NaN, 4]], [[]]])("bad factors %j", (factors) => {
  expect(refusal(gemm(), { kind: "split", loop: "C.i", factors, tail: "cut" })).toContain(
    `split.bad-factor: factors [${factors.join(", ")}] are not positive integers\n ▶ for C.i in 0..6`,
  );
});

test("factors that are too small", () => {
  expect(refusal(gemm(), { kind: "split", loop: "C.j", factors: [2, 3], tail: "cut" })).toBe(
    refusedOn(
      gemm(),
      "split.too-small: factors 2 × 3 make 6, the loop has 7",
      ["C.j"],
      "leave one factor 0 to have it inferred",
    ),
  );
});

test("a perfect split that is none", () => {
  expect(refusal(gemm(), { kind: "split", loop: "C.j", factors: [2, 4], tail: "perfect" })).toBe(
    refusedOn(
      gemm(),
      "split.not-divisible: factors 2 × 4 make 8, the loop has 7",
      ["C.j"],
      'use tail: "mask" or "cut", or factors that multiply to 7',
    ),
  );
});

test("the inner loop of a split, whose surplus is the next tile", () => {
  const outer = { kind: "split", loop: "C.i", factors: [2, 3], tail: "perfect" } as const;
  expect(refusal(gemm(), outer, { kind: "split", loop: "C.i.1", factors: [2, 2], tail: "cut" })).toMatchInlineSnapshot(`
    "split.runs-in-surplus: factors 2 × 2 make 4, the loop has 3, and C would run in the surplus
       for C.i.0 in 0..2
     ▶   for C.i.1 in 0..3
           for C.j in 0..7
             for C.k in 0..5
               block C (i = C.i.0 * 3 + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
      hint: use factors that multiply to 3, or split the outer loop, before packing"
  `);
  scheduled(gemm(), outer, { kind: "split", loop: "C.i.0", factors: [0, 4], tail: "cut" });
});

test("a loop around a pack, which would read outside the operand", () => {
  const pack = { kind: "cache-read", buffer: "A", loop: "C.i", layout: rowMajor } as const;
  expect(refusal(gemm(), pack, { kind: "split", loop: "C.i", factors: [0, 4], tail: "mask" })).toMatchInlineSnapshot(`
    "split.runs-in-surplus: factors 0 × 4 make 8, the loop has 6, and A.pack would run in the surplus
     ▶ for C.i in 0..6
         for A.pack.0 in 0..1
           for A.pack.1 in 0..5
             block A.pack (p0 = A.pack.0 in 0..1, p1 = A.pack.1 in 0..5)
               A.pack[p0, p1] = A[C.i, A.pack.1]
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A.pack[0, C.k] * B[k, j]
      hint: use factors that multiply to 6, or split the outer loop, before packing"
  `);
  scheduled(gemm(), pack, { kind: "split", loop: "C.i", factors: [3, 2], tail: "perfect" });
  scheduled(gemm(), pack, { kind: "split", loop: "A.pack.1", factors: [0, 4], tail: "mask" });
});
