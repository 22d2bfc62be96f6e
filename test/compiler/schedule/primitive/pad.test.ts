import { expect, test } from "vitest";
import { authoring, instantiate, type LoopFunc } from "../../../../src/compiler/index.ts";
import { fromCompute } from "../../../../src/compiler/ir/from-compute.ts";
import { blur, buffersAfter, gemm, padded, refusal, refusedOn, scattered, scheduled, twoGemms } from "../nests.ts";

const { compute, defineOp, max, reduceAxis, sum, tensor } = authoring;

const pad = (block: string, ...multiples: readonly number[]) => ({ kind: "pad", block, multiples }) as const;

test("all axes of a product: operands filled with 0, the result copied out", () => {
  expect(scheduled(gemm(), pad("C", 4, 4, 4))).toMatchInlineSnapshot(`
    "{
      for A.pad.0 in 0..8
        for A.pad.1 in 0..8
          block A.pad (p0 = A.pad.0 in 0..8, p1 = A.pad.1 in 0..8)
            A.pad[p0, p1] = select(p0 < 6 && p1 < 5, A[p0, p1], 0.0)
      for B.pad.0 in 0..8
        for B.pad.1 in 0..8
          block B.pad (p0 = B.pad.0 in 0..8, p1 = B.pad.1 in 0..8)
            B.pad[p0, p1] = select(p0 < 5 && p1 < 7, B[p0, p1], 0.0)
      for C.i in 0..8
        for C.j in 0..8
          for C.k in 0..8
            block C (i = C.i in 0..8, j = C.j in 0..8, reduce k = C.k in 0..8)
              C.pad[i, j] = 0.0 first
              C.pad[i, j] += A.pad[i, k] * B.pad[k, j]
      for C.crop.0 in 0..6
        for C.crop.1 in 0..7
          block C.crop (p0 = C.crop.0 in 0..6, p1 = C.crop.1 in 0..7)
            C[p0, p1] = C.pad[p0, p1]
    }"
  `);
  expect(buffersAfter(gemm(), pad("C", 4, 4, 4)).slice(-3)).toEqual([
    "workspace A.pad f32[8, 8]",
    "workspace B.pad f32[8, 8]",
    "workspace C.pad f32[8, 8]",
  ]);
});

test("a reduction alone", () => {
  expect(scheduled(gemm(), pad("C", 1, 1, 4))).toMatchInlineSnapshot(`
    "{
      for A.pad.0 in 0..6
        for A.pad.1 in 0..8
          block A.pad (p0 = A.pad.0 in 0..6, p1 = A.pad.1 in 0..8)
            A.pad[p0, p1] = select(p1 < 5, A[p0, p1], 0.0)
      for B.pad.0 in 0..8
        for B.pad.1 in 0..7
          block B.pad (p0 = B.pad.0 in 0..8, p1 = B.pad.1 in 0..7)
            B.pad[p0, p1] = select(p0 < 5, B[p0, p1], 0.0)
      for C.i in 0..6
        for C.j in 0..7
          for C.k in 0..8
            block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..8)
              C[i, j] = 0.0 first
              C[i, j] += A.pad[i, k] * B.pad[k, j]
    }"
  `);
});

test("an intermediate result gets longer, nobody sees it", () => {
  expect(scheduled(twoGemms, pad("C", 4, 1, 1))).toMatchInlineSnapshot(`
    "{
      for A.pad.0 in 0..8
        for A.pad.1 in 0..3
          block A.pad (p0 = A.pad.0 in 0..8, p1 = A.pad.1 in 0..3)
            A.pad[p0, p1] = select(p0 < 5, A[p0, p1], 0.0)
      for C.i in 0..8
        for C.j in 0..4
          for C.k in 0..3
            block C (i = C.i in 0..8, j = C.j in 0..4, reduce k = C.k in 0..3)
              C[i, j] = 0.0 first
              C[i, j] += A.pad[i, k] * B[k, j]
    }
    for D.i in 0..5
      for D.l in 0..6
        for D.n in 0..4
          block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
            D[i, l] = 0.0 first
            D[i, l] += C[i, n] * E[n, l]"
  `);
  expect(buffersAfter(twoGemms, pad("C", 4, 1, 1)).slice(-2)).toEqual([
    "workspace C f32[8, 4]",
    "workspace A.pad f32[8, 3]",
  ]);
});

const rows = (
  reduceRow: (x: ReturnType<ReturnType<typeof tensor>>, k: ReturnType<typeof reduceAxis>) => ReturnType<typeof max>,
): LoopFunc =>
  fromCompute(
    instantiate(
      defineOp({}, () => {
        const X = tensor("X", [3, 5], "f32");
        const k = reduceAxis("k", 5);
        return compute("M", [3], (i) => reduceRow(X(i, k), k));
      }),
      {},
      "rows",
    ),
  );

test("a maximum is filled with the least value", () => {
  expect(
    scheduled(
      rows((x, k) => max(x, k)),
      pad("M", 1, 4),
    ),
  ).toMatchInlineSnapshot(`
    "{
      for X.pad.0 in 0..3
        for X.pad.1 in 0..8
          block X.pad (p0 = X.pad.0 in 0..3, p1 = X.pad.1 in 0..8)
            X.pad[p0, p1] = select(p1 < 5, X[p0, p1], -inf)
      for M.i in 0..3
        for M.k in 0..8
          block M (i = M.i in 0..3, reduce k = M.k in 0..8)
            M[i] = -inf first
            M[i] max= X.pad[i, k]
    }"
  `);
});

test("no such block", () => {
  expect(refusal(blur, pad("Z", 4))).toBe(
    refusedOn(blur, "pad.no-such-block: there is no block Z", [], "blocks are named after their stages"),
  );
});

test("a block that is scheduled", () => {
  const split = { kind: "split", loop: "Q.i", factors: [0, 4], tail: "cut" } as const;
  expect(refusal(blur, split, pad("Q", 4))).toMatchInlineSnapshot(`
    "pad.scheduled: Q has been scheduled already
       for P.i in 0..10
         block P (i = P.i in 0..10)
           P[i] = X[i] * 2.0
       for Q.i.0 in 0..3 cut
         for Q.i.1 in 0..4 cut
           block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
             Q[i] = P[i] + P[i + 1]
      hint: pad first, tile then"
  `);
});

test("not one multiple for each axis", () => {
  expect(refusal(blur, pad("Q", 4, 4))).toBe(
    refusedOn(blur, "pad.bad-multiples: [4, 4] are not 1 multiples, one for each axis"),
  );
});

test("multiples that divide", () => {
  expect(refusal(blur, pad("Q", 3))).toBe(refusedOn(blur, "pad.nothing: [3] divide all extents of Q"));
});

test("a factor that does not run along the axis", () => {
  const scaled = fromCompute(
    instantiate(
      defineOp({}, () => {
        const X = tensor("X", [3, 5], "f32");
        const w = tensor("w", [3], "f32");
        const k = reduceAxis("k", 5);
        return compute("S", [3], (i) => sum(X(i, k).mul(w(i)), k));
      }),
      {},
      "scaled",
    ),
  );
  expect(refusal(scaled, pad("S", 1, 4))).toMatchInlineSnapshot(`
    "pad.not-neutral: w is not read along k alone and to its end: there it may hold anything
       for S.i in 0..3
     ▶   for S.k in 0..5
           block S (i = S.i in 0..3, reduce k = S.k in 0..5)
             S[i] = 0.0 first
             S[i] += X[i, k] * w[i]"
  `);
});

test("a guarded window", () => {
  expect(refusal(padded, pad("y", 1, 4))).toBe(
    refusedOn(
      padded,
      "pad.not-neutral: y reduces neither an operand alone nor sums of products: nothing to fill it with is neutral",
      ["y.r"],
    ),
  );
});

test("an operand that goes on beyond the axis", () => {
  const half = fromCompute(
    instantiate(
      defineOp({}, () => {
        const X = tensor("X", [8], "f32");
        const k = reduceAxis("k", 5);
        return compute("S", [1], () => sum(X(k), k));
      }),
      {},
      "half",
    ),
  );
  expect(refusal(half, pad("S", 1, 4))).toMatchInlineSnapshot(`
    "pad.bad-multiples: [1, 4] are not 1 multiples, one for each axis
       for S.sum.k in 0..5
         block S.sum (reduce k = S.sum.k in 0..5)
           S.sum[] = 0.0 first
           S.sum[] += X[k]
       for S.i0 in 0..1
         block S (i0 = S.i0 in 0..1)
           S[i0] = S.sum[]"
  `);
});

test("an element for which nothing is neutral", () => {
  expect(
    refusal(
      rows((x, k) => sum(x.exp(), k)),
      pad("M", 1, 4),
    ),
  ).toMatchInlineSnapshot(`
    "pad.not-neutral: M reduces neither an operand alone nor sums of products: nothing to fill it with is neutral
       for M.i in 0..3
     ▶   for M.k in 0..5
           block M (i = M.i in 0..3, reduce k = M.k in 0..5)
             M[i] = 0.0 first
             M[i] += exp(X[i, k])"
  `);
});

test("twice", () => {
  const shared = fromCompute(
    instantiate(
      defineOp({}, () => {
        const X = tensor("X", [5], "f32");
        const P = compute("P", [5], (i) => X(i).mul(2));
        return { P, Q: compute("Q", [5], (i) => X(i).add(P(i))) };
      }),
      {},
      "shared",
    ),
  );
  expect(refusal(shared, pad("P", 4), pad("Q", 4))).toMatchInlineSnapshot(`
    "pad.twice: there is a buffer X.pad already
       {
         for X.pad.0 in 0..8
           block X.pad (p0 = X.pad.0 in 0..8)
             X.pad[p0] = select(p0 < 5, X[p0], 0.0)
         for P.i in 0..8
           block P (i = P.i in 0..8)
             P.pad[i] = X.pad[i] * 2.0
         for P.crop.0 in 0..5
           block P.crop (p0 = P.crop.0 in 0..5)
             P[p0] = P.pad[p0]
       }
       for Q.i in 0..5
         block Q (i = Q.i in 0..5)
           Q[i] = X[i] + P[i]"
  `);
});

test("what is read at a remainder stays inside", () => {
  expect(scheduled(scattered, pad("Q", 4))).toContain("block Q.crop");
});
