import { expect, test } from "vitest";
import { authoring, instantiate, type Trace } from "../../../../src/compiler/index.ts";
import { fromCompute } from "../../../../src/compiler/ir/from-compute.ts";
import {
  blur,
  buffersAfter,
  gemm,
  productByRow,
  refusal,
  refusedOn,
  scattered,
  scheduled,
  twoGemms,
  windows,
} from "../nests.ts";

const atQ = { kind: "compute-at", block: "P", loop: "Q.i" } as const;
const atRow = { kind: "compute-at", block: "P", loop: "Q.y" } as const;
const hoist = (buffer: string, loop: string | null, reuse: "none" | "slide" | "fold" = "none") =>
  ({ kind: "hoist-storage", buffer, loop, reuse }) as const;

const splitQ = { kind: "split", loop: "Q.i", factors: [0, 4], tail: "cut" } as const;
const atTile: Trace = [splitQ, { kind: "compute-at", block: "P", loop: "Q.i.1" }];

test("to the root, computed as before", () => {
  expect(scheduled(blur, atQ, hoist("P", null))).toMatchInlineSnapshot(`
    "for Q.i in 0..9
      for P.i in 0..2
        block P (i = Q.i + P.i in 0..10)
          P[P.i + Q.i] = X[i] * 2.0
      block Q (i = Q.i in 0..9)
        Q[i] = P[Q.i] + P[Q.i + 1]"
  `);
  expect(buffersAfter(blur, atQ, hoist("P", null)).at(-1)).toBe("workspace P f32[10]");
});

test("to a tile", () => {
  expect(scheduled(blur, ...atTile, hoist("P", "Q.i.0"))).toMatchInlineSnapshot(`
    "for Q.i.0 in 0..3 cut
      for Q.i.1 in 0..4 cut
        for P.i in 0..2
          block P (i = Q.i.0 * 4 + Q.i.1 + P.i in 0..10)
            P[P.i + Q.i.1] = X[i] * 2.0
        block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
          Q[i] = P[Q.i.1] + P[Q.i.1 + 1]"
  `);
  expect(buffersAfter(blur, ...atTile, hoist("P", "Q.i.0")).at(-1)).toBe("workspace P f32[5]");
});

test("the window slides: each element is computed once", () => {
  expect(scheduled(blur, atQ, hoist("P", null, "slide"))).toMatchInlineSnapshot(`
    "{
      for P.first.i in 0..1
        block P.first (i = P.first.i in 0..10)
          P[P.first.i] = X[i] * 2.0
      for Q.i in 0..9
        for P.i in 0..1
          block P (i = P.i + Q.i + 1 in 0..10)
            P[P.i + Q.i + 1] = X[i] * 2.0
        block Q (i = Q.i in 0..9)
          Q[i] = P[Q.i] + P[Q.i + 1]
    }"
  `);
  expect(buffersAfter(blur, atQ, hoist("P", null, "slide")).at(-1)).toBe("workspace P f32[10]");
});

test("the window slides within a tile", () => {
  expect(scheduled(blur, ...atTile, hoist("P", "Q.i.0", "slide"))).toMatchInlineSnapshot(`
    "for Q.i.0 in 0..3 cut
      for P.first.i in 0..1
        block P.first (i = Q.i.0 * 4 + P.first.i in 0..10)
          P[P.first.i] = X[i] * 2.0
      for Q.i.1 in 0..4 cut
        for P.i in 0..1
          block P (i = Q.i.0 * 4 + P.i + Q.i.1 + 1 in 0..10)
            P[P.i + Q.i.1 + 1] = X[i] * 2.0
        block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
          Q[i] = P[Q.i.1] + P[Q.i.1 + 1]"
  `);
});

test("rows of what a convolution reads, two new ones in each iteration, in a ring of three", () => {
  expect(scheduled(windows, atRow, hoist("P", null, "fold"))).toMatchInlineSnapshot(`
    "{
      for P.first.y in 0..1
        for P.first.x in 0..8
          block P.first (y = P.first.y in 0..11, x = P.first.x in 0..8)
            P[P.first.y % 3, P.first.x] = X[y, x] * 2.0
      for Q.y in 0..5
        for P.y in 0..2
          for P.x in 0..8
            block P (y = Q.y * 2 + P.y + 1 in 0..11, x = P.x in 0..8)
              P[(Q.y * 2 + P.y + 1) % 3, P.x] = X[y, x] * 2.0
        for Q.x in 0..7
          for Q.r in 0..3
            for Q.s in 0..2
              block Q (y = Q.y in 0..5, x = Q.x in 0..7, reduce r = Q.r in 0..3, reduce s = Q.s in 0..2)
                Q[y, x] = 0.0 first
                Q[y, x] += P[(Q.y * 2 + Q.r) % 3, Q.s + Q.x]
    }"
  `);
  expect(buffersAfter(windows, atRow, hoist("P", null, "fold")).at(-1)).toBe("workspace P f32[3, 8]");
});

test("a stride that leaves elements out", () => {
  const { compute, defineOp, tensor } = authoring;
  const strided = fromCompute(
    instantiate(
      defineOp({}, () => {
        const X = tensor("X", [13], "f32");
        const P = compute("P", [13], (i) => X(i).mul(2));
        return compute("Q", [5], (i) => P(i.mul(2)).add(P(i.mul(2).add(2))));
      }),
      {},
      "strided",
    ),
  );
  expect(scheduled(strided, atQ, hoist("P", null, "slide"))).toMatchInlineSnapshot(`
    "{
      for P.first.i in 0..1
        block P.first (i = P.first.i * 2 in 0..13)
          P[P.first.i] = X[i] * 2.0
      for Q.i in 0..5
        for P.i in 0..1
          block P (i = P.i * 2 + Q.i * 2 + 2 in 0..13)
            P[P.i + Q.i + 1] = X[i] * 2.0
        block Q (i = Q.i in 0..5)
          Q[i] = P[Q.i] + P[Q.i + 1]
    }"
  `);
  expect(buffersAfter(strided, atQ, hoist("P", null, "slide")).at(-1)).toBe("workspace P f32[6]");
});

test("a reduction, for all rows of its consumer", () => {
  const at = { kind: "compute-at", block: "C", loop: "D.i" } as const;
  expect(scheduled(twoGemms, at, hoist("C", null))).toMatchInlineSnapshot(`
    "for D.i in 0..5
      for C.i in 0..1
        for C.j in 0..4
          for C.k in 0..3
            block C (i = D.i + C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
              C[C.i + D.i, C.j] = 0.0 first
              C[C.i + D.i, C.j] += A[i, k] * B[k, j]
      for D.l in 0..6
        for D.n in 0..4
          block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
            D[i, l] = 0.0 first
            D[i, l] += C[D.i, D.n] * E[n, l]"
  `);
  expect(buffersAfter(twoGemms, at, hoist("C", null)).at(-1)).toBe("workspace C f32[5, 4]");
});

test("accumulators", () => {
  const cache = { kind: "cache-write", block: "C", loop: "C.i", scope: "workspace" } as const;
  expect(buffersAfter(gemm(), cache).at(-1)).toBe("workspace C.acc f32[1, 7]");
  expect(buffersAfter(gemm(), cache, hoist("C.acc", null)).at(-1)).toBe("workspace C.acc f32[6, 7]");
});

test("no such buffer", () => {
  expect(refusal(blur, hoist("Z", null))).toBe(refusedOn(blur, "hoist-storage.no-such-buffer: there is no buffer Z"));
});

test("no such loop", () => {
  expect(refusal(blur, atQ, hoist("P", "Q.x"))).toMatchInlineSnapshot(`
    "hoist-storage.no-such-loop: there is no loop Q.x
       for Q.i in 0..9
         for P.i in 0..2
           block P (i = Q.i + P.i in 0..10)
             P[P.i] = X[i] * 2.0
         block Q (i = Q.i in 0..9)
           Q[i] = P[0] + P[1]
      hint: loops are named stage.axis, and loop.0, loop.1, … after a split"
  `);
});

test("a parameter", () => {
  expect(refusal(blur, hoist("Q", null))).toBe(refusedOn(blur, "hoist-storage.parameter: Q is the caller's memory"));
});

test("used outside of the loop", () => {
  expect(refusal(blur, hoist("P", "Q.i"))).toBe(
    refusedOn(blur, "hoist-storage.outside: P uses P outside Q.i", ["Q.i"]),
  );
});

test("nothing to hoist", () => {
  expect(refusal(blur, hoist("P", null))).toBe(
    refusedOn(blur, "hoist-storage.there: P covers all that the body of the kernel reads of it already"),
  );
  expect(refusal(blur, atQ, hoist("P", "Q.i"))).toMatchInlineSnapshot(`
    "hoist-storage.there: P covers all that the body of Q.i reads of it already
     ▶ for Q.i in 0..9
         for P.i in 0..2
           block P (i = Q.i + P.i in 0..10)
             P[P.i] = X[i] * 2.0
         block Q (i = Q.i in 0..9)
           Q[i] = P[0] + P[1]"
  `);
});

test("a producer in pieces", () => {
  const pieces = { kind: "loop-partition", loop: "Q.i", at: [4] } as const;
  expect(refusal(blur, atQ, pieces, hoist("P", null))).toMatchInlineSnapshot(`
    "hoist-storage.not-affine: where P begins in its stage is no affine function of the loops
       {
         for Q.i@0 in 0..4
           for P.i@0 in 0..2
             block P@0 (i = Q.i@0 + P.i@0 in 0..10)
               P[P.i@0] = X[i] * 2.0
           block Q@0 (i = Q.i@0 in 0..9)
             Q[i] = P[0] + P[1]
         for Q.i@1 in 0..5
           for P.i@1 in 0..2
             block P@1 (i = Q.i@1 + 4 + P.i@1 in 0..10)
               P[P.i@1] = X[i] * 2.0
           block Q@1 (i = Q.i@1 + 4 in 0..9)
             Q[i] = P[0] + P[1]
       }"
  `);
});

test("a window in storage that does not outlive it", () => {
  expect(refusal(blur, ...atTile, hoist("P", "Q.i.0", "slide"), hoist("P", null, "slide"))).toMatchInlineSnapshot(`
    "hoist-storage.no-window: P.first has been scheduled already
       for Q.i.0 in 0..3 cut
         for P.first.i in 0..1
           block P.first (i = Q.i.0 * 4 + P.first.i in 0..10)
             P[P.first.i] = X[i] * 2.0
         for Q.i.1 in 0..4 cut
           for P.i in 0..1
             block P (i = Q.i.0 * 4 + P.i + Q.i.1 + 1 in 0..10)
               P[P.i + Q.i.1 + 1] = X[i] * 2.0
           block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
             Q[i] = P[Q.i.1] + P[Q.i.1 + 1]
      hint: slide first, tile then"
  `);
});

test("a producer that is tiled", () => {
  const tile = { kind: "split", loop: "P.i", factors: [0, 5], tail: "perfect" } as const;
  expect(refusal(blur, splitQ, { ...atQ, loop: "Q.i.0" }, tile, hoist("P", null, "slide"))).toMatchInlineSnapshot(`
    "hoist-storage.no-window: P has been scheduled already
       for Q.i.0 in 0..3 cut
         for P.i.0 in 0..1
           for P.i.1 in 0..5
             block P (i = Q.i.0 * 4 + (P.i.0 * 5 + P.i.1) in 0..10)
               P[P.i.0 * 5 + P.i.1] = X[i] * 2.0
         for Q.i.1 in 0..4 cut
           block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
             Q[i] = P[Q.i.1] + P[Q.i.1 + 1]
      hint: slide first, tile then"
  `);
});

test("iterations that share nothing", () => {
  const message = "hoist-storage.no-window: iterations of D.i have no elements of C in common";
  expect(refusal(productByRow, hoist("C", null, "slide"))).toBe(refusedOn(productByRow, message, ["D.i"]));
  expect(refusal(scattered, hoist("P", null, "slide"))).toContain("hoist-storage.there: ");
});

test("iterations of threads", () => {
  const bound = { kind: "bind", loop: "Q.i", axis: "threadIdx.x" } as const;
  for (const reuse of ["slide", "fold"] as const) {
    expect(refusal(blur, atQ, bound, hoist("P", null, reuse))).toContain(
      "hoist-storage.no-window: Q.i is bound to threadIdx.x",
    );
    expect(refusal(blur, atQ, hoist("P", null, reuse), bound)).toContain("bind.carried: ");
  }
});

test("iterations in parallel", () => {
  const parallel = { kind: "parallel", loop: "Q.i" } as const;
  expect(refusal(blur, atQ, parallel, hoist("P", null, "slide"))).toMatchInlineSnapshot(`
    "hoist-storage.no-window: Q.i is parallel
     ▶ for Q.i in 0..9 parallel
         for P.i in 0..2
           block P (i = Q.i + P.i in 0..10)
             P[P.i] = X[i] * 2.0
         block Q (i = Q.i in 0..9)
           Q[i] = P[0] + P[1]"
  `);
  expect(refusal(blur, atQ, hoist("P", null, "slide"), parallel)).toMatchInlineSnapshot(`
    "parallel.carried: iterations of Q.i may read what earlier ones have left in P
       {
         for P.first.i in 0..1
           block P.first (i = P.first.i in 0..10)
             P[P.first.i] = X[i] * 2.0
     ▶   for Q.i in 0..9
           for P.i in 0..1
             block P (i = P.i + Q.i + 1 in 0..10)
               P[P.i + Q.i + 1] = X[i] * 2.0
           block Q (i = Q.i in 0..9)
             Q[i] = P[Q.i] + P[Q.i + 1]
       }
      hint: parallel a loop outside of the storage of P, or one inside"
  `);
  const bind = { kind: "bind", loop: "Q.i", axis: "threadIdx.x" } as const;
  expect(refusal(blur, atQ, hoist("P", null, "slide"), bind)).toContain(
    "bind.carried: iterations of Q.i may read what earlier ones have left in P\n",
  );
  expect(refusal(blur, atQ, hoist("P", null, "fold"), { kind: "vectorize", loop: "Q.i" })).toMatchInlineSnapshot(`
    "vectorize.carried: iterations of Q.i may read what earlier ones have left in P
       {
         for P.first.i in 0..1
           block P.first (i = P.first.i in 0..10)
             P[P.first.i % 2] = X[i] * 2.0
     ▶   for Q.i in 0..9
           for P.i in 0..1
             block P (i = P.i + Q.i + 1 in 0..10)
               P[(P.i + Q.i + 1) % 2] = X[i] * 2.0
           block Q (i = Q.i in 0..9)
             Q[i] = P[Q.i % 2] + P[(Q.i + 1) % 2]
       }
      hint: vectorize a loop outside of the storage of P, or one inside"
  `);
});

test("a producer of a producer under the same loop", () => {
  const { compute, defineOp, tensor } = authoring;
  const chain = fromCompute(
    instantiate(
      defineOp({}, () => {
        const X = tensor("X", [8], "f32");
        const R = compute("R", [8], (i) => X(i).add(1));
        const P = compute("P", [8], (i) => R(i).mul(2));
        return compute("Q", [7], (i) => P(i).add(P(i.add(1))));
      }),
      {},
      "chain",
    ),
  );
  const atR = { kind: "compute-at", block: "R", loop: "Q.i" } as const;
  expect(refusal(chain, atQ, atR, hoist("P", null, "slide"))).toMatchInlineSnapshot(`
    "hoist-storage.no-window: P reads R, which is computed under Q.i too
     ▶ for Q.i in 0..7
         for R.i in 0..2
           block R (i = Q.i + R.i in 0..8)
             R[R.i] = X[i] + 1.0
         {
           for P.i in 0..2
             block P (i = Q.i + P.i in 0..8)
               P[P.i] = R[P.i] * 2.0
           block Q (i = Q.i in 0..7)
             Q[i] = P[0] + P[1]
         }"
  `);
});
