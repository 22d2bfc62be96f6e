import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import {
  fromCompute,
  generateC,
  generateJs,
  generateWasm,
  printStmt,
  schedule,
  type Trace,
  targets,
} from "../../../../src/compiler/index.ts";
import { narrowGemm, tensorizedTile } from "../../intrinsic/tensorized-gemm.ts";
import { blur, gemm, refusal, refusedOn, rowMajor, scattered, scheduled } from "../nests.ts";

const prefetch = (buffer: string, loop: string, distance: number) =>
  ({ kind: "prefetch", buffer, loop, distance }) as const;
const outerK = { kind: "reorder", loops: ["C.k", "C.i", "C.j"] } as const;
const unpacked = gemm();

const flatOf = (trace: Trace, nest = unpacked) =>
  lower(schedule(nest, trace), { target: targets.avx2, numerics: "fast" });

/** The hints in C. */
const hintsOf = (trace: Trace, nest = unpacked): readonly string[] =>
  generateC(flatOf(trace, nest), targets.avx2, { numerics: "fast" }).text.match(/\S*__builtin_prefetch.*/g) ?? [];

test("a word at a loop, and a hint at the beginning of its body", () => {
  const trace = [outerK, prefetch("B", "C.k", 4), prefetch("A", "C.i", 1), prefetch("C", "C.i", 0)];
  expect(scheduled(unpacked, ...trace)).toMatchInlineSnapshot(`
    "for C.k in 0..5 (prefetch B: 4)
      for C.i in 0..6 (prefetch A: 1, prefetch C: 0)
        for C.j in 0..7
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]"
  `);
  expect(hintsOf(trace)).toMatchInlineSnapshot(`
    [
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)B + ((C_k * 7) + 28) * 4), 0, 3);",
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)A + (((C_i * 5) + C_k) + 5) * 4), 0, 3);",
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)C + (C_i * 7) * 4), 1, 3);",
    ]
  `);
});

test("one hint a line: rows that lie close together are one run, others have their own", () => {
  const wide = gemm(6, 40, 4);
  const inner = [
    { kind: "split", loop: "C.j", factors: [0, 20], tail: "cut" },
    { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
    { kind: "reorder", loops: ["C.k.0", "C.j.0", "C.i", "C.k.1", "C.j.1"] },
  ] as const;
  // Two whole rows of 40 floats are 5 lines; of a tile of 2 × 20 each row has 2.
  expect(hintsOf([...inner, prefetch("B", "C.k.0", 1)], wide)).toHaveLength(5);
  expect(hintsOf([...inner, prefetch("B", "C.j.0", 1)], wide)).toMatchInlineSnapshot(`
    [
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)B + (((C_k_0 * 80) + (C_j_0 * 20)) + 20) * 4), 0, 3);",
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)B + (((C_k_0 * 80) + (C_j_0 * 20)) + 36) * 4), 0, 3);",
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)B + (((C_k_0 * 80) + (C_j_0 * 20)) + 60) * 4), 0, 3);",
      "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)B + (((C_k_0 * 80) + (C_j_0 * 20)) + 76) * 4), 0, 3);",
    ]
  `);
});

test("a line that is written is asked for as such", () => {
  expect(hintsOf([prefetch("C", "C.i", 2)])).toEqual([
    "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)C + ((C_i * 7) + 14) * 4), 1, 3);",
  ]);
});

test("JavaScript and WebAssembly know no hints", () => {
  const trace = [prefetch("B", "C.k", 1), prefetch("A", "C.i", 1)];
  expect(generateJs(schedule(unpacked, trace)).text).toBe(generateJs(unpacked).text);
  const withoutBraces = ({ text }: { readonly text: string }) => text.replace(/[{}\s]/g, "");
  expect(withoutBraces(generateJs(flatOf(trace)))).toBe(withoutBraces(generateJs(flatOf([]))));
  expect(generateWasm(flatOf(trace), { relaxed: false }).bytes).toEqual(
    generateWasm(flatOf([]), { relaxed: false }).bytes,
  );
});

test("a split leaves the hint to the iterations that its distance counts", () => {
  expect(
    scheduled(unpacked, prefetch("B", "C.k", 3), { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" }),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for C.j in 0..7
        for C.k.0 in 0..3 cut
          for C.k.1 in 0..2 cut (prefetch B: 3)
            block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("the pieces of a loop have it each", () => {
  const trace = [prefetch("A", "C.i", 1), { kind: "loop-partition", loop: "C.i", at: [4] }] as const;
  expect(hintsOf(trace)).toEqual([
    "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)A + ((C_i_0 * 5) + 5) * 4), 0, 3);",
    "__builtin_prefetch((const void *)((__UINTPTR_TYPE__)A + ((C_i_1 * 5) + 25) * 4), 0, 3);",
  ]);
});

test("what is packed under the loop, vectorized, or in registers needs no hint any more", () => {
  const pack = { kind: "cache-read", buffer: "B", loop: "C.i", layout: rowMajor } as const;
  expect(hintsOf([prefetch("B", "C.k", 1), pack])).toEqual([]);
  expect(hintsOf([prefetch("B", "C.j", 1), { kind: "vectorize", loop: "C.j" }])).toEqual([]);
  const atQ = { kind: "compute-at", block: "P", loop: "Q.i" } as const;
  const away = { kind: "hoist-storage", buffer: "P", loop: null, reuse: "none" } as const;
  expect(hintsOf([atQ, away, prefetch("P", "Q.i", 1)], blur)).toHaveLength(1);
  const held = { kind: "set-scope", buffer: "P", scope: "register" } as const;
  expect(hintsOf([atQ, away, prefetch("P", "Q.i", 1), held], blur)).toEqual([]);
});

test("no such buffer", () => {
  expect(refusal(unpacked, prefetch("Z", "C.i", 1))).toBe(
    refusedOn(gemm(), "prefetch.no-such-buffer: there is no buffer Z", ["C.i"]),
  );
});

test("no such loop", () => {
  expect(refusal(unpacked, prefetch("A", "C.x", 1))).toBe(
    refusedOn(
      gemm(),
      "prefetch.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("no distance", () => {
  expect(refusal(unpacked, prefetch("A", "C.i", -1))).toBe(
    refusedOn(gemm(), "prefetch.bad-distance: -1 iterations ahead, an integer from 0 on is wanted", ["C.i"]),
  );
  expect(refusal(unpacked, prefetch("A", "C.i", 1.5))).toContain("prefetch.bad-distance: 1.5 iterations ahead");
});

test("in registers", () => {
  const accumulate = { kind: "cache-write", block: "C", loop: "C.i", scope: "register" } as const;
  expect(refusal(unpacked, accumulate, prefetch("C.acc", "C.j", 1))).toMatchInlineSnapshot(`
    "prefetch.register: C.acc is held in registers
       for C.i in 0..6
         for C.j.init in 0..7
           block C.init (i = C.i in 0..6, j = C.j.init in 0..7)
             C.acc[0, C.j.init] = 0.0
     ▶   for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C.acc[0, C.j] += A[i, k] * B[k, j]
         for C.j.store in 0..7
           block C.store (i = C.i in 0..6, j = C.j.store in 0..7)
             C[i, j] = C.acc[0, C.j.store]"
  `);
});

test("twice", () => {
  expect(refusal(unpacked, prefetch("A", "C.i", 1), prefetch("A", "C.i", 2))).toMatchInlineSnapshot(`
    "prefetch.twice: the lines of A are asked for at C.i already
     ▶ for C.i in 0..6 (prefetch A: 1)
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("a loop of one iteration", () => {
  expect(refusal(gemm(1), prefetch("A", "C.i", 0))).toBe(
    refusedOn(gemm(1), "prefetch.one-iteration: C.i has one iteration, of which no loop is left", ["C.i"]),
  );
});

test("a loop whose iterations have no order", () => {
  expect(refusal(unpacked, { kind: "vectorize", loop: "C.j" }, prefetch("B", "C.j", 1))).toMatchInlineSnapshot(`
    "prefetch.unordered: C.j is vectorized, no iteration is the next one
       for C.i in 0..6
     ▶   for C.j in 0..7 vectorized
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
  expect(refusal(unpacked, { kind: "parallel", loop: "C.i" }, prefetch("A", "C.i", 1))).toContain(
    "prefetch.unordered: C.i is parallel, no iteration is the next one\n ▶ for C.i",
  );
});

const pairs = fromCompute(narrowGemm(2, 8, 4, "i16", "i16"));
const tiled = tensorizedTile({ intrinsic: "vpmaddwd.256", lanes: 8, group: 2, rows: 2, vectors: 1, widen: null });

test("a loop inside of what is one instruction", () => {
  expect(refusal(pairs, ...tiled, prefetch("B.pack", "C.k.1", 1))).toMatchInlineSnapshot(`
    "prefetch.unordered: C.j.2 is tensorized vpmaddwd.256, no iteration is the next one
       for C.j.0 in 0..1 mask
         for A.pack.0 in 0..1
           for A.pack.1 in 0..2
             for A.pack.2 in 0..2
               for A.pack.3 in 0..2
                 block A.pack (p0 = A.pack.0 in 0..1, p1 = A.pack.1 in 0..2, p2 = A.pack.2 in 0..2, p3 = A.pack.3 in 0..2)
                   A.pack[p0, p1, p2, p3] = A[A.pack.2, A.pack.1 * 2 + A.pack.3]
         {
           for B.pack.0 in 0..1
             for B.pack.1 in 0..2
               for B.pack.2 in 0..8
                 for B.pack.3 in 0..2
                   block B.pack (p0 = B.pack.0 in 0..1, p1 = B.pack.1 in 0..2, p2 = B.pack.2 in 0..8, p3 = B.pack.3 in 0..2)
                     B.pack[p0, p1, p2, p3] = B[B.pack.1 * 2 + B.pack.3, B.pack.2]
           for C.i.0 in 0..1 mask
             for C.i.1.init in 0..2 unrolled mask
               for C.j.1.init in 0..1 unrolled mask
                 for C.j.2.init in 0..8 vectorized mask
                   block C.init (i = C.i.0 * 2 + C.i.1.init in 0..2, j = C.j.0 * 8 + (C.j.1.init * 8 + C.j.2.init) in 0..8)
                     C.acc[C.i.1.init, C.j.1.init * 8 + C.j.2.init] = 0
             for C.k.0 in 0..2 cut
               for C.i.1 in 0..2 unrolled mask
                 for C.j.1 in 0..1 unrolled mask
     ▶             for C.j.2 in 0..8 tensorized vpmaddwd.256 mask
                     for C.k.1 in 0..2 cut
                       block C (i = C.i.0 * 2 + C.i.1 in 0..2, j = C.j.0 * 8 + (C.j.1 * 8 + C.j.2) in 0..8, reduce k = C.k.0 * 2 + C.k.1 in 0..4)
                         C.acc[C.i.1, C.j.1 * 8 + C.j.2] += i32(A.pack[0, C.k.0, C.i.1, C.k.1]) * i32(B.pack[0, C.k.0, C.j.2, C.k.1])
             for C.i.1.store in 0..2 unrolled mask
               for C.j.1.store in 0..1 unrolled mask
                 for C.j.2.store in 0..8 vectorized mask
                   block C.store (i = C.i.0 * 2 + C.i.1.store in 0..2, j = C.j.0 * 8 + (C.j.1.store * 8 + C.j.2.store) in 0..8)
                     C[i, j] = C.acc[C.i.1.store, C.j.1.store * 8 + C.j.2.store]
         }"
  `);
});

test("an instruction stays one, with hints around it or words inside", () => {
  const calls = (trace: Trace) => printStmt(flatOf(trace, pairs).body).match(/vpmaddwd.256|prefetch/g);
  const around = prefetch("B.pack", "C.k.0", 1);
  expect(calls([...tiled, around])).toEqual(["prefetch", "vpmaddwd.256", "vpmaddwd.256"]);
  expect(calls([...tiled.slice(0, -1), prefetch("B.pack", "C.k.1", 1), ...tiled.slice(-1)])).toEqual(calls(tiled));
});

test("a buffer that is not used there", () => {
  expect(refusal(blur, prefetch("X", "Q.i", 1))).toBe(
    refusedOn(blur, "prefetch.not-used: X is neither read nor written under Q.i", ["Q.i"]),
  );
});

test("indices that are not affine", () => {
  expect(refusal(scattered, prefetch("P", "Q.i", 1))).toBe(
    refusedOn(scattered, "prefetch.not-affine: P is not used at affine indices under Q.i", ["Q.i"]),
  );
});

test("the same part in all iterations", () => {
  expect(refusal(unpacked, prefetch("B", "C.i", 1))).toBe(
    refusedOn(
      gemm(),
      "prefetch.same: all iterations of C.i use the same part of B",
      ["C.i"],
      "prefetch at a loop that moves it",
    ),
  );
});

test("beyond the end of the buffer", () => {
  expect(refusal(unpacked, outerK, prefetch("B", "C.k", 5))).toMatchInlineSnapshot(`
    "prefetch.beyond: 5 iterations of C.k ahead B has ended
     ▶ for C.k in 0..5
         for C.i in 0..6
           for C.j in 0..7
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
  // Five ahead of column 0 is the next row, but for the last one.
  expect(hintsOf([prefetch("A", "C.k", 5)])).toHaveLength(1);
});

test("more lines than can be on their way", () => {
  const blocked = [
    { kind: "split", loop: "C.k", factors: [0, 20], tail: "cut" },
    { kind: "reorder", loops: ["C.k.0", "C.i", "C.j", "C.k.1"] },
  ] as const;
  expect(refusal(gemm(3, 64, 40), ...blocked, prefetch("B", "C.k.0", 1))).toMatchInlineSnapshot(`
    "prefetch.too-many-lines: an iteration of C.k.0 touches 80 lines of B, hints are for 64 at most
     ▶ for C.k.0 in 0..2 cut
         for C.i in 0..3
           for C.j in 0..64
             for C.k.1 in 0..20 cut
               block C (i = C.i in 0..3, j = C.j in 0..64, reduce k = C.k.0 * 20 + C.k.1 in 0..40)
                 C[i, j] = 0.0 first
                 C[i, j] += A[i, k] * B[k, j]
      hint: prefetch at a loop inside"
  `);
});
