import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { DiagnosticError, schedule, targets } from "../../../../src/compiler/index.ts";
import { gemm, refusal, refusedOn, scheduled } from "../nests.ts";

const rows = { kind: "bind", loop: "C.i", axis: "blockIdx.x" } as const;
const columns = { kind: "bind", loop: "C.j", axis: "threadIdx.x" } as const;

test("rows to blocks, columns to threads", () => {
  expect(scheduled(gemm(), rows, columns)).toMatchInlineSnapshot(`
    "for C.i in 0..6 blockIdx.x
      for C.j in 0..7 threadIdx.x
        for C.k in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("no such loop", () => {
  expect(refusal(gemm(), { ...rows, loop: "C.x" })).toBe(
    refusedOn(
      gemm(),
      "bind.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("a marked loop", () => {
  expect(refusal(gemm(), { kind: "unroll", loop: "C.i" }, rows)).toContain(
    "bind.marked: C.i is already unrolled\n ▶ for C.i in 0..6 unrolled\n",
  );
  expect(refusal(gemm(), rows, { kind: "vectorize", loop: "C.i" })).toMatchInlineSnapshot(`
    "vectorize.marked: C.i is already blockIdx.x
     ▶ for C.i in 0..6 blockIdx.x
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
});

test("a reduction", () => {
  expect(refusal(gemm(), { ...rows, loop: "C.k" })).toBe(
    refusedOn(
      gemm(),
      "bind.reduction: C.k drives the reduction of C, its iterations depend on each other",
      ["C.k"],
      "bind a loop over an axis of the result",
    ),
  );
});

test("one coordinate for two loops", () => {
  expect(refusal(gemm(), rows, { ...columns, axis: "blockIdx.x" })).toMatchInlineSnapshot(`
    "bind.taken: C.i is bound to blockIdx.x already
     ▶ for C.i in 0..6 blockIdx.x
     ▶   for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]"
  `);
  expect(refusal(gemm(), columns, { ...rows, axis: "threadIdx.x" })).toContain(
    "bind.taken: C.j is bound to threadIdx.x already\n",
  );
});

test.each([targets.avx2, targets.wasm])("$name has no grid of threads", (target) => {
  const nest = schedule(gemm(), [rows, columns]);
  const lowered = (): unknown => lower(nest, { target, numerics: "fast" });
  expect(lowered).toThrow(DiagnosticError);
  expect(lowered).toThrow(`bind.no-threads: C.i is bound to blockIdx.x, ${target.name} has no grid of threads
 ▶ for C.i in 0..6 blockIdx.x
 ▶   for C.j in 0..7 threadIdx.x
       for C.k in 0..5
         block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
           C[i, j] = 0.0 first
           C[i, j] += A[i, k] * B[k, j]
  hint: mark the loop parallel instead`);
});
