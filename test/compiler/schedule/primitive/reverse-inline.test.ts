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
  twoResults,
} from "../nests.ts";

test("a map into a map that has been scheduled", () => {
  const split = { kind: "split", loop: "Q.i", factors: [0, 4], tail: "cut" } as const;
  const into = { kind: "reverse-inline", block: "R" } as const;
  expect(scheduled(residual, { kind: "inline", block: "Q" }, into)).toMatchInlineSnapshot(`
    "for P.i in 0..7
      block P (i = P.i in 0..7)
        R[i] = X[i] * 2.0 + X[i] * 3.0
    for S.i in 0..7
      block S (i = S.i in 0..7)
        S[i] = R[i] + X[i] * 3.0"
  `);
  expect(refusal(residual, split, into)).toMatchInlineSnapshot(`
    "reverse-inline.other-consumer: S reads Q too
       for P.i in 0..7
         block P (i = P.i in 0..7)
           P[i] = X[i] * 2.0
       for Q.i.0 in 0..2 cut
         for Q.i.1 in 0..4 cut
           block Q (i = Q.i.0 * 4 + Q.i.1 in 0..7)
             Q[i] = X[i] * 3.0
       for R.i in 0..7
     ▶   block R (i = R.i in 0..7)
           R[i] = P[i] + Q[i]
       for S.i in 0..7
     ▶   block S (i = S.i in 0..7)
           S[i] = R[i] + Q[i]"
  `);
});

test("bias and activation into the block that writes the accumulators back", () => {
  const trace = [
    { kind: "cache-write", block: "C", loop: "C.j", scope: "register" },
    { kind: "reverse-inline", block: "D" },
  ] as const;
  expect(scheduled(epilogue, ...trace)).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..5
        block C.init (i = C.i in 0..6, j = C.j in 0..5)
          C.acc[0, 0] = 0.0
        for C.k in 0..4
          block C (i = C.i in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
            C.acc[0, 0] += A[i, k] * B[k, j]
        block C.store (i = C.i in 0..6, j = C.j in 0..5)
          D[i, j] = max(C.acc[0, 0] + b[j], 0.0)"
  `);
  expect(buffersAfter(epilogue, ...trace)).toEqual([
    "input A f32[6, 4]",
    "input B f32[4, 5]",
    "input b f32[5]",
    "output D f32[6, 5]",
    "register C.acc f32[1, 1]",
  ]);
});

test("no such block", () => {
  expect(refusal(blur, { kind: "reverse-inline", block: "R" })).toBe(
    refusedOn(blur, "reverse-inline.no-such-block: there is no block R", [], "blocks are named after their stages"),
  );
});

test("a reduction", () => {
  expect(refusal(gemmMapGemm, { kind: "reverse-inline", block: "F" })).toBe(
    refusedOn(gemmMapGemm, "reverse-inline.reduction: F is a reduction", ["F"]),
  );
});

test("into a reduction", () => {
  expect(refusal(epilogue, { kind: "reverse-inline", block: "D" })).toBe(
    refusedOn(
      epilogue,
      "reverse-inline.sum: C stores parts of the sums in C",
      ["C", "D"],
      "cache-write C at a loop around its reduce loops: the block that writes back takes D",
    ),
  );
});

test("into sums that an outer loop goes on with", () => {
  expect(
    refusal(
      epilogue,
      { kind: "split", loop: "C.k", factors: [2, 2], tail: "perfect" },
      { kind: "cache-write", block: "C", loop: "C.k.0", scope: "register" },
      { kind: "reverse-inline", block: "D" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-inline.other-consumer: C.init reads C too
       for C.i in 0..6
         for C.j in 0..5
           for C.k.0 in 0..2
     ▶       block C.init (i = C.i in 0..6, j = C.j in 0..5)
               C.acc[0, 0] = select(C.k.0 == 0, 0.0, C[i, j])
             for C.k.1 in 0..2
               block C (i = C.i in 0..6, j = C.j in 0..5, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                 C.acc[0, 0] += A[i, k] * B[k, j]
             block C.store (i = C.i in 0..6, j = C.j in 0..5)
               C[i, j] = C.acc[0, 0]
       for D.i in 0..6
         for D.j in 0..5
     ▶     block D (i = D.i in 0..6, j = D.j in 0..5)
             D[i, j] = max(C[i, j] + b[j], 0.0)"
  `);
});

test("a consumer that is scheduled", () => {
  expect(
    refusal(
      residual,
      { kind: "split", loop: "S.i", factors: [0, 2], tail: "cut" },
      { kind: "reverse-inline", block: "S" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-inline.scheduled: S has been scheduled already
       for P.i in 0..7
         block P (i = P.i in 0..7)
           P[i] = X[i] * 2.0
       for Q.i in 0..7
         block Q (i = Q.i in 0..7)
           Q[i] = X[i] * 3.0
       for R.i in 0..7
         block R (i = R.i in 0..7)
           R[i] = P[i] + Q[i]
       for S.i.0 in 0..4 cut
         for S.i.1 in 0..2 cut
     ▶     block S (i = S.i.0 * 2 + S.i.1 in 0..7)
             S[i] = R[i] + Q[i]
      hint: inline first, schedule the producer then"
  `);
});

test("a block that reads inputs only", () => {
  expect(refusal(residual, { kind: "reverse-inline", block: "P" })).toBe(
    refusedOn(residual, "reverse-inline.no-producer: P reads nothing that the kernel computes", ["P"]),
  );
});

test("neighbours", () => {
  expect(refusal(blur, { kind: "reverse-inline", block: "Q" })).toBe(
    refusedOn(blur, "reverse-inline.not-element-wise: Q reads P[i], not the element at its own place", ["Q"]),
  );
  expect(refusal(scattered, { kind: "reverse-inline", block: "Q" })).toContain(
    "reverse-inline.not-element-wise: Q reads P[i * i % 5], not the element at its own place\n",
  );
});

test("an operand that is computed with the producer", () => {
  expect(
    refusal(
      residual,
      { kind: "compute-at", block: "P", loop: "R.i" },
      { kind: "merge-loops", first: "Q.i", second: "R.i" },
      { kind: "reverse-inline", block: "S" },
    ),
  ).toMatchInlineSnapshot(`
    "reverse-inline.not-ready: S reads Q, which is not complete before R
       for Q.i in 0..7
     ▶   block Q (i = Q.i in 0..7)
           Q[i] = X[i] * 3.0
         for P.i in 0..1
           block P (i = Q.i + P.i in 0..7)
             P[P.i] = X[i] * 2.0
         block R (i = Q.i in 0..7)
           R[i] = P[0] + Q[i]
       for S.i in 0..7
     ▶   block S (i = S.i in 0..7)
           S[i] = R[i] + Q[i]"
  `);
});

test("a producer that is a result of the kernel", () => {
  expect(refusal(twoResults, { kind: "reverse-inline", block: "Q" })).toBe(
    refusedOn(twoResults, "reverse-inline.output: P is a result of the kernel", ["Q"]),
  );
});
