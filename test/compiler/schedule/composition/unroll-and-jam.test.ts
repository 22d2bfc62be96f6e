import { expect, test } from "vitest";
import { printTrace, unrollAndJam } from "../../../../src/compiler/index.ts";
import { gemm, refusal, scheduled } from "../nests.ts";

test("four rows at a time", () => {
  const trace = unrollAndJam(gemm(), "C.i", { factor: 4 });
  expect(printTrace(trace)).toBe("split C.i [0, 4] cut\nreorder C.j C.k C.i.1\nunroll C.i.1");
  expect(scheduled(gemm(), ...trace)).toMatchInlineSnapshot(`
    "for C.i.0 in 0..2 cut
      for C.j in 0..7
        for C.k in 0..5
          for C.i.1 in 0..4 unrolled cut
            block C (i = C.i.0 * 4 + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("the whole loop, and the innermost one", () => {
  expect(printTrace(unrollAndJam(gemm(), "C.j"))).toBe("reorder C.k C.j\nunroll C.j");
  expect(printTrace(unrollAndJam(gemm(), "C.k", { factor: 2, tail: "mask" }))).toBe(
    "split C.k [0, 2] mask\nunroll C.k.1",
  );
});

test("what is not legal is refused by the instructions", () => {
  expect(refusal(gemm(), ...unrollAndJam(gemm(), "C.x", { factor: 2 }).slice(0, 1))).toContain("split.no-such-loop");
});
