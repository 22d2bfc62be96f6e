import { expect, test } from "vitest";
import { compute, defineOp, reduceAxis, sum, tensor } from "../../../../src/compiler/expr/authoring.ts";
import { fromCompute, instantiate, parseTrace, printTrace, traceToJson } from "../../../../src/compiler/index.ts";
import { blur, buffersAfter, gemm, padded, refusal, refusedOn, scattered, scheduled, tiled, whole } from "../nests.ts";

const splits = [
  { kind: "split", loop: "C.j", factors: [0, 4], tail: "mask" },
  { kind: "split", loop: "C.k", factors: [0, 2], tail: "cut" },
  { kind: "reorder", loops: ["C.k.0", "C.j.0", "C.i", "C.k.1", "C.j.1"] },
] as const;

test("panels of B, rounded up to whole tiles and filled with 0", () => {
  const [outer, inner] = tiled(1, 4);
  const pack = { kind: "cache-read", buffer: "B", loop: "C.k.0", layout: [outer, whole(0), inner] } as const;
  expect(scheduled(gemm(), ...splits, pack)).toMatchInlineSnapshot(`
    "for C.k.0 in 0..3 cut
      for B.pack.0 in 0..2
        for B.pack.1 in 0..2
          for B.pack.2 in 0..4
            block B.pack (p0 = B.pack.0 in 0..2, p1 = B.pack.1 in 0..2, p2 = B.pack.2 in 0..4)
              B.pack[p0, p1, p2] = select(C.k.0 * 2 + B.pack.1 < 5 && B.pack.0 * 4 + B.pack.2 < 7, B[C.k.0 * 2 + B.pack.1, B.pack.0 * 4 + B.pack.2], 0.0)
      for C.j.0 in 0..2 mask
        for C.i in 0..6
          for C.k.1 in 0..2 cut
            for C.j.1 in 0..4 mask
              block C (i = C.i in 0..6, j = C.j.0 * 4 + C.j.1 in 0..7, reduce k = C.k.0 * 2 + C.k.1 in 0..5)
                C[i, j] = 0.0 first
                C[i, j] += A[i, k] * B.pack[C.j.0, C.k.1, C.j.1]"
  `);
  expect(buffersAfter(gemm(), ...splits, pack).at(-1)).toBe("workspace B.pack f32[2, 2, 4]");
});

test("transposed", () => {
  expect(
    scheduled(gemm(), { kind: "cache-read", buffer: "A", loop: "C.i", layout: [whole(1), whole(0)] }),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..6
      for A.pack.0 in 0..5
        for A.pack.1 in 0..1
          block A.pack (p0 = A.pack.0 in 0..5, p1 = A.pack.1 in 0..1)
            A.pack[p0, p1] = A[C.i, A.pack.0]
      for C.j in 0..7
        for C.k in 0..5
          block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
            C[i, j] = 0.0 first
            C[i, j] += A.pack[C.k, 0] * B[k, j]"
  `);
});

test("a guarded read needs no guard any more", () => {
  expect(
    scheduled(
      padded,
      { kind: "split", loop: "y.i", factors: [0, 4], tail: "cut" },
      { kind: "cache-read", buffer: "x", loop: "y.i.0", layout: [whole(0)] },
    ),
  ).toMatchInlineSnapshot(`
    "for y.i.0 in 0..2 cut
      for x.pack.0 in 0..6
        block x.pack (p0 = x.pack.0 in 0..6)
          x.pack[p0] = select(y.i.0 * 4 + x.pack.0 >= 1 && y.i.0 * 4 + x.pack.0 < 8, x[y.i.0 * 4 + x.pack.0 - 1], 0.0)
      for y.i.1 in 0..4 cut
        for y.r in 0..3
          block y (i = y.i.0 * 4 + y.i.1 in 0..7, reduce r = y.r in 0..3)
            y[i] = 0.0 first
            y[i] += x.pack[y.i.1 + y.r] * w[r]"
  `);
});

test("an intermediate buffer", () => {
  expect(scheduled(blur, { kind: "cache-read", buffer: "P", loop: "Q.i", layout: [whole(0)] })).toMatchInlineSnapshot(`
    "for P.i in 0..10
      block P (i = P.i in 0..10)
        P[i] = X[i] * 2.0
    for Q.i in 0..9
      for P.pack.0 in 0..2
        block P.pack (p0 = P.pack.0 in 0..2)
          P.pack[p0] = P[P.pack.0 + Q.i]
      block Q (i = Q.i in 0..9)
        Q[i] = P.pack[0] + P.pack[1]"
  `);
});

const gramNest = fromCompute(
  instantiate(
    defineOp({}, () => {
      const X = tensor("X", [4, 6], "f32");
      const k = reduceAxis("k", 4);
      return compute("G", [6, 6], (i, j) => sum(X(k, i).mul(X(k, j)), k));
    }),
    {},
    "gram",
  ),
);
const rows = { block: "G", pattern: "k, i", copy: "X.pack.G" };
const columns = { block: "G", pattern: "k, j", copy: "X.2.pack.G" };
const copyOf = (reads: typeof rows) =>
  ({ kind: "cache-read", buffer: "X", loop: "G.i", layout: [whole(1), whole(0)], reads }) as const;

test("an operand that is read at two places: a copy for each", () => {
  expect(scheduled(gramNest, copyOf(rows), copyOf(columns))).toMatchInlineSnapshot(`
    "for G.i in 0..6
      for X.2.pack.G.0 in 0..6
        for X.2.pack.G.1 in 0..4
          block X.2.pack.G (p0 = X.2.pack.G.0 in 0..6, p1 = X.2.pack.G.1 in 0..4)
            X.2.pack.G[p0, p1] = X[X.2.pack.G.1, X.2.pack.G.0]
      {
        for X.pack.G.0 in 0..1
          for X.pack.G.1 in 0..4
            block X.pack.G (p0 = X.pack.G.0 in 0..1, p1 = X.pack.G.1 in 0..4)
              X.pack.G[p0, p1] = X[X.pack.G.1, G.i]
        for G.j in 0..6
          for G.k in 0..4
            block G (i = G.i in 0..6, j = G.j in 0..6, reduce k = G.k in 0..4)
              G[i, j] = 0.0 first
              G[i, j] += X.pack.G[0, G.k] * X.2.pack.G[G.j, G.k]
      }"
  `);
});

test("all of its reads together have no box", () => {
  expect(refusal(gramNest, { kind: "cache-read", buffer: "X", loop: "G.i", layout: [whole(0), whole(1)] })).toContain(
    "cache-read.not-affine: X is not read at affine indices under G.i",
  );
});

test("reads that the block does not have", () => {
  const reads = { ...rows, pattern: "i, k" };
  expect(refusal(gramNest, copyOf(reads))).toContain("cache-read.not-read: X is not read under G.i");
});

test("a trace says which reads a copy is for", () => {
  expect(printTrace([copyOf(rows)])).toBe("cache-read X[k, i] of G as X.pack.G at G.i layout [1] [0]");
  expect(parseTrace(traceToJson([copyOf(rows)]))).toEqual({ kind: "ok", trace: [copyOf(rows)] });
});

test("no such buffer", () => {
  expect(refusal(gemm(), { kind: "cache-read", buffer: "Z", loop: "C.i", layout: [] })).toBe(
    refusedOn(gemm(), "cache-read.no-such-buffer: there is no buffer Z", ["C.i"]),
  );
});

test("no such loop", () => {
  expect(refusal(gemm(), { kind: "cache-read", buffer: "A", loop: "C.x", layout: [] })).toBe(
    refusedOn(
      gemm(),
      "cache-read.no-such-loop: there is no loop C.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("twice", () => {
  const pack = { kind: "cache-read", buffer: "A", loop: "C.i", layout: [whole(0), whole(1)] } as const;
  expect(refusal(gemm(), pack, pack)).toMatchInlineSnapshot(`
    "cache-read.twice: A.pack is there already
     ▶ for C.i in 0..6
         for A.pack.0 in 0..1
           for A.pack.1 in 0..5
             block A.pack (p0 = A.pack.0 in 0..1, p1 = A.pack.1 in 0..5)
               A.pack[p0, p1] = A[C.i, A.pack.1]
         for C.j in 0..7
           for C.k in 0..5
             block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
               C[i, j] = 0.0 first
               C[i, j] += A.pack[0, C.k] * B[k, j]"
  `);
});

test("a buffer that is written under the loop", () => {
  expect(refusal(gemm(), { kind: "cache-read", buffer: "C", loop: "C.i", layout: [whole(0), whole(1)] })).toBe(
    refusedOn(gemm(), "cache-read.written: C is written under C.i", ["C.i"]),
  );
});

test.each([
  ["a dimension is missing", [whole(0)], "dimension 1 of A is not listed once whole, or once outer and once inner"],
  [
    "a dimension comes twice",
    [whole(0), whole(1), whole(1)],
    "dimension 1 of A is not listed once whole, or once outer and once inner",
  ],
  [
    "the halves differ",
    [whole(0), tiled(1, 2)[0], tiled(1, 4)[1]],
    "dimension 1 of A is not listed once whole, or once outer and once inner",
  ],
  ["a tile is 0", [whole(0), ...tiled(1, 0)], "a tile of dimension 1 is below 1"],
  ["there are too many dimensions", [whole(0), whole(1), whole(2)], "A has 2 dimensions"],
])("a bad layout: %s", (_, layout, message) => {
  expect(
    refusal(gemm(), { kind: "cache-read", buffer: "A", loop: "C.i", layout }),
  ).toBe(`cache-read.bad-layout: ${message}
 ▶ for C.i in 0..6
     for C.j in 0..7
       for C.k in 0..5
         block C (i = C.i in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
           C[i, j] = 0.0 first
           C[i, j] += A[i, k] * B[k, j]`);
});

test("a buffer that is not read under the loop", () => {
  expect(refusal(blur, { kind: "cache-read", buffer: "X", loop: "Q.i", layout: [whole(0)] })).toBe(
    refusedOn(blur, "cache-read.not-read: X is not read under Q.i", ["Q.i"]),
  );
});

test("a read that is not affine", () => {
  expect(refusal(scattered, { kind: "cache-read", buffer: "P", loop: "Q.i", layout: [whole(0)] })).toBe(
    refusedOn(scattered, "cache-read.not-affine: P is not read at affine indices under Q.i", ["Q.i"]),
  );
});
