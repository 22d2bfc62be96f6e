import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { type Block, type LoopFunc, schedule, type Trace } from "../../../../src/compiler/index.ts";
import { floorDiv, loadOf, variable } from "../../../../src/compiler/ir/build.ts";
import { mapBlocks } from "../../../../src/compiler/schedule/nest.ts";
import { targets } from "../../../../src/compiler/target/targets.ts";
import { blur, buffersAfter, gemm, padded, refusal, refusedOn, scheduled } from "../nests.ts";

const splitK = { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" } as const;
const rfactor = { kind: "rfactor", loop: "C.k.1" } as const;

test("the inner of two reduce loops", () => {
  expect(scheduled(gemm(), splitK, rfactor)).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k.0 in 0..3 cut
          for C.k.1 in 0..2 cut
            block C.rf (i = C.i in 0..6, j = C.j in 0..7, rf = C.k.1 in 0..2, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
              C.rf[C.k.1] = 0.0 first
              C.rf[C.k.1] += A[i, k] * B[k, j]
        for C.k.1.final in 0..2 cut
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce rf = C.k.1.final in 0..2)
            C[i, j] = 0.0 first
            C[i, j] += C.rf[C.k.1.final]"
  `);
  expect(buffersAfter(gemm(), splitK, rfactor).at(-1)).toBe("workspace C.rf f32[2]");
});

test("the outer of two reduce loops", () => {
  expect(scheduled(gemm(), splitK, { kind: "rfactor", loop: "C.k.0" })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k.0 in 0..3 cut
          for C.k.1 in 0..2 cut
            block C.rf (i = C.i in 0..6, j = C.j in 0..7, rf = C.k.0 in 0..3, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
              C.rf[C.k.0] = 0.0 first
              C.rf[C.k.0] += A[i, k] * B[k, j]
        for C.k.0.final in 0..3 cut
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce rf = C.k.0.final in 0..3)
            C[i, j] = 0.0 first
            C[i, j] += C.rf[C.k.0.final]"
  `);
});

test("the only reduce loop: the products themselves are kept", () => {
  expect(scheduled(gemm(), { kind: "rfactor", loop: "C.k" })).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k in 0..5
          block C.rf (i = C.i in 0..6, j = C.j in 0..7, rf = C.k in 0..5, reduce k = C.k in 0..5)
            C.rf[C.k] = 0.0 first
            C.rf[C.k] += A[i, k] * B[k, j]
        for C.k.final in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce rf = C.k.final in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += C.rf[C.k.final]"
  `);
});

test("loops of the result inside: partial results for each of its elements, in the order of the loops", () => {
  const trace: Trace = [splitK, { kind: "reorder", loops: ["C.k.0", "C.i", "C.k.1", "C.j"] }, rfactor];
  expect(scheduled(gemm(), ...trace)).toMatchInlineSnapshot(`
    "{
      for C.k.0 in 0..3 cut
        for C.i in 0..6
          for C.k.1 in 0..2 cut
            for C.j in 0..7
              block C.rf (i = C.i in 0..6, j = C.j in 0..7, rf = C.k.1 in 0..2, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
                C.rf[C.i, C.k.1, C.j] = 0.0 first
                C.rf[C.i, C.k.1, C.j] += A[i, k] * B[k, j]
      for C.i.final in 0..6
        for C.j.final in 0..7
          for C.k.1.final in 0..2 cut
            block C (i = C.i.final in 0..6, j = C.j.final in 0..7, reduce rf = C.k.1.final in 0..2)
              C[i, j] = 0.0 first
              C[i, j] += C.rf[C.i.final, C.k.1.final, C.j.final]
    }"
  `);
  expect(buffersAfter(gemm(), ...trace).at(-1)).toBe("workspace C.rf f32[6, 2, 7]");
});

test("twice: several vectors of partial results", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.k", factors: [0, 2, 4], tail: "cut" },
    { kind: "rfactor", loop: "C.k.2" },
    { kind: "rfactor", loop: "C.k.1" },
  ];
  expect(scheduled(gemm(2, 3, 21), ...trace)).toMatchInlineSnapshot(`
    "for C.i in 0..2
      for C.j in 0..3
        {
          for C.k.0 in 0..3 cut
            for C.k.1 in 0..2 cut
              for C.k.2 in 0..4 cut
                block C.rf.rf (i = C.i in 0..2, j = C.j in 0..3, rf = C.k.2 in 0..4, rf2 = C.k.1 in 0..2, reduce k = C.k.0 * 8 + (C.k.1 * 4 + C.k.2) in 0..21)
                  C.rf.rf[C.k.1, C.k.2] = 0.0 first
                  C.rf.rf[C.k.1, C.k.2] += A[i, k] * B[k, j]
          for C.k.2.rf.final in 0..4 cut
            for C.k.1.rf.final in 0..2 cut
              block C.rf (i = C.i in 0..2, j = C.j in 0..3, rf = C.k.2.rf.final in 0..4, reduce rf2 = C.k.1.rf.final in 0..2)
                C.rf[C.k.2.rf.final] = 0.0 first
                C.rf[C.k.2.rf.final] += C.rf.rf[C.k.1.rf.final, C.k.2.rf.final]
        }
        for C.k.2.final in 0..4 cut
          block C (i = C.i in 0..2, j = C.j in 0..3, reduce rf = C.k.2.final in 0..4)
            C[i, j] = 0.0 first
            C[i, j] += C.rf[C.k.2.final]"
  `);
  expect(buffersAfter(gemm(2, 3, 21), ...trace).slice(-2)).toEqual([
    "workspace C.rf f32[4]",
    "workspace C.rf.rf f32[2, 4]",
  ]);
});

test("the final reduction again: a tree", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.k", factors: [0, 4], tail: "cut" },
    rfactor,
    { kind: "split", loop: "C.k.1.final", factors: [2, 2], tail: "perfect" },
    { kind: "rfactor", loop: "C.k.1.final.1" },
  ];
  expect(scheduled(gemm(2, 3, 9), ...trace)).toMatchInlineSnapshot(`
    "for C.i in 0..2
      for C.j in 0..3
        for C.k.0 in 0..3 cut
          for C.k.1 in 0..4 cut
            block C.rf (i = C.i in 0..2, j = C.j in 0..3, rf = C.k.1 in 0..4, reduce k = C.k.0 * 4 + C.k.1 in 0..9)
              C.rf[C.k.1] = 0.0 first
              C.rf[C.k.1] += A[i, k] * B[k, j]
        {
          for C.k.1.final.0 in 0..2
            for C.k.1.final.1 in 0..2
              block C.rf2 (i = C.i in 0..2, j = C.j in 0..3, rf2 = C.k.1.final.1 in 0..2, reduce rf = C.k.1.final.0 * 2 + C.k.1.final.1 in 0..4)
                C.rf2[C.k.1.final.1] = 0.0 first
                C.rf2[C.k.1.final.1] += C.rf[C.k.1.final.0 * 2 + C.k.1.final.1]
          for C.k.1.final.1.final in 0..2
            block C (i = C.i in 0..2, j = C.j in 0..3, reduce rf2 = C.k.1.final.1.final in 0..2)
              C[i, j] = 0.0 first
              C[i, j] += C.rf2[C.k.1.final.1.final]
        }"
  `);
});

test("more iterations than the reduction has: elements without an update are the identity", () => {
  const trace: Trace = [{ kind: "split", loop: "C.k", factors: [0, 8], tail: "guard" }, rfactor];
  expect(scheduled(gemm(2, 3, 5), ...trace)).toContain("C.k.1 in 0..8");
});

test("vectorized, in registers", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.k", factors: [0, 2, 8], tail: "cut" },
    { kind: "rfactor", loop: "C.k.2" },
    { kind: "rfactor", loop: "C.k.1" },
    { kind: "vectorize", loop: "C.k.2" },
    { kind: "unroll", loop: "C.k.1" },
    { kind: "vectorize", loop: "C.k.2.rf.final" },
    { kind: "unroll", loop: "C.k.1.rf.final" },
    { kind: "unroll", loop: "C.k.2.final" },
    { kind: "decompose-reduction", block: "C.rf.rf", loop: "C.k.0" },
    { kind: "set-scope", buffer: "C.rf.rf", scope: "register" },
  ];
  scheduled(gemm(2, 3, 37), ...trace);
  const flat = lower(schedule(gemm(2, 3, 37), trace), { target: targets.avx2, numerics: "fast" });
  expect(flat.buffers.map(({ name }) => name)).toEqual(["A", "B", "C", "C.rf"]);
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "rfactor", loop: "C.l" })).toBe(
    refusedOn(
      gemm(),
      "rfactor.no-such-loop: there is no loop C.l",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("a loop of the result", () => {
  expect(refusal(gemm(), { kind: "rfactor", loop: "C.j" })).toBe(
    refusedOn(gemm(), "rfactor.no-reduction: C.j drives no reduction", ["C.j"], "choose a loop of a reduce axis"),
  );
});

test("a loop of a map", () => {
  expect(refusal(blur, { kind: "rfactor", loop: "P.i" })).toBe(
    refusedOn(blur, "rfactor.no-reduction: P.i drives no reduction", ["P.i"], "choose a loop of a reduce axis"),
  );
});

test("after the initialisation has moved away", () => {
  expect(
    refusal(gemm(), splitK, { kind: "decompose-reduction", block: "C", loop: "C.k.0" }, rfactor),
  ).toMatchInlineSnapshot(`
    "rfactor.no-init: C is initialised elsewhere
       for C.i in 0..6
         for C.j in 0..7
           block C.init (i = C.i in 0..6, j = C.j in 0..7)
             C[i, j] = 0.0
           for C.k.0 in 0..3 cut
     ▶       for C.k.1 in 0..2 cut
               block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
                 C[i, j] += A[i, k] * B[k, j]
      hint: factor a reduction first, give it accumulators or an initialisation of its own then"
  `);
});

test("twice at the same loop", () => {
  expect(refusal(gemm(), splitK, rfactor, rfactor)).toMatchInlineSnapshot(`
    "rfactor.no-reduction: C.k.1 drives no reduction
       for C.i in 0..6
         for C.j in 0..7
           for C.k.0 in 0..3 cut
     ▶       for C.k.1 in 0..2 cut
               block C.rf (i = C.i in 0..6, j = C.j in 0..7, rf = C.k.1 in 0..2, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
                 C.rf[C.k.1] = 0.0 first
                 C.rf[C.k.1] += A[i, k] * B[k, j]
           for C.k.1.final in 0..2 cut
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce rf = C.k.1.final in 0..2)
               C[i, j] = 0.0 first
               C[i, j] += C.rf[C.k.1.final]
      hint: choose a loop of a reduce axis"
  `);
});

/** The nest of `padded` with more blocks beside its own. */
const beside = (others: (block: Block) => readonly Block[]): LoopFunc => ({
  ...padded,
  body: mapBlocks(padded.body, (block) => ({ kind: "seq", body: [block, ...others(block)] })),
});

test("two reductions that a loop drives", () => {
  const nest = beside((block) => [{ ...block, name: "z", buffer: "z" }]);
  expect(refusal(nest, { kind: "rfactor", loop: "y.r" })).toMatchInlineSnapshot(`
    "rfactor.several-reductions: y.r drives the reductions of y and z
       for y.i in 0..7
     ▶   for y.r in 0..3
           block y (i = y.i in 0..7, reduce r = y.r in 0..3)
             y[i] = 0.0 first
             y[i] += select(i + r - 1 >= 0 && i + r - 1 < 7, x[i + r - 1], 0.0) * w[r]
           block z (i = y.i in 0..7, reduce r = y.r in 0..3)
             z[i] = 0.0 first
             z[i] = y[i] + select(i + r - 1 >= 0 && i + r - 1 < 7, x[i + r - 1], 0.0) * w[r]"
  `);
});

test("a sum that is used before it is complete", () => {
  const axes = [{ name: "i", extent: 7, role: "spatial" }] as const;
  const nest = beside((block) => [
    {
      ...block,
      name: "z",
      buffer: "z",
      axes,
      bindings: [variable("y.i")],
      init: null,
      value: loadOf({ name: "y", dtype: "f32" }, [variable("i")]),
    },
  ]);
  expect(refusal(nest, { kind: "rfactor", loop: "y.r" })).toMatchInlineSnapshot(`
    "rfactor.shared: z uses y under y.r
       for y.i in 0..7
     ▶   for y.r in 0..3
           block y (i = y.i in 0..7, reduce r = y.r in 0..3)
             y[i] = 0.0 first
             y[i] += select(i + r - 1 >= 0 && i + r - 1 < 7, x[i + r - 1], 0.0) * w[r]
           block z (i = y.i in 0..7)
             z[i] = y[i]"
  `);
});

test("a result at indices that are not affine", () => {
  const nest: LoopFunc = {
    ...gemm(),
    body: mapBlocks(gemm().body, (block) => ({
      ...block,
      indices: [floorDiv(variable("i"), variable("j")), variable("j")],
    })),
  };
  const reorder = { kind: "reorder", loops: ["C.k", "C.i", "C.j"] } as const;
  expect(refusal(nest, reorder, { kind: "rfactor", loop: "C.k" })).toMatchInlineSnapshot(`
    "rfactor.not-affine: C is not written at affine indices
     ▶ for C.k in 0..5
         for C.i in 0..6
           for C.j in 0..7
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i // j, j] = 0.0 first
               C[i // j, j] = C[i, j] + A[i, k] * B[k, j]"
  `);
});

test("rows fused outside of the reduction", () => {
  scheduled(gemm(), { kind: "fuse", outer: "C.i", inner: "C.j" }, splitK, rfactor);
});

/** A nest whose blocks update by another operator. */
const withOperator = (nest: LoopFunc, op: "sub" | "min"): LoopFunc => ({
  ...nest,
  body: mapBlocks(nest.body, (block) =>
    block.value.kind === "binary" ? { ...block, value: { ...block.value, op } } : block,
  ),
});

test("differences do not combine", () => {
  expect(refusal(withOperator(padded, "sub"), { kind: "rfactor", loop: "y.r" })).toMatchInlineSnapshot(`
    "rfactor.not-associative: y is no sum, product, maximum or minimum, its parts do not combine
       for y.i in 0..7
     ▶   for y.r in 0..3
           block y (i = y.i in 0..7, reduce r = y.r in 0..3)
             y[i] = 0.0 first
             y[i] = y[i] - select(i + r - 1 >= 0 && i + r - 1 < 7, x[i + r - 1], 0.0) * w[r]"
  `);
});

test("minima do", () => {
  scheduled(withOperator(padded, "min"), { kind: "rfactor", loop: "y.r" });
});
