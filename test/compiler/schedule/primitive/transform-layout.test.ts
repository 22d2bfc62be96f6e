import { expect, test } from "vitest";
import type { LayoutDim } from "../../../../src/compiler/index.ts";
import { blur, buffersAfter, gemm, refusal, refusedOn, scheduled, tiled, twoGemms, whole } from "../nests.ts";

const layoutOf = (buffer: string, ...layout: readonly LayoutDim<number>[]) =>
  ({ kind: "transform-layout", buffer, layout }) as const;

const [outer, inner] = tiled(1, 3);

test("an intermediate buffer in panels", () => {
  expect(scheduled(twoGemms, layoutOf("C", outer, whole(0), inner))).toMatchInlineSnapshot(`
    "for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[j // 3, i, j % 3] = 0.0 first
            C[j // 3, i, j % 3] += A[i, k] * B[k, j]
    for D.i in 0..5
      for D.l in 0..6
        for D.n in 0..4
          block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
            D[i, l] = 0.0 first
            D[i, l] += C[n // 3, i, n % 3] * E[n, l]"
  `);
  expect(buffersAfter(twoGemms, layoutOf("C", outer, whole(0), inner)).at(-1)).toBe("workspace C f32[2, 5, 3]");
});

test("the reader walks the panels: the tiles of its loops are those of the layout", () => {
  expect(
    scheduled(
      twoGemms,
      { kind: "split", loop: "D.n", factors: [0, 3], tail: "cut" },
      { kind: "compute-at", block: "C", loop: "D.i" },
      layoutOf("C", outer, whole(0), inner),
    ),
  ).toMatchInlineSnapshot(`
    "for D.i in 0..5
      for C.i in 0..1
        for C.j in 0..6
          for C.k in 0..3
            block C (i = D.i + C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
              C[C.j // 3, 0, C.j % 3] = 0.0 first
              C[C.j // 3, 0, C.j % 3] += A[i, k] * B[k, j]
      for D.l in 0..6
        for D.n.0 in 0..2 cut
          for D.n.1 in 0..3 cut
            block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n.0 * 3 + D.n.1 in 0..4)
              D[i, l] = 0.0 first
              D[i, l] += C[D.n.0, 0, D.n.1] * E[n, l]"
  `);
});

test("an input is copied first", () => {
  expect(scheduled(gemm(), layoutOf("B", outer, whole(0), inner))).toMatchInlineSnapshot(`
    "for B.layout.0 in 0..3
      for B.layout.1 in 0..5
        for B.layout.2 in 0..3
          block B.layout (p0 = B.layout.0 in 0..3, p1 = B.layout.1 in 0..5, p2 = B.layout.2 in 0..3)
            B.layout[p0, p1, p2] = select(B.layout.0 * 3 + B.layout.2 < 7, B[B.layout.1, B.layout.0 * 3 + B.layout.2], 0.0)
    {
      for C.i in 0..6
        for C.j in 0..7
          for C.k in 0..5
            block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
              C[i, j] = 0.0 first
              C[i, j] += A[i, k] * B.layout[j // 3, k, j % 3]
    }"
  `);
  expect(buffersAfter(gemm(), layoutOf("B", outer, whole(0), inner)).at(-1)).toBe("workspace B.layout f32[3, 5, 3]");
});

test("no such buffer", () => {
  expect(refusal(blur, layoutOf("Z", whole(0)))).toBe(
    refusedOn(blur, "transform-layout.no-such-buffer: there is no buffer Z"),
  );
});

test("a result", () => {
  expect(refusal(blur, layoutOf("Q", whole(0)))).toBe(
    refusedOn(blur, "transform-layout.output: Q is a result, laid out as the caller wants it"),
  );
});

test("twice", () => {
  expect(refusal(blur, layoutOf("X", whole(0)), layoutOf("X", whole(0)))).toMatchInlineSnapshot(`
    "transform-layout.twice: X is laid out already
       for X.layout.0 in 0..10
         block X.layout (p0 = X.layout.0 in 0..10)
           X.layout[p0] = X[X.layout.0]
       {
         for P.i in 0..10
           block P (i = P.i in 0..10)
             P[i] = X.layout[i] * 2.0
         for Q.i in 0..9
           block Q (i = Q.i in 0..9)
             Q[i] = P[i] + P[i + 1]
       }"
  `);
});

test("twice, where the copy itself was inlined and its block has the name", () => {
  const inlined = { kind: "reverse-inline", block: "P" } as const;
  expect(refusal(blur, layoutOf("X", whole(0)), inlined, layoutOf("X", whole(0)))).toContain(
    "transform-layout.twice: X is laid out already",
  );
});

test("an input that is packed, so that nobody reads it", () => {
  const pack = { kind: "cache-read", buffer: "X", loop: "P.i", layout: [whole(0)] } as const;
  expect(scheduled(blur, pack, layoutOf("X", ...tiled(0, 4)))).toContain("X.pack[p0] = X.layout[");
});

test("a bad layout", () => {
  expect(refusal(blur, layoutOf("P", whole(0), whole(0)))).toBe(
    refusedOn(
      blur,
      "transform-layout.bad-layout: dimension 0 of P is not listed once whole, or once outer and once inner",
    ),
  );
});

test("a producer that is laid out stays where it is", () => {
  expect(
    refusal(twoGemms, layoutOf("C", outer, whole(0), inner), { kind: "compute-at", block: "C", loop: "D.i" }),
  ).toContain("compute-at.scheduled: C has been scheduled already");
});
