import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { interpret, printStmt, schedule, targets } from "../../../../src/compiler/index.ts";
import { blur, buffersAfter, gemm, inputsOf, refusal, refusedOn, scheduled, twoGemms } from "../nests.ts";

const align = (buffer: string, dim: number, factor: number, offset: number) =>
  ({ kind: "storage-align", buffer, dim, factor, offset }) as const;

test("rows of 4 elements begin 11 apart: the flat index", () => {
  expect(scheduled(twoGemms, align("C", 0, 8, 3))).toBe(scheduled(twoGemms));
  expect(buffersAfter(twoGemms, align("C", 0, 8, 3)).at(-1)).toBe("workspace C f32[5, 11]");
  const flat = lower(schedule(twoGemms, [align("C", 0, 8, 3)]), { target: targets.avx2, numerics: "strict" });
  expect(printStmt(flat.body)).toMatchInlineSnapshot(`
    "for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          if C.k == 0
            C[C.i * 11 + C.j] = 0.0
          C[C.i * 11 + C.j] = C[C.i * 11 + C.j] + A[C.i * 3 + C.k] * B[C.k * 4 + C.j]
    for D.i in 0..5
      for D.l in 0..6
        for D.n in 0..4
          if D.n == 0
            D[D.i * 6 + D.l] = 0.0
          D[D.i * 6 + D.l] = D[D.i * 6 + D.l] + C[D.i * 11 + D.n] * E[D.n * 6 + D.l]"
  `);
});

test("a stride of several dimensions", () => {
  const layout = [
    { dim: 0, part: "whole", tile: 1 },
    { dim: 1, part: "outer", tile: 2 },
    { dim: 1, part: "inner", tile: 2 },
  ] as const;
  const tiled = { kind: "transform-layout", buffer: "C", layout } as const;
  expect(buffersAfter(twoGemms, tiled, align("C", 0, 16, 6)).at(-1)).toBe("workspace C f32[5, 3, 2]");
  expect(refusal(twoGemms, tiled, align("C", 0, 16, 5))).toMatchInlineSnapshot(`
    "storage-align.unreachable: rows of 2 elements never make a stride of k*16 + 5
       for C.i in 0..5
         for C.j in 0..4
           for C.k in 0..3
             block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
               C[i, j // 2, j % 2] = 0.0 first
               C[i, j // 2, j % 2] += A[i, k] * B[k, j]
       for D.i in 0..5
         for D.l in 0..6
           for D.n in 0..4
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += C[i, n // 2, n % 2] * E[n, l]"
  `);
});

// The copies of `pad` and of `cache-read` hold what was written, never the elements between rows: their operand may be
// computed in place afterwards, and there is no formula for those.
const apart = [{ kind: "share-element", block: "C" }, align("C.element", 0, 4, 0)] as const;
const inPlace = { kind: "inline", block: "C.element" } as const;
const packed = {
  kind: "cache-read",
  buffer: "C.element",
  loop: "C.i",
  layout: [
    { dim: 0, part: "whole", tile: 1 },
    { dim: 1, part: "outer", tile: 4 },
    { dim: 2, part: "whole", tile: 1 },
    { dim: 1, part: "inner", tile: 4 },
  ],
} as const;

test.each([
  ["a padded copy", { kind: "pad", block: "C", multiples: [2, 1, 4] }],
  ["a padded copy of both", { kind: "pad", block: "C", multiples: [2, 4, 4] }],
  ["a packed copy", packed],
] as const)("%s, and its operand computed in place", (_, copy) => {
  const nest = gemm(5, 7, 6);
  expect(buffersAfter(nest, ...apart).at(-1)).toBe("workspace C.element f32[5, 8, 6]");
  const inputs = inputsOf(nest);
  expect(interpret(schedule(nest, [...apart, copy, inPlace]), inputs)).toEqual(interpret(nest, inputs));
});

test("no such buffer", () => {
  expect(refusal(blur, align("Z", 0, 8, 0))).toBe(
    refusedOn(blur, "storage-align.no-such-buffer: there is no buffer Z"),
  );
});

test("a parameter", () => {
  expect(refusal(blur, align("X", 0, 8, 0))).toBe(refusedOn(blur, "storage-align.parameter: X is the caller's memory"));
});

test("one dimension has no rows", () => {
  expect(refusal(blur, align("P", 0, 8, 0))).toBe(
    refusedOn(blur, "storage-align.no-stride: dimension 0 of P has no rows of which the length could be chosen"),
  );
});

test("no stride", () => {
  expect(refusal(twoGemms, align("C", 0, 8, 8))).toBe(
    refusedOn(twoGemms, "storage-align.bad-factor: a stride of k*8 + 8 is none: 0 <= offset < factor is wanted"),
  );
});
