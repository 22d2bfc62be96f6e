import { expect, test } from "vitest";
import {
  blur,
  buffersAfter,
  epilogue,
  gemmMapGemm,
  refusal,
  refusedOn,
  residual,
  scattered,
  scheduled,
  twoGemms,
} from "../nests.ts";

const tile = { kind: "split", loop: "C.i", factors: [0, 4], tail: "cut" } as const;
const inner = { kind: "reorder", loops: ["C.j", "C.k", "C.i.1"] } as const;

test("bias and activation of a tile, whose sums need no more room than that", () => {
  const at = { kind: "reverse-compute-at", block: "D", loop: "C.i.0" } as const;
  expect(scheduled(epilogue, tile, inner, at)).toMatchInlineSnapshot(`
    "for C.i.0 in 0..2 cut
      for C.j in 0..5
        for C.k in 0..4
          for C.i.1 in 0..4 cut
            block C (i = C.i.0 * 4 + C.i.1 in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
              C[C.i.1, C.j] = 0.0 first
              C[C.i.1, C.j] += A[i, k] * B[k, j]
      for D.i in 0..4
        for D.j in 0..5
          block D (i = C.i.0 * 4 + D.i in 0..6, j = D.j in 0..5)
            D[i, j] = max(C[D.i, D.j] + b[j], 0.0)"
  `);
  expect(buffersAfter(epilogue, tile, inner, at)).toContain("workspace C f32[4, 5]");
});

test("under a reduce loop, after its last iteration", () => {
  const order = { kind: "reorder", loops: ["C.k", "C.i", "C.j"] } as const;
  const at = { kind: "reverse-compute-at", block: "D", loop: "C.i" } as const;
  expect(scheduled(epilogue, order, at)).toMatchInlineSnapshot(`
    "for C.k in 0..4
      for C.i in 0..6
        for C.j in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]
        for D.i in 0..1
          for D.j in 0..5
            block D (i = C.i + D.i in 0..6, j = D.j in 0..5, last_C_k = C.k - 3 in 0..1)
              D[i, j] = max(C[i, j] + b[j], 0.0)"
  `);
  expect(buffersAfter(epilogue, order, at)).toContain("workspace C f32[6, 5]");
});

test("a sum over what is complete: the second product, row by row and block by block", () => {
  expect(
    scheduled(gemmMapGemm, { kind: "inline", block: "D" }, { kind: "reverse-compute-at", block: "F", loop: "C.j" }),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[0, 0] = 0.0 first
            C[0, 0] += A[i, k] * B[k, j]
        for F.i in 0..1
          for F.l in 0..6
            for F.n in 0..1
              block F (i = C.i + F.i in 0..5, l = F.l in 0..6, reduce n = C.j + F.n in 0..4)
                F[i, l] = 0.0 first
                F[i, l] += C[F.i, F.n] * 2.0 * E[n, l]"
  `);
});

test("a dimension that is complete may be read anywhere", () => {
  expect(scheduled(twoGemms, { kind: "reverse-compute-at", block: "D", loop: "C.i" })).toMatchInlineSnapshot(`
    "for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[0, C.j] = 0.0 first
            C[0, C.j] += A[i, k] * B[k, j]
      for D.i in 0..1
        for D.l in 0..6
          for D.n in 0..4
            block D (i = C.i + D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
              D[i, l] = 0.0 first
              D[i, l] += C[D.i, D.n] * E[n, l]"
  `);
});

test("accumulators in registers, then the epilogue", () => {
  expect(
    scheduled(
      epilogue,
      tile,
      { kind: "reorder", loops: ["C.i.0", "C.j", "C.k", "C.i.1"] },
      { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
      { kind: "reverse-compute-at", block: "D", loop: "C.j" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i.0 in 0..2 cut
      for C.j in 0..5
        {
          for C.i.1.init in 0..4 cut
            block C.init (i = C.i.0 * 4 + C.i.1.init in 0..6, j = C.j in 0..5)
              C.acc[C.i.1.init, 0] = 0.0
          for C.k in 0..4
            for C.i.1 in 0..4 cut
              block C (i = C.i.0 * 4 + C.i.1 in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
                C.acc[C.i.1, 0] += A[i, k] * B[k, j]
          for C.i.1.store in 0..4 cut
            block C.store (i = C.i.0 * 4 + C.i.1.store in 0..6, j = C.j in 0..5)
              C[C.i.1.store, 0] = C.acc[C.i.1.store, 0]
        }
        for D.i in 0..4
          for D.j in 0..1
            block D (i = C.i.0 * 4 + D.i in 0..6, j = C.j + D.j in 0..5)
              D[i, j] = max(C[D.i, D.j] + b[j], 0.0)"
  `);
});

test("no such block", () => {
  expect(refusal(blur, { kind: "reverse-compute-at", block: "R", loop: "P.i" })).toBe(
    refusedOn(blur, "reverse-compute-at.no-such-block: there is no block R", [], "blocks are named after their stages"),
  );
});

test("no such loop", () => {
  expect(refusal(blur, { kind: "reverse-compute-at", block: "Q", loop: "P.x" })).toBe(
    refusedOn(
      blur,
      "reverse-compute-at.no-such-loop: there is no loop P.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("a consumer that is scheduled", () => {
  expect(
    refusal(
      blur,
      { kind: "split", loop: "Q.i", factors: [3, 3], tail: "cut" },
      { kind: "reverse-compute-at", block: "Q", loop: "P.i" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-compute-at.scheduled: Q has been scheduled already
     ▶ for P.i in 0..10
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i.0 in 0..3 cut
         for Q.i.1 in 0..3 cut
           block Q (i = Q.i.0 * 3 + Q.i.1 in 0..9)
             Q[i] = P[i] + P[i + 1]
      hint: place a consumer first, then tile it"
  `);
});

test("a consumer whose loop is bound, to the coordinate that the producer's loop has", () => {
  const marks = [
    { kind: "bind", loop: "Q.i", axis: "threadIdx.y" },
    { kind: "bind", loop: "P.i", axis: "threadIdx.y" },
  ] as const;
  expect(refusal(blur, ...marks, { kind: "reverse-compute-at", block: "Q", loop: "P.i" })).toMatchInlineSnapshot(`
    "reverse-compute-at.scheduled: Q has been scheduled already
     ▶ for P.i in 0..10 threadIdx.y
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i in 0..9 threadIdx.y
         block Q (i = Q.i in 0..9)
           Q[i] = P[i] + P[i + 1]
      hint: place a consumer first, then tile it"
  `);
  expect(refusal(blur, marks[0], { kind: "reverse-compute-at", block: "Q", loop: "P.i" })).toContain(
    "scheduled already",
  );
});

test("a loop that computes nothing of what the block reads", () => {
  expect(refusal(gemmMapGemm, { kind: "reverse-compute-at", block: "D", loop: "F.i" })).toBe(
    refusedOn(gemmMapGemm, "reverse-compute-at.no-consumer: D reads nothing that is computed under F.i", ["F.i"]),
  );
  expect(refusal(blur, { kind: "reverse-compute-at", block: "Q", loop: "Q.i" })).toContain(
    "reverse-compute-at.no-consumer: Q reads nothing that is computed under Q.i\n",
  );
});

test("a neighbour that is not there yet", () => {
  expect(refusal(blur, { kind: "reverse-compute-at", block: "Q", loop: "P.i" })).toBe(
    refusedOn(
      blur,
      "reverse-compute-at.incomplete: Q reads P[i + 1], which an iteration of P.i need not have completed",
      ["P.i"],
    ),
  );
});

test("a read that is not affine", () => {
  expect(refusal(scattered, { kind: "reverse-compute-at", block: "Q", loop: "P.i" })).toContain(
    "reverse-compute-at.incomplete: Q reads P[i * i % 5], which an iteration of P.i need not have completed\n",
  );
});

test("a producer in pieces", () => {
  expect(
    refusal(
      epilogue,
      { kind: "loop-partition", loop: "C.i", at: [4] },
      { kind: "reverse-compute-at", block: "D", loop: "C.i@0" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-compute-at.other-producer: C@1 writes C outside C.i@0
       {
     ▶   for C.i@0 in 0..4
           for C.j@0 in 0..5
             for C.k@0 in 0..4
               block C@0 (i = C.i@0 in 0..6, j = C.j@0 in 0..5, reduce k = C.k@0 in 0..4)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
         for C.i@1 in 0..2
           for C.j@1 in 0..5
             for C.k@1 in 0..4
               block C@1 (i = C.i@1 + 4 in 0..6, j = C.j@1 in 0..5, reduce k = C.k@1 in 0..4)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
       }
       for D.i in 0..6
         for D.j in 0..5
           block D (i = D.i in 0..6, j = D.j in 0..5)
             D[i, j] = max(C[i, j] + b[j], 0.0)"
  `);
});

test("pieces of a row under the loop", () => {
  expect(
    refusal(
      epilogue,
      { kind: "loop-partition", loop: "C.j", at: [2] },
      { kind: "reverse-compute-at", block: "D", loop: "C.i" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-compute-at.in-parts: an iteration of C.i does not complete a box of C
     ▶ for C.i in 0..6
         for C.j@0 in 0..2
           for C.k@0 in 0..4
             block C@0 (i = C.i in 0..6, j = C.j@0 in 0..5, reduce k = C.k@0 in 0..4)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
         for C.j@1 in 0..3
           for C.k@1 in 0..4
             block C@1 (i = C.i in 0..6, j = C.j@1 + 2 in 0..5, reduce k = C.k@1 in 0..4)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
       for D.i in 0..6
         for D.j in 0..5
           block D (i = D.i in 0..6, j = D.j in 0..5)
             D[i, j] = max(C[i, j] + b[j], 0.0)"
  `);
});

test("rows that a box does not hold", () => {
  expect(
    refusal(
      epilogue,
      { kind: "fuse", outer: "C.i", inner: "C.j" },
      { kind: "split", loop: "C.i+C.j", factors: [0, 4], tail: "cut" },
      { kind: "reverse-compute-at", block: "D", loop: "C.i+C.j.0" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-compute-at.not-affine: C is not written at affine indices under C.i+C.j.0
     ▶ for C.i+C.j.0 in 0..8 cut
         for C.i+C.j.1 in 0..4 cut
           for C.k in 0..4
             block C (i = (C.i+C.j.0 * 4 + C.i+C.j.1) // 5 in 0..6, j = (C.i+C.j.0 * 4 + C.i+C.j.1) % 5 in 0..5, reduce k = C.k in 0..4)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
       for D.i in 0..6
         for D.j in 0..5
           block D (i = D.i in 0..6, j = D.j in 0..5)
             D[i, j] = max(C[i, j] + b[j], 0.0)"
  `);
});

test("another operand that is computed later", () => {
  expect(refusal(residual, { kind: "reverse-compute-at", block: "R", loop: "P.i" })).toBe(
    refusedOn(residual, "reverse-compute-at.not-ready: R reads Q, which is not complete before P.i", ["P.i", "Q"]),
  );
  scheduled(residual, { kind: "reverse-compute-at", block: "R", loop: "Q.i" });
});

test("two operands that are computed under the loop", () => {
  const at = { kind: "reverse-compute-at", block: "R", loop: "Q.i" } as const;
  expect(refusal(residual, at, { kind: "reverse-compute-at", block: "S", loop: "Q.i" })).toMatchInlineSnapshot(`
    "reverse-compute-at.several-producers: S reads Q and R, which are all computed under Q.i
       for P.i in 0..7
         block P (i = P.i in 0..7)
           P[i] = X[i] * 2.0
     ▶ for Q.i in 0..7
         block Q (i = Q.i in 0..7)
           Q[i] = X[i] * 3.0
         for R.i in 0..1
           block R (i = Q.i + R.i in 0..7)
             R[i] = P[i] + Q[i]
       for S.i in 0..7
         block S (i = S.i in 0..7)
           S[i] = R[i] + Q[i]"
  `);
});
