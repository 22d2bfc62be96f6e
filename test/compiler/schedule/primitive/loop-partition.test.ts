import { expect, test } from "vitest";
import { gemm, refusal, refusedOn, scheduled } from "../nests.ts";

test("a loop of the result", () => {
  expect(scheduled(gemm(), { kind: "loop-partition", loop: "C.i", at: [4] })).toMatchInlineSnapshot(`
    "{
      for C.i@0 in 0..4
        for C.j@0 in 0..7
          for C.k@0 in 0..5
            block C@0 (i = C.i@0 in 0..6, j = C.j@0 in 0..7, reduce k = C.k@0 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]
      for C.i@1 in 0..2
        for C.j@1 in 0..7
          for C.k@1 in 0..5
            block C@1 (i = C.i@1 + 4 in 0..6, j = C.j@1 in 0..7, reduce k = C.k@1 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]
    }"
  `);
});

test("a reduce loop: the first piece initialises", () => {
  expect(scheduled(gemm(), { kind: "loop-partition", loop: "C.k", at: [1, 3] })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k@0 in 0..1
          block C@0 (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k@0 in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]
        for C.k@1 in 0..2
          block C@1 (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k@1 + 1 in 0..5)
            C[i, j] += A[i, k] * B[k, j]
        for C.k@2 in 0..2
          block C@2 (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k@2 + 3 in 0..5)
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("what is inside the pieces is scheduled by its new names", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "loop-partition", loop: "C.j", at: [4] },
      { kind: "reorder", loops: ["C.k@0", "C.j@0"] },
      { kind: "vectorize", loop: "C.j@0" },
      { kind: "cache-write", block: "C@1", loop: "C.j@1", scope: "register" },
      { kind: "loop-partition", loop: "C.i", at: [5] },
    ),
  ).toMatchInlineSnapshot(`
    "{
      for C.i@0 in 0..5
        for C.k@0@0 in 0..5
          for C.j@0@0 in 0..4 vectorized
            block C@0@0 (i = C.i@0 in 0..6, j = C.j@0@0 in 0..7, reduce k = C.k@0@0 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]
        for C.j@1@0 in 0..3
          block C@1.init@0 (i = C.i@0 in 0..6, j = C.j@1@0 + 4 in 0..7)
            C@1.acc[0, 0] = 0.0
          for C.k@1@0 in 0..5
            block C@1@0 (i = C.i@0 in 0..6, j = C.j@1@0 + 4 in 0..7, reduce k = C.k@1@0 in 0..5)
              C@1.acc[0, 0] += A[i, k] * B[k, j]
          block C@1.store@0 (i = C.i@0 in 0..6, j = C.j@1@0 + 4 in 0..7)
            C[i, j] = C@1.acc[0, 0]
      for C.i@1 in 0..1
        for C.k@0@1 in 0..5
          for C.j@0@1 in 0..4 vectorized
            block C@0@1 (i = C.i@1 + 5 in 0..6, j = C.j@0@1 in 0..7, reduce k = C.k@0@1 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]
        for C.j@1@1 in 0..3
          block C@1.init@1 (i = C.i@1 + 5 in 0..6, j = C.j@1@1 + 4 in 0..7)
            C@1.acc[0, 0] = 0.0
          for C.k@1@1 in 0..5
            block C@1@1 (i = C.i@1 + 5 in 0..6, j = C.j@1@1 + 4 in 0..7, reduce k = C.k@1@1 in 0..5)
              C@1.acc[0, 0] += A[i, k] * B[k, j]
          block C@1.store@1 (i = C.i@1 + 5 in 0..6, j = C.j@1@1 + 4 in 0..7)
            C[i, j] = C@1.acc[0, 0]
    }"
  `);
});

test("accumulators that start from the element: the outer reduce loop is cut", () => {
  expect(
    scheduled(
      gemm(2, 3, 5),
      { kind: "reorder", loops: ["C.k", "C.i", "C.j"] },
      { kind: "cache-write", block: "C", loop: "C.k", scope: "workspace" },
      { kind: "loop-partition", loop: "C.k", at: [1] },
    ),
  ).toMatchInlineSnapshot(`
    "{
      for C.k@0 in 0..1
        for C.i.init@0 in 0..2
          for C.j.init@0 in 0..3
            block C.init@0 (i = C.i.init@0 in 0..2, j = C.j.init@0 in 0..3)
              C.acc[C.i.init@0, C.j.init@0] = select(C.k@0 == 0, 0.0, C[i, j])
        for C.i@0 in 0..2
          for C.j@0 in 0..3
            block C@0 (i = C.i@0 in 0..2, j = C.j@0 in 0..3, reduce k = C.k@0 in 0..5)
              C.acc[C.i@0, C.j@0] += A[i, k] * B[k, j]
        for C.i.store@0 in 0..2
          for C.j.store@0 in 0..3
            block C.store@0 (i = C.i.store@0 in 0..2, j = C.j.store@0 in 0..3)
              C[i, j] = C.acc[C.i.store@0, C.j.store@0]
      for C.k@1 in 0..4
        for C.i.init@1 in 0..2
          for C.j.init@1 in 0..3
            block C.init@1 (i = C.i.init@1 in 0..2, j = C.j.init@1 in 0..3)
              C.acc[C.i.init@1, C.j.init@1] = select(C.k@1 + 1 == 0, 0.0, C[i, j])
        for C.i@1 in 0..2
          for C.j@1 in 0..3
            block C@1 (i = C.i@1 in 0..2, j = C.j@1 in 0..3, reduce k = C.k@1 + 1 in 0..5)
              C.acc[C.i@1, C.j@1] += A[i, k] * B[k, j]
        for C.i.store@1 in 0..2
          for C.j.store@1 in 0..3
            block C.store@1 (i = C.i.store@1 in 0..2, j = C.j.store@1 in 0..3)
              C[i, j] = C.acc[C.i.store@1, C.j.store@1]
    }"
  `);
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "loop-partition", loop: "C.x", at: [1] })).toBe(
    refusedOn(
      gemm(),
      "loop-partition.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("a marked loop", () => {
  expect(
    refusal(gemm(), { kind: "unroll", loop: "C.j" }, { kind: "loop-partition", loop: "C.j", at: [1] }),
  ).toMatchInlineSnapshot(`
    "loop-partition.marked: C.j is already unrolled
       for C.i in 0..6
     ▶   for C.j in 0..7 unrolled
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
      hint: cut first, mark then"
  `);
});

test("a point outside the loop", () => {
  expect(refusal(gemm(), { kind: "loop-partition", loop: "C.j", at: [3, 7] })).toBe(
    refusedOn(gemm(), "loop-partition.bad-points: [3, 7] are not ascending iterations of C.j between 1 and 6", ["C.j"]),
  );
});

test.each([[[]], [[0]], [[4, 4]], [[4, 2]], [[1.5]], [[Number.NaN]]])("bad points %j", (at) => {
  expect(refusal(gemm(), { kind: "loop-partition", loop: "C.j", at })).toContain(
    `loop-partition.bad-points: [${at.join(", ")}] are not ascending iterations of C.j between 1 and 6\n`,
  );
});
