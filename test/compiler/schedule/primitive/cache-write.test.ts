import { expect, test } from "vitest";
import { blur, buffersAfter, gemm, productByRow, refusal, refusedOn, scheduled, twoGemms } from "../nests.ts";

const tiles = [
  { kind: "split", loop: "C.i", factors: [3, 2], tail: "perfect" },
  { kind: "split", loop: "C.j", factors: [0, 4], tail: "mask" },
  { kind: "reorder", loops: ["C.i.0", "C.j.0", "C.k", "C.i.1", "C.j.1"] },
] as const;

test("a register tile", () => {
  const cache = { kind: "cache-write", block: "C", loop: "C.j.0", scope: "register" } as const;
  expect(scheduled(gemm(), ...tiles, { kind: "vectorize", loop: "C.j.1" }, cache)).toMatchInlineSnapshot(`
    "for C.i.0 in 0..3
      for C.j.0 in 0..2 mask
        for C.i.1.init in 0..2
          for C.j.1.init in 0..4 vectorized mask
            block C.init (i = C.i.0 * 2 + C.i.1.init in 0..6, j = C.j.0 * 4 + C.j.1.init in 0..7)
              C.acc[C.i.1.init, C.j.1.init] = 0.0
        for C.k in 0..5
          for C.i.1 in 0..2
            for C.j.1 in 0..4 vectorized mask
              block C (i = C.i.0 * 2 + C.i.1 in 0..6, j = C.j.0 * 4 + C.j.1 in 0..7, reduce k = C.k in 0..5)
                C.acc[C.i.1, C.j.1] += A[i, k] * B[k, j]
        for C.i.1.store in 0..2
          for C.j.1.store in 0..4 vectorized mask
            block C.store (i = C.i.0 * 2 + C.i.1.store in 0..6, j = C.j.0 * 4 + C.j.1.store in 0..7)
              C[i, j] = C.acc[C.i.1.store, C.j.1.store]"
  `);
  expect(buffersAfter(gemm(), ...tiles, cache).at(-1)).toBe("register C.acc f32[2, 4]");
});

test("a reduce loop outside: the accumulators go on from the element", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
      { kind: "reorder", loops: ["C.k.0", "C.i", "C.j", "C.k.1"] },
      { kind: "cache-write", block: "C", loop: "C.j", scope: "workspace" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.k.0 in 0..3 cut
      for C.i in 0..6
        for C.j in 0..7
          block C.init (i = C.i in 0..6, j = C.j in 0..7)
            C.acc[0, 0] = select(C.k.0 == 0, 0.0, C[i, j])
          for C.k.1 in 0..2 cut
            block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
              C.acc[0, 0] += A[i, k] * B[k, j]
          block C.store (i = C.i in 0..6, j = C.j in 0..7)
            C[i, j] = C.acc[0, 0]"
  `);
});

test("at a reduce loop", () => {
  expect(scheduled(gemm(), { kind: "cache-write", block: "C", loop: "C.k", scope: "register" })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k in 0..5
          block C.init (i = C.i in 0..6, j = C.j in 0..7)
            C.acc[0, 0] = select(C.k == 0, 0.0, C[i, j])
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C.acc[0, 0] += A[i, k] * B[k, j]
          block C.store (i = C.i in 0..6, j = C.j in 0..7)
            C[i, j] = C.acc[0, 0]"
  `);
});

test("no such block", () => {
  expect(refusal(gemm(), { kind: "cache-write", block: "D", loop: "C.i", scope: "register" })).toBe(
    refusedOn(gemm(), "cache-write.no-such-block: there is no block D", [], "blocks are named after their stages"),
  );
});

test("a loop of another nest", () => {
  expect(refusal(twoGemms, { kind: "cache-write", block: "C", loop: "D.i", scope: "register" })).toBe(
    refusedOn(
      twoGemms,
      "cache-write.no-such-loop: there is no loop D.i",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test.each(["input", "output"] as const)("a cache cannot be an %s", (scope) => {
  expect(
    refusal(gemm(), { kind: "cache-write", block: "C", loop: "C.i", scope }),
  ).toBe(`cache-write.parameter: a cache cannot be a parameter
 ▶ for C.i in 0..6
     for C.j in 0..7
       for C.k in 0..5
         block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
           C[i, j] = 0.0 first
           C[i, j] += A[i, k] * B[k, j]`);
});

test("twice", () => {
  const cache = { kind: "cache-write", block: "C", loop: "C.j", scope: "register" } as const;
  expect(refusal(gemm(), cache, cache)).toMatchInlineSnapshot(`
    "cache-write.twice: C has its accumulators already
       for C.i in 0..6
     ▶   for C.j in 0..7
           block C.init (i = C.i in 0..6, j = C.j in 0..7)
             C.acc[0, 0] = 0.0
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C.acc[0, 0] += A[i, k] * B[k, j]
           block C.store (i = C.i in 0..6, j = C.j in 0..7)
             C[i, j] = C.acc[0, 0]"
  `);
});

test("no reduction", () => {
  expect(refusal(blur, { kind: "cache-write", block: "Q", loop: "Q.i", scope: "register" })).toBe(
    refusedOn(blur, "cache-write.no-init: Q is no reduction that initialises its elements", ["Q.i"]),
  );
});

test("another block under the loop", () => {
  expect(refusal(productByRow, { kind: "cache-write", block: "D", loop: "D.i", scope: "register" })).toBe(
    refusedOn(productByRow, "cache-write.several-blocks: D.i holds other blocks than D", ["D.i"]),
  );
});

const fused = [
  { kind: "split", loop: "C.j", factors: [0, 4], tail: "cut" },
  { kind: "fuse", outer: "C.i", inner: "C.j.0" },
] as const;

test("fused loops", () => {
  const cache = { kind: "cache-write", block: "C", loop: "C.i+C.j.0", scope: "register" } as const;
  expect(scheduled(gemm(), ...fused, cache)).toMatchInlineSnapshot(`
    "for C.i+C.j.0 in 0..12
      for C.j.1.init in 0..4 cut
        block C.init (i = C.i+C.j.0 // 2 in 0..6, j = C.i+C.j.0 % 2 * 4 + C.j.1.init in 0..7)
          C.acc[0, C.j.1.init] = 0.0
      for C.j.1 in 0..4 cut
        for C.k in 0..5
          block C (i = C.i+C.j.0 // 2 in 0..6, j = C.i+C.j.0 % 2 * 4 + C.j.1 in 0..7, reduce k = C.k in 0..5)
            C.acc[0, C.j.1] += A[i, k] * B[k, j]
      for C.j.1.store in 0..4 cut
        block C.store (i = C.i+C.j.0 // 2 in 0..6, j = C.i+C.j.0 % 2 * 4 + C.j.1.store in 0..7)
          C[i, j] = C.acc[0, C.j.1.store]"
  `);
});

test("loops that cut across those that were fused", () => {
  expect(
    refusal(
      gemm(),
      ...fused,
      { kind: "split", loop: "C.i+C.j.0", factors: [0, 3], tail: "cut" },
      { kind: "cache-write", block: "C", loop: "C.i+C.j.0.0", scope: "register" },
    ),
  ).toMatchInlineSnapshot(`
    "cache-write.not-affine: C is not written at affine indices under C.i+C.j.0.0
     ▶ for C.i+C.j.0.0 in 0..4 cut
         for C.i+C.j.0.1 in 0..3 cut
           for C.j.1 in 0..4 cut
             for C.k in 0..5
               block C (i = (C.i+C.j.0.0 * 3 + C.i+C.j.0.1) // 2 in 0..6, j = (C.i+C.j.0.0 * 3 + C.i+C.j.0.1) % 2 * 4 + C.j.1 in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("sums that are kept in a wider type", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "set-dtype", buffer: "C", dtype: "f64" },
      { kind: "cache-write", block: "C", loop: "C.i", scope: "register" },
    ),
  ).toMatchInlineSnapshot(`
    "cache-write.converted: C keeps its elements in another type than it computes in
     ▶ for C.i in 0..5
         for C.j in 0..4
           for C.k in 0..3
             block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
               C[i, j] = f64(0.0) first
               C[i, j] = f64(f32(C[i, j]) + A[i, k] * B[k, j])
       for D.i in 0..5
         for D.l in 0..6
           for D.n in 0..4
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += f32(C[i, n]) * E[n, l]"
  `);
});
