import { expect, test } from "vitest";
import softmaxOp from "../../../../fixtures/ops/softmax.op.ts";
import { authoring, fromCompute, instantiate, type LoopFunc } from "../../../../src/compiler/index.ts";
import { blur, buffersAfter, gemm, refusal, refusedOn, scheduled } from "../nests.ts";

const { compute, defineOp, reduceAxis, sum, tensor } = authoring;

const softmax: LoopFunc = fromCompute(instantiate(softmaxOp, { M: 2, N: 5 }, "softmax"));
const share = { kind: "share-element", block: "Y.sum" } as const;

test("the exponentials of softmax, for their sum and for the quotients", () => {
  expect(scheduled(softmax, share)).toMatchInlineSnapshot(`
    "for Y.max.i in 0..2
      for Y.max.k in 0..5
        block Y.max (i = Y.max.i in 0..2, reduce k = Y.max.k in 0..5)
          Y.max[i] = -inf first
          Y.max[i] max= X[i, k]
    for Y.sum.element.i in 0..2
      for Y.sum.element.k in 0..5
        block Y.sum.element (i = Y.sum.element.i in 0..2, k = Y.sum.element.k in 0..5)
          Y.sum.element[i, k] = exp(X[i, k] - Y.max[i])
    for Y.sum.i in 0..2
      for Y.sum.k in 0..5
        block Y.sum (i = Y.sum.i in 0..2, reduce k = Y.sum.k in 0..5)
          Y.sum[i] = 0.0 first
          Y.sum[i] += Y.sum.element[i, k]
    for Y.i in 0..2
      for Y.j in 0..5
        block Y (i = Y.i in 0..2, j = Y.j in 0..5)
          Y[i, j] = Y.sum.element[i, j] / Y.sum[i]"
  `);
  expect(buffersAfter(softmax, share).at(-1)).toBe("workspace Y.sum.element f32[2, 5]");
});

test("placed under the loop over the rows, the maximum in front of it", () => {
  expect(
    scheduled(
      softmax,
      { kind: "compute-at", block: "Y.sum", loop: "Y.i" },
      share,
      { kind: "compute-at", block: "Y.sum.element", loop: "Y.i" },
      { kind: "compute-at", block: "Y.max", loop: "Y.i" },
    ),
  ).toMatchInlineSnapshot(`
    "for Y.i in 0..2
      for Y.max.i in 0..1
        for Y.max.k in 0..5
          block Y.max (i = Y.i + Y.max.i in 0..2, reduce k = Y.max.k in 0..5)
            Y.max[Y.max.i] = -inf first
            Y.max[Y.max.i] max= X[i, k]
      {
        for Y.sum.element.i in 0..1
          for Y.sum.element.k in 0..5
            block Y.sum.element (i = Y.i + Y.sum.element.i in 0..2, k = Y.sum.element.k in 0..5)
              Y.sum.element[Y.sum.element.i, Y.sum.element.k] = exp(X[i, k] - Y.max[Y.sum.element.i])
        {
          for Y.sum.i in 0..1
            for Y.sum.k in 0..5
              block Y.sum (i = Y.i + Y.sum.i in 0..2, reduce k = Y.sum.k in 0..5)
                Y.sum[Y.sum.i] = 0.0 first
                Y.sum[Y.sum.i] += Y.sum.element[Y.sum.i, Y.sum.k]
          for Y.j in 0..5
            block Y (i = Y.i in 0..2, j = Y.j in 0..5)
              Y[i, j] = Y.sum.element[0, Y.j] / Y.sum[0]
        }
      }"
  `);
});

test("nobody else computes the same: the products of a matrix product", () => {
  expect(scheduled(gemm(2, 3, 4), { kind: "share-element", block: "C" })).toMatchInlineSnapshot(`
    "for C.element.i in 0..2
      for C.element.j in 0..3
        for C.element.k in 0..4
          block C.element (i = C.element.i in 0..2, j = C.element.j in 0..3, k = C.element.k in 0..4)
            C.element[i, j, k] = A[i, k] * B[k, j]
    for C.i in 0..2
      for C.j in 0..3
        for C.k in 0..4
          block C (i = C.i in 0..2, j = C.j in 0..3, reduce k = C.k in 0..4)
            C[i, j] = 0.0 first
            C[i, j] += C.element[i, j, k]"
  `);
});

test("no such block", () => {
  expect(refusal(blur, { kind: "share-element", block: "R" })).toBe(
    refusedOn(blur, "share-element.no-such-block: there is no block R", [], "blocks are named after their stages"),
  );
});

test("a map", () => {
  expect(refusal(blur, { kind: "share-element", block: "P" })).toBe(
    refusedOn(blur, "share-element.no-reduction: P is no reduction, it takes nothing in"),
  );
});

test("elements that are read as they are", () => {
  expect(refusal(softmax, { kind: "share-element", block: "Y.max" })).toMatchInlineSnapshot(`
    "share-element.plain: Y.max takes in what is in memory already
       for Y.max.i in 0..2
         for Y.max.k in 0..5
           block Y.max (i = Y.max.i in 0..2, reduce k = Y.max.k in 0..5)
             Y.max[i] = -inf first
             Y.max[i] max= X[i, k]
       for Y.sum.i in 0..2
         for Y.sum.k in 0..5
           block Y.sum (i = Y.sum.i in 0..2, reduce k = Y.sum.k in 0..5)
             Y.sum[i] = 0.0 first
             Y.sum[i] += exp(X[i, k] - Y.max[i])
       for Y.i in 0..2
         for Y.j in 0..5
           block Y (i = Y.i in 0..2, j = Y.j in 0..5)
             Y[i, j] = exp(X[i, j] - Y.max[i]) / Y.sum[i]"
  `);
});

test("twice", () => {
  const products = { kind: "share-element", block: "C" } as const;
  expect(refusal(gemm(2, 3, 4), products, products)).toMatchInlineSnapshot(`
    "share-element.plain: C takes in what is in memory already
       for C.element.i in 0..2
         for C.element.j in 0..3
           for C.element.k in 0..4
             block C.element (i = C.element.i in 0..2, j = C.element.j in 0..3, k = C.element.k in 0..4)
               C.element[i, j, k] = A[i, k] * B[k, j]
       for C.i in 0..2
         for C.j in 0..3
           for C.k in 0..4
             block C (i = C.i in 0..2, j = C.j in 0..3, reduce k = C.k in 0..4)
               C[i, j] = 0.0 first
               C[i, j] += C.element[i, j, k]"
  `);
});

test("twice, and stored as another type in between", () => {
  const products = { kind: "share-element", block: "C" } as const;
  const widened = { kind: "set-dtype", buffer: "C.element", dtype: "f64" } as const;
  expect(refusal(gemm(2, 3, 4), products, widened, products)).toMatch(
    /^share-element\.plain: C takes in what is in memory already/,
  );
});

test("the maximum is computed a row at a time", () => {
  expect(
    refusal(
      softmax,
      { kind: "compute-at", block: "Y.sum", loop: "Y.i" },
      { kind: "compute-at", block: "Y.max", loop: "Y.i" },
      share,
    ),
  ).toMatchInlineSnapshot(`
    "share-element.scheduled: Y.sum has been scheduled already
       for Y.i in 0..2
         for Y.max.i in 0..1
           for Y.max.k in 0..5
             block Y.max (i = Y.i + Y.max.i in 0..2, reduce k = Y.max.k in 0..5)
               Y.max[Y.max.i] = -inf first
               Y.max[Y.max.i] max= X[i, k]
         {
           for Y.sum.i in 0..1
             for Y.sum.k in 0..5
               block Y.sum (i = Y.i + Y.sum.i in 0..2, reduce k = Y.sum.k in 0..5)
                 Y.sum[Y.sum.i] = 0.0 first
                 Y.sum[Y.sum.i] += exp(X[i, k] - Y.max[Y.sum.i])
           for Y.j in 0..5
             block Y (i = Y.i in 0..2, j = Y.j in 0..5)
               Y[i, j] = exp(X[i, j] - Y.max[0]) / Y.sum[0]
         }"
  `);
});

/** P = 2·X and the sums of squares of its rows, both results. */
const squares: LoopFunc = fromCompute(
  instantiate(
    defineOp({ M: 2, N: 5 }, ({ M, N }) => {
      const X = tensor("X", [M, N], "f32");
      const k = reduceAxis("k", N);
      const P = compute("P", [M, N], (i, j) => X(i, j).mul(2));
      const S = compute("S", [M], (i) => sum(P(i, k).mul(P(i, k)), k));
      return { P, S };
    }),
    {},
    "squares",
  ),
);

test("a consumer that stands where its producer is computed", () => {
  const under = { kind: "reverse-compute-at", block: "S", loop: "P.i" } as const;
  expect(refusal(squares, under, { kind: "share-element", block: "S" })).toMatchInlineSnapshot(`
    "share-element.late-operand: P is not complete before S and what shares its elements
       for P.i in 0..2
         for P.j in 0..5
           block P (i = P.i in 0..2, j = P.j in 0..5)
             P[i, j] = X[i, j] * 2.0
         for S.i in 0..1
           for S.k in 0..5
             block S (i = P.i + S.i in 0..2, reduce k = S.k in 0..5)
               S[i] = 0.0 first
               S[i] += P[i, k] * P[i, k]"
  `);
});
