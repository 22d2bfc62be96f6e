// The tail "shift" of split, and what may not follow it.

import { expect, test } from "vitest";
import { epilogue, gemm, refusal, refusedOn, scheduled, twoGemms } from "../nests.ts";

const rows = { kind: "split", loop: "C.i", factors: [0, 4], tail: "shift" } as const;

test("the last tile is moved inwards", () => {
  expect(scheduled(gemm(), rows)).toMatchInlineSnapshot(`
    "for C.i.0 in 0..2
      for C.i.1 in 0..4
        for C.j in 0..7
          for C.k in 0..5
            block C (i = min(C.i.0 * 4, 2) + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("factors that divide need no move", () => {
  expect(scheduled(gemm(), { ...rows, factors: [0, 3] })).toContain("(i = C.i.0 * 3 + C.i.1 in 0..6,");
});

test("accumulators of a tile, and an epilogue on them", () => {
  expect(
    scheduled(
      epilogue,
      rows,
      { kind: "reorder", loops: ["C.i.0", "C.j", "C.k", "C.i.1"] },
      { kind: "unroll", loop: "C.i.1" },
      { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
      { kind: "reverse-inline", block: "D" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i.0 in 0..2
      for C.j in 0..5
        for C.i.1.init in 0..4 unrolled
          block C.init (i = min(C.i.0 * 4, 2) + C.i.1.init in 0..6, j = C.j in 0..5)
            C.acc[C.i.1.init, 0] = 0.0
        for C.k in 0..4
          for C.i.1 in 0..4 unrolled
            block C (i = min(C.i.0 * 4, 2) + C.i.1 in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
              C.acc[C.i.1, 0] += A[i, k] * B[k, j]
        for C.i.1.store in 0..4 unrolled
          block C.store (i = min(C.i.0 * 4, 2) + C.i.1.store in 0..6, j = C.j in 0..5)
            D[i, j] = max(C.acc[C.i.1.store, 0] + b[j], 0.0)"
  `);
});

test("a tile that is larger than the loop", () => {
  expect(refusal(gemm(), { ...rows, factors: [0, 8] })).toBe(
    refusedOn(gemm(), "split.no-room: a tile of 8 cannot be moved inside the 6 of C.i", ["C.i"]),
  );
});

test("a reduce loop", () => {
  expect(refusal(gemm(), { ...rows, loop: "C.k", factors: [0, 2] })).toBe(
    refusedOn(
      gemm(),
      "split.recomputes: C would be computed again for some of C.k, and adds up over C.k",
      ["C.k", "C"],
      'use tail: "cut" or "mask", or split before the reduce loops go outside',
    ),
  );
});

test("sums that an outer loop goes on with", () => {
  expect(refusal(gemm(), { kind: "reorder", loops: ["C.k", "C.i"] }, rows)).toMatchInlineSnapshot(`
    "split.recomputes: C would be computed again for some of C.i, and reads C as an earlier iteration may have left it
       for C.k in 0..5
         for C.j in 0..7
     ▶     for C.i in 0..6
     ▶       block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
      hint: use tail: "cut" or "mask", or split before the reduce loops go outside"
  `);
  expect(
    refusal(
      gemm(),
      { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
      { kind: "reorder", loops: ["C.k.0", "C.i"] },
      { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
      rows,
    ),
  ).toContain("split.recomputes: C would be computed again for some of C.i, and reads C.acc as");
});

test("the reduce loops stay inside", () => {
  expect(refusal(gemm(), rows, { kind: "reorder", loops: ["C.k", "C.i.0"] })).toMatchInlineSnapshot(`
    "reorder.recomputes: C.i.0 comes back to elements of C, whose sums would go on instead of starting anew
     ▶ for C.i.0 in 0..2
         for C.i.1 in 0..4
           for C.j in 0..7
             for C.k in 0..5
               block C (i = min(C.i.0 * 4, 2) + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
      hint: keep C.i.0 outside of the reduce loops"
  `);
  scheduled(gemm(), rows, { kind: "reorder", loops: ["C.k", "C.i.1"] });
});

test("so does the initialisation", () => {
  expect(refusal(gemm(), rows, { kind: "decompose-reduction", block: "C", loop: "C.i.0" })).toMatchInlineSnapshot(`
    "decompose-reduction.recomputes: C.i.0 comes back to elements of C, whose sums would go on instead of starting anew
     ▶ for C.i.0 in 0..2
         for C.i.1 in 0..4
           for C.j in 0..7
             for C.k in 0..5
               block C (i = min(C.i.0 * 4, 2) + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
      hint: choose a loop inside C.i.0"
  `);
  scheduled(gemm(), rows, { kind: "decompose-reduction", block: "C", loop: "C.i.1" });
});

test("and so do accumulators", () => {
  const trace = [{ kind: "split", loop: "C.j", factors: [0, 4], tail: "shift" }] as const;
  expect(
    refusal(gemm(), ...trace, { kind: "cache-write", block: "C", loop: "C.i", scope: "workspace" }),
  ).toMatchInlineSnapshot(`
    "cache-write.recomputes: C.j.0 comes back to elements of C, whose sums would go on
     ▶ for C.i in 0..6
         for C.j.0 in 0..2
           for C.j.1 in 0..4
             for C.k in 0..5
               block C (i = C.i in 0..6, j = min(C.j.0 * 4, 3) + C.j.1 in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]"
  `);
});

test.each(["parallel", "bind"] as const)("%s: two threads would sum up one element", (kind) => {
  const instruction =
    kind === "bind" ? ({ kind, loop: "C.i.0", axis: "blockIdx.x" } as const) : ({ kind, loop: "C.i.0" } as const);
  expect(
    refusal(gemm(), rows, instruction),
  ).toBe(`${kind}.recomputes: C.i.0 comes back to elements of C, which two threads would compute at a time
 ▶ for C.i.0 in 0..2
     for C.i.1 in 0..4
       for C.j in 0..7
         for C.k in 0..5
           block C (i = min(C.i.0 * 4, 2) + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
             C[i, j] = 0.0 first
             C[i, j] += A[i, k] * B[k, j]
  hint: split with tail: "cut" or "mask"`);
});

test("a sum over what comes twice", () => {
  const columns = { kind: "split", loop: "C.j", factors: [0, 3], tail: "shift" } as const;
  expect(refusal(twoGemms, columns, { kind: "reverse-compute-at", block: "D", loop: "C.j.0" })).toMatchInlineSnapshot(`
    "reverse-compute-at.summed-twice: D would add up some elements of C in several iterations
       for C.i in 0..5
     ▶   for C.j.0 in 0..2
           for C.j.1 in 0..3
             for C.k in 0..3
               block C (i = C.i in 0..5, j = min(C.j.0 * 3, 1) + C.j.1 in 0..4, reduce k = C.k in 0..3)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
       for D.i in 0..5
         for D.l in 0..6
           for D.n in 0..4
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += C[i, n] * E[n, l]"
  `);
  scheduled(twoGemms, { ...rows, factors: [0, 3] }, { kind: "reverse-compute-at", block: "D", loop: "C.i.0" });
});
