import { expect, test } from "vitest";
import gemmExpGemm from "../../../../fixtures/ops/gemm-exp-gemm.op.ts";
import { type Instruction, instantiate, schedule } from "../../../../src/compiler/index.ts";
import { loopsIn } from "../../../../src/compiler/schedule/nest.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { referenceOf, wrongNest } from "../../../support/reference.ts";
import { blur, gemm, refusal, refusedOn, scheduled, twoGemms } from "../nests.ts";

test("before the reduce loop", () => {
  expect(scheduled(gemm(), { kind: "decompose-reduction", block: "C", loop: "C.k" })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        block C.init (i = C.i in 0..6, j = C.j in 0..7)
          C[i, j] = 0.0
        for C.k in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("two blocks before a loop that both are in: each copy of the loop has a name of its own", () => {
  const shared = [
    { kind: "compute-at", block: "C", loop: "D.i" },
    { kind: "hoist-storage", buffer: "C", loop: null, reuse: "none" },
  ] as const;
  const apart = (["D", "C"] as const).map((block) => ({ kind: "decompose-reduction", block, loop: "D.i" }) as const);
  const nest = schedule(twoGemms, [...shared, ...apart]);
  const names = loopsIn(nest.body).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["D.i.init", "D.i.init2"]));
  expect(new Set(names).size).toBe(names.length);
});

test("before all loops of a tiled nest", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "split", loop: "C.j", factors: [0, 4], tail: "mask" },
      { kind: "reorder", loops: ["C.k", "C.i", "C.j.0", "C.j.1"] },
      { kind: "vectorize", loop: "C.j.1" },
      { kind: "decompose-reduction", block: "C", loop: "C.k" },
    ),
  ).toMatchInlineSnapshot(`
    "{
      for C.i.init in 0..6
        for C.j.0.init in 0..2 mask
          for C.j.1.init in 0..4 vectorized mask
            block C.init (i = C.i.init in 0..6, j = C.j.0.init * 4 + C.j.1.init in 0..7)
              C[i, j] = 0.0
      for C.k in 0..5
        for C.i in 0..6
          for C.j.0 in 0..2 mask
            for C.j.1 in 0..4 vectorized mask
              block C (i = C.i in 0..6, j = C.j.0 * 4 + C.j.1 in 0..7, reduce k = C.k in 0..5)
                C[i, j] += A[i, k] * B[k, j]
    }"
  `);
});

test("no such block", () => {
  expect(refusal(gemm(), { kind: "decompose-reduction", block: "D", loop: "C.k" })).toBe(
    refusedOn(
      gemm(),
      "decompose-reduction.no-such-block: there is no block D",
      [],
      "blocks are named after their stages",
    ),
  );
});

test("a loop of another nest", () => {
  expect(refusal(twoGemms, { kind: "decompose-reduction", block: "C", loop: "D.i" })).toBe(
    refusedOn(
      twoGemms,
      "decompose-reduction.no-such-loop: there is no loop D.i",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("no reduction", () => {
  expect(refusal(blur, { kind: "decompose-reduction", block: "P", loop: "P.i" })).toBe(
    refusedOn(blur, "decompose-reduction.no-init: P is no reduction that initialises its elements"),
  );
});

test("twice", () => {
  const decompose = { kind: "decompose-reduction", block: "C", loop: "C.k" } as const;
  expect(refusal(gemm(), decompose, decompose)).toMatchInlineSnapshot(`
    "decompose-reduction.no-init: C is no reduction that initialises its elements
       for C.i in 0..6
         for C.j in 0..7
           block C.init (i = C.i in 0..6, j = C.j in 0..7)
             C[i, j] = 0.0
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("inside a reduce loop", () => {
  expect(
    refusal(
      gemm(),
      { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
      { kind: "reorder", loops: ["C.k.0", "C.i", "C.j"] },
      { kind: "decompose-reduction", block: "C", loop: "C.i" },
    ),
  ).toMatchInlineSnapshot(`
    "decompose-reduction.inside: C.k.0 would initialise C again in each iteration
     ▶ for C.k.0 in 0..3 cut
         for C.i in 0..6
           for C.j in 0..7
             for C.k.1 in 0..2 cut
               block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
      hint: choose a loop outside of all reduce loops"
  `);
});

test("around a loop of one row, of a block of rows that was moved inwards", () => {
  const trace: readonly Instruction[] = [
    { kind: "split", loop: "F.i", factors: [0, 2], tail: "shift" },
    { kind: "compute-at", block: "D", loop: "F.i.0" },
    { kind: "split", loop: "D.i", factors: [0, 1], tail: "perfect" },
    { kind: "compute-at", block: "C", loop: "D.i.0" },
    { kind: "reorder", loops: ["C.k", "C.i", "C.j"] },
    { kind: "decompose-reduction", block: "C", loop: "C.k" },
  ];
  const chain = instantiate(gemmExpGemm, { M: 5, N: 4, K: 3, L: 6 }, "chain");
  const reference = referenceOf(chain, createRng(1));
  expect(wrongNest(reference, schedule(reference.naive, trace))).toBeNull();
});

test("outside of a loop that computes the stage again in each iteration", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "compute-at", block: "C", loop: "D.l" },
      { kind: "decompose-reduction", block: "C", loop: "D.l" },
    ),
  ).toMatchInlineSnapshot(`
    "decompose-reduction.repeated: C is computed again in each iteration of D.l, and needs its initialisation there
       for D.i in 0..5
     ▶   for D.l in 0..6
           for C.i in 0..1
             for C.j in 0..4
               for C.k in 0..3
                 block C (i = D.i + C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
                   C[C.i, C.j] = 0.0 first
                   C[C.i, C.j] += A[i, k] * B[k, j]
           for D.n in 0..4
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += C[0, D.n] * E[n, l]
      hint: choose a loop of C"
  `);
});

test("outside of a loop that computes other elements in the same place", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "compute-at", block: "C", loop: "D.n" },
      { kind: "decompose-reduction", block: "C", loop: "D.n" },
    ),
  ).toMatchInlineSnapshot(`
    "decompose-reduction.repeated: C is computed again in each iteration of D.n, and needs its initialisation there
       for D.i in 0..5
         for D.l in 0..6
     ▶     for D.n in 0..4
             for C.i in 0..1
               for C.j in 0..1
                 for C.k in 0..3
                   block C (i = D.i + C.i in 0..5, j = D.n + C.j in 0..4, reduce k = C.k in 0..3)
                     C[C.i, C.j] = 0.0 first
                     C[C.i, C.j] += A[i, k] * B[k, j]
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += C[0, 0] * E[n, l]
      hint: choose a loop of C"
  `);
});
