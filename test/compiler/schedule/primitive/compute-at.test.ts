import { expect, test } from "vitest";
import {
  blur,
  buffersAfter,
  productByRow,
  refusal,
  refusedOn,
  repeat,
  rowMajor,
  scattered,
  scheduled,
  twoGemms,
} from "../nests.ts";

const splitQ = { kind: "split", loop: "Q.i", factors: [0, 4], tail: "cut" } as const;

test("the region that a tile reads", () => {
  const at = { kind: "compute-at", block: "P", loop: "Q.i.0" } as const;
  expect(scheduled(blur, splitQ, at)).toMatchInlineSnapshot(`
    "for Q.i.0 in 0..3 cut
      for P.i in 0..5
        block P (i = Q.i.0 * 4 + P.i in 0..10)
          P[P.i] = X[i] * 2.0
      for Q.i.1 in 0..4 cut
        block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
          Q[i] = P[Q.i.1] + P[Q.i.1 + 1]"
  `);
  expect(buffersAfter(blur, splitQ, at)).toEqual(["input X f32[10]", "output Q f32[9]", "workspace P f32[5]"]);
});

test("at the innermost loop", () => {
  expect(scheduled(blur, { kind: "compute-at", block: "P", loop: "Q.i" })).toMatchInlineSnapshot(`
    "for Q.i in 0..9
      for P.i in 0..2
        block P (i = Q.i + P.i in 0..10)
          P[P.i] = X[i] * 2.0
      block Q (i = Q.i in 0..9)
        Q[i] = P[0] + P[1]"
  `);
});

test("an element that is read under a quotient", () => {
  const split = { kind: "split", loop: "Q.i", factors: [0, 2], tail: "guard" } as const;
  expect(scheduled(repeat, split, { kind: "compute-at", block: "P", loop: "Q.i.0" })).toMatchInlineSnapshot(`
    "for Q.i.0 in 0..5
      for P.i in 0..1
        block P (i = Q.i.0 + P.i in 0..5)
          P[P.i] = X[i] * 2.0
      for Q.i.1 in 0..2
        block Q (i = Q.i.0 * 2 + Q.i.1 in 0..9)
          Q[i] = P[0]"
  `);
});

test("a reduction, whole, for each row of its consumer", () => {
  const at = { kind: "compute-at", block: "C", loop: "D.i" } as const;
  expect(scheduled(twoGemms, at)).toMatchInlineSnapshot(`
    "for D.i in 0..5
      for C.i in 0..1
        for C.j in 0..4
          for C.k in 0..3
            block C (i = D.i + C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
              C[C.i, C.j] = 0.0 first
              C[C.i, C.j] += A[i, k] * B[k, j]
      for D.l in 0..6
        for D.n in 0..4
          block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
            D[i, l] = 0.0 first
            D[i, l] += C[0, D.n] * E[n, l]"
  `);
  expect(buffersAfter(twoGemms, at).at(-1)).toBe("workspace C f32[1, 4]");
});

test("no such block", () => {
  expect(refusal(blur, { kind: "compute-at", block: "R", loop: "Q.i" })).toBe(
    refusedOn(blur, "compute-at.no-such-block: there is no block R", [], "blocks are named after their stages"),
  );
});

test("no such loop", () => {
  expect(refusal(blur, { kind: "compute-at", block: "P", loop: "Q.x" })).toBe(
    refusedOn(
      blur,
      "compute-at.no-such-loop: there is no loop Q.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("a result of the kernel", () => {
  expect(refusal(blur, { kind: "compute-at", block: "Q", loop: "P.i" })).toBe(
    refusedOn(blur, "compute-at.output: Q is a result of the kernel", ["P.i"]),
  );
});

test("a producer that is scheduled", () => {
  expect(
    refusal(
      blur,
      { kind: "split", loop: "P.i", factors: [0, 2], tail: "cut" },
      { kind: "compute-at", block: "P", loop: "Q.i" },
    ),
  ).toMatchInlineSnapshot(`
    "compute-at.scheduled: P has been scheduled already
       for P.i.0 in 0..5 cut
         for P.i.1 in 0..2 cut
           block P (i = P.i.0 * 2 + P.i.1 in 0..10)
             P[i] = X[i] * 2.0
     ▶ for Q.i in 0..9
         block Q (i = Q.i in 0..9)
           Q[i] = P[i] + P[i + 1]
      hint: place a producer first, then tile it"
  `);
});

test("a consumer outside the loop", () => {
  expect(refusal(blur, { kind: "compute-at", block: "P", loop: "P.i" })).toBe(
    refusedOn(blur, "compute-at.other-consumer: Q reads P outside P.i", ["P.i"]),
  );
});

test("twice", () => {
  const message = "compute-at.scheduled: C has been scheduled already";
  expect(refusal(productByRow, { kind: "compute-at", block: "C", loop: "D.i" })).toBe(
    refusedOn(productByRow, message, ["D.i"], "place a producer first, then tile it"),
  );
});

test("a read that is not affine", () => {
  expect(refusal(scattered, { kind: "compute-at", block: "P", loop: "Q.i" })).toBe(
    refusedOn(scattered, "compute-at.not-affine: P is not read at affine indices under Q.i", ["Q.i"]),
  );
});

test("a producer whose operand is packed", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "cache-read", buffer: "A", loop: "C.i", layout: rowMajor },
      { kind: "compute-at", block: "C", loop: "D.i" },
    ),
  ).toContain("compute-at.scheduled: C has been scheduled already\n");
});

test("a producer that is initialised elsewhere", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "decompose-reduction", block: "C", loop: "C.i" },
      { kind: "compute-at", block: "C", loop: "D.i" },
    ),
  ).toContain("compute-at.scheduled: C has been scheduled already\n");
});

test("accumulators, which only their own nest reads", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "cache-write", block: "C", loop: "C.k", scope: "register" },
      { kind: "compute-at", block: "C", loop: "C.k" },
    ),
  ).toContain("compute-at.scheduled: C has been scheduled already\n");
});
