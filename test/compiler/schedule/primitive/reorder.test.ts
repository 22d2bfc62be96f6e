import { expect, test } from "vitest";
import { blur, gemm, refusal, refusedOn, scheduled, twoGemms } from "../nests.ts";

test("loops that are not neighbours", () => {
  expect(scheduled(gemm(), { kind: "reorder", loops: ["C.k", "C.i"] })).toMatchInlineSnapshot(`
    "for C.k in 0..5
      for C.j in 0..7
        for C.i in 0..6
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("the reduction outside", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
      { kind: "reorder", loops: ["C.k.0", "C.k.1", "C.i", "C.j"] },
    ),
  ).toMatchInlineSnapshot(`
    "for C.k.0 in 0..3 cut
      for C.k.1 in 0..2 cut
        for C.i in 0..6
          for C.j in 0..7
            block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("a single loop stays", () => {
  expect(scheduled(gemm(), { kind: "reorder", loops: ["C.j"] })).toBe(scheduled(gemm()));
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "reorder", loops: ["C.k", "C.x"] })).toBe(
    refusedOn(
      gemm(),
      "reorder.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test.each([[[]], [["C.i", "C.i"]]])("no list of different loops: %j", (loops) => {
  expect(refusal(gemm(), { kind: "reorder", loops })).toContain(
    "reorder.repeated: the loops to reorder are not a list of different loops\n",
  );
});

test("loops of two nests", () => {
  expect(refusal(twoGemms, { kind: "reorder", loops: ["D.i", "C.i"] })).toBe(
    refusedOn(
      twoGemms,
      "reorder.not-a-chain: D.i, C.i are not on one chain of loops",
      ["C.i", "D.i"],
      "reorder before compute-at, cache-read and cache-write put statements between the loops",
    ),
  );
});

test("a window that slides along the loops", () => {
  expect(
    refusal(
      blur,
      { kind: "compute-at", block: "P", loop: "Q.i" },
      { kind: "hoist-storage", buffer: "P", loop: null, reuse: "fold" },
      { kind: "split", loop: "Q.i", factors: [3, 3], tail: "perfect" },
      { kind: "reorder", loops: ["Q.i.1", "Q.i.0"] },
    ),
  ).toMatchInlineSnapshot(`
    "reorder.carried: iterations of Q.i.0 may read what earlier ones have left in P
       {
         for P.first.i in 0..1
           block P.first (i = P.first.i in 0..10)
             P[P.first.i % 2] = X[i] * 2.0
     ▶   for Q.i.0 in 0..3
           for Q.i.1 in 0..3
             for P.i in 0..1
               block P (i = P.i + (Q.i.0 * 3 + Q.i.1) + 1 in 0..10)
                 P[(P.i + (Q.i.0 * 3 + Q.i.1) + 1) % 2] = X[i] * 2.0
             block Q (i = Q.i.0 * 3 + Q.i.1 in 0..9)
               Q[i] = P[(Q.i.0 * 3 + Q.i.1) % 2] + P[(Q.i.0 * 3 + Q.i.1 + 1) % 2]
       }
      hint: reorder before hoist-storage lets windows slide"
  `);
});
