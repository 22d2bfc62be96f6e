// unroll, vectorize and parallel.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { interpret, printStmt, replay, targets } from "../../../../src/compiler/index.ts";
import { gemm, inputsOf, refusal, refusedOn, scheduled } from "../nests.ts";

test("all three", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "parallel", loop: "C.i" },
      { kind: "vectorize", loop: "C.j" },
      { kind: "unroll", loop: "C.k" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..6 parallel
      for C.j in 0..7 vectorized
        for C.k in 0..5 unrolled
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test.each(["unroll", "vectorize", "parallel"] as const)("%s: no such loop", (kind) => {
  expect(refusal(gemm(), { kind, loop: "C.x" })).toBe(`${kind}.no-such-loop: there is no loop C.x
   for C.i in 0..6
     for C.j in 0..7
       for C.k in 0..5
         block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
           C[i, j] = 0.0 first
           C[i, j] += A[i, k] * B[k, j]
  hint: loops are named stage.axis, and loop.0, loop.1, … after a split`);
});

test.each(["unroll", "vectorize", "parallel"] as const)("%s: marked already", (kind) => {
  expect(
    refusal(gemm(), { kind: "unroll", loop: "C.i" }, { kind, loop: "C.i" }),
  ).toBe(`${kind}.marked: C.i is already unrolled
 ▶ for C.i in 0..6 unrolled
     for C.j in 0..7
       for C.k in 0..5
         block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
           C[i, j] = 0.0 first
           C[i, j] += A[i, k] * B[k, j]`);
});

test("parallel: a reduction runs over the loop", () => {
  expect(
    refusal(gemm(), { kind: "parallel", loop: "C.k" }),
  ).toBe(`parallel.reduction: C.k drives the reduction of C, its iterations depend on each other
   for C.i in 0..6
     for C.j in 0..7
 ▶     for C.k in 0..5
         block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
           C[i, j] = 0.0 first
           C[i, j] += A[i, k] * B[k, j]
  hint: parallel a loop over an axis of the result`);
});

test("vectorize: a reduction runs over the loop, and over another inside", () => {
  expect(
    refusal(gemm(), { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" }, { kind: "vectorize", loop: "C.k.0" }),
  ).toBe(`vectorize.reduction: C.k.0 drives the reduction of C, its iterations depend on each other
   for C.i in 0..6
     for C.j in 0..7
 ▶     for C.k.0 in 0..3 cut
         for C.k.1 in 0..2 cut
           block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
             C[i, j] = 0.0 first
             C[i, j] += A[i, k] * B[k, j]
  hint: vectorize the innermost loop of a sum, a product, a minimum or a maximum, or a loop over an axis of the result`);
});

test("vectorize: the lanes of a sum are combined by halves", () => {
  const trace = [
    { kind: "decompose-reduction", block: "C", loop: "C.k" },
    { kind: "vectorize", loop: "C.k" },
  ] as const;
  const nest = gemm(2, 3, 8);
  const result = replay(nest, trace);
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  const flat = lower(result.nest, { target: targets.avx2, numerics: "fast" });
  expect(printStmt(flat.body)).toContain("fold.add(");
  expect(interpret(flat, inputsOf(nest))).toEqual(interpret(nest, inputsOf(nest)));
});

test("vectorize: more lanes than are possible", () => {
  expect(refusal(gemm(2, 300, 2), { kind: "vectorize", loop: "C.j" })).toMatchInlineSnapshot(`
    "vectorize.too-many-lanes: C.j has 300 iterations, at most 256 lanes are possible
       for C.i in 0..2
     ▶   for C.j in 0..300
           for C.k in 0..2
             block C (i = C.i in 0..2, j = C.j in 0..300, reduce k = C.k in 0..2)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
      hint: split it and vectorize the inner loop"
  `);
});

test("parallel: not outermost", () => {
  expect(refusal(gemm(), { kind: "parallel", loop: "C.j" })).toBe(
    refusedOn(gemm(), "parallel.not-outermost: C.j is inside C.i", ["C.j"]),
  );
});

test("parallel: loops of one iteration do not count", () => {
  expect(scheduled(gemm(1, 3, 2), { kind: "parallel", loop: null })).toMatchInlineSnapshot(`
    "for C.i in 0..1
      for C.j in 0..3 parallel
        for C.k in 0..2
          block C (i = C.i in 0..1, j = C.j in 0..3, reduce k = C.k in 0..2)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("parallel: all outermost loops that may be", () => {
  const trace = [
    { kind: "share-element", block: "C" },
    { kind: "parallel", loop: null },
  ] as const;
  expect(scheduled(gemm(), ...trace)).toMatchInlineSnapshot(`
    "for C.element.i in 0..6 parallel
      for C.element.j in 0..7
        for C.element.k in 0..5
          block C.element (i = C.element.i in 0..6, j = C.element.j in 0..7, k = C.element.k in 0..5)
            C.element[i, j, k] = A[i, k] * B[k, j]
    for C.i in 0..6 parallel
      for C.j in 0..7
        for C.k in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += C.element[i, j, k]"
  `);
});
