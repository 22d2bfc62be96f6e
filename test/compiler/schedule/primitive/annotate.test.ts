// annotate, and unroll with a depth, which is an annotation.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { generateC, schedule, type Trace, targets } from "../../../../src/compiler/index.ts";
import { gemm, refusal, refusedOn, scheduled } from "../nests.ts";

const textOf = (trace: Trace): string => {
  const flat = lower(schedule(gemm(), trace), { target: targets.avx2, numerics: "fast" });
  return generateC(flat, targets.avx2, { numerics: "fast" }).text;
};

test("a word at a loop, beside its mark", () => {
  expect(
    scheduled(
      gemm(),
      { kind: "annotate", loop: "C.i", key: "note", value: -3 },
      { kind: "unroll", loop: "C.i", depth: 2 },
      { kind: "parallel", loop: "C.i" },
      { kind: "loop-partition", loop: "C.k", at: [2] },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..6 parallel (note: -3, unroll: 2)
      for C.j in 0..7
        for C.k@0 in 0..2
          block C@0 (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k@0 in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]
        for C.k@1 in 0..3
          block C@1 (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k@1 + 2 in 0..5)
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("a depth of unrolling is a word for the C compiler", () => {
  const trace = [{ kind: "unroll", loop: "C.k", depth: 4 }] as const;
  expect(textOf(trace).match(/.*pragma.*\n.*for.*/g)).toEqual([
    "      #pragma GCC unroll 4\n      for (long C_k = 0; C_k < 5; C_k++) {",
  ]);
  expect(textOf([{ kind: "annotate", loop: "C.k", key: "unroll", value: 4 }])).toBe(textOf(trace));
  expect(textOf([])).not.toContain("pragma");
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "annotate", loop: "C.x", key: "note", value: 1 })).toBe(
    refusedOn(
      gemm(),
      "annotate.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("no word", () => {
  expect(refusal(gemm(), { kind: "annotate", loop: "C.i", key: "*/", value: 1 })).toBe(
    refusedOn(gemm(), 'annotate.bad-key: "*/" is no word of small letters, digits and hyphens', ["C.i"]),
  );
});

test("a word that is there already", () => {
  const note = { kind: "annotate", loop: "C.i", key: "note", value: 1 } as const;
  expect(refusal(gemm(), note, note)).toMatchInlineSnapshot(`
    "annotate.twice: C.i has note already
     ▶ for C.i in 0..6 (note: 1)
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("values that no word has", () => {
  expect(refusal(gemm(), { kind: "annotate", loop: "C.i", key: "note", value: 0.5 })).toBe(
    refusedOn(gemm(), "annotate.bad-value: note of C.i is 0.5, an integer is wanted", ["C.i"]),
  );
  expect(refusal(gemm(), { kind: "annotate", loop: "C.i", key: "unroll", value: 0 })).toContain(
    "annotate.bad-value: C.i cannot be unrolled 0 times, 1 to 65534 are possible\n",
  );
});

test("a depth that no compiler takes", () => {
  expect(refusal(gemm(), { kind: "unroll", loop: "C.j", depth: 70000 })).toBe(
    refusedOn(gemm(), "unroll.bad-depth: C.j cannot be unrolled 70000 times, 1 to 65534 are possible", ["C.j"]),
  );
});

test("a second depth", () => {
  const unroll = { kind: "unroll", loop: "C.j", depth: 2 } as const;
  expect(refusal(gemm(), unroll, unroll)).toMatchInlineSnapshot(`
    "unroll.twice: C.j is to be unrolled 2 times already
       for C.i in 0..6
     ▶   for C.j in 0..7 (unroll: 2)
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
});
