import { expect, test } from "vitest";
import { gemm, refusal, refusedOn, scheduled } from "../nests.ts";

test("two spatial loops", () => {
  expect(scheduled(gemm(), { kind: "fuse", outer: "C.i", inner: "C.j" })).toMatchInlineSnapshot(`
    "for C.i+C.j in 0..42
      for C.k in 0..5
        block C (i = C.i+C.j // 7 in 0..6, j = C.i+C.j % 7 in 0..7, reduce k = C.k in 0..5)
          C[i, j] = 0.0 first
          C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("the halves of a split, split again", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "split", loop: "C.j", factors: [2, 4], tail: "mask" },
      { kind: "fuse", outer: "C.j.0", inner: "C.j.1" },
      { kind: "split", loop: "C.j.0+C.j.1", factors: [0, 3], tail: "cut" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j.0+C.j.1.0 in 0..3 cut
        for C.j.0+C.j.1.1 in 0..3 cut
          for C.k in 0..5
            block C (i = C.i in 0..6, j = (C.j.0+C.j.1.0 * 3 + C.j.0+C.j.1.1) // 4 * 4 + (C.j.0+C.j.1.0 * 3 + C.j.0+C.j.1.1) % 4 in 0..7, reduce k = C.k in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("two reduce loops", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
      { kind: "fuse", outer: "C.k.0", inner: "C.k.1" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k.0+C.k.1 in 0..6 cut
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0+C.k.1 // 2 * 2 + C.k.0+C.k.1 % 2 in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("a spatial and a reduce loop", () => {
  expect(refusal(gemm(), { kind: "fuse", outer: "C.j", inner: "C.k" })).toBe(
    refusedOn(
      gemm(),
      "fuse.mixed: one loop drives the reduction of C, the other does not, so the first step of a sum would be lost",
      ["C.j", "C.k"],
      "fuse loops of one kind",
    ),
  );
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "fuse", outer: "C.x", inner: "C.j" })).toBe(
    refusedOn(
      gemm(),
      "fuse.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("loops that are not nested directly", () => {
  expect(refusal(gemm(), { kind: "fuse", outer: "C.i", inner: "C.k" })).toBe(
    refusedOn(gemm(), "fuse.not-nested: C.k is not directly inside C.i", ["C.i", "C.k"]),
  );
});

test("a marked loop", () => {
  expect(
    refusal(gemm(), { kind: "vectorize", loop: "C.j" }, { kind: "fuse", outer: "C.i", inner: "C.j" }),
  ).toMatchInlineSnapshot(`
    "fuse.marked: a marked loop cannot be fused
     ▶ for C.i in 0..6
     ▶   for C.j in 0..7 vectorized
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
      hint: fuse first, mark then"
  `);
});
