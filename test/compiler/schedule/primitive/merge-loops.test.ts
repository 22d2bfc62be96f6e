import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { firstConflict } from "../../../../src/compiler/schedule/dependence.ts";
import { blur, buffersAfter, epilogue, gemmMapGemm, refusal, refusedOn, scheduled, twoGemms } from "../nests.ts";
import { access, copyNest } from "../two-loops.ts";

const rows = [
  { kind: "merge-loops", first: "C.i", second: "D.i" },
  { kind: "merge-loops", first: "C.i", second: "F.i" },
] as const;

test("two products with a map between them, row by row", () => {
  expect(scheduled(gemmMapGemm, ...rows)).toMatchInlineSnapshot(`
    "for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[0, C.j] = 0.0 first
            C[0, C.j] += A[i, k] * B[k, j]
      for D.j in 0..4
        block D (i = C.i in 0..5, j = D.j in 0..4)
          D[0, D.j] = C[0, D.j] * 2.0
      for F.l in 0..6
        for F.n in 0..4
          block F (i = C.i in 0..5, l = F.l in 0..6, reduce n = F.n in 0..4)
            F[i, l] = 0.0 first
            F[i, l] += D[0, F.n] * E[n, l]"
  `);
  expect(buffersAfter(gemmMapGemm, ...rows)).toEqual(
    expect.arrayContaining(["workspace C f32[1, 4]", "workspace D f32[1, 4]"]),
  );
});

test("and column by column of the first", () => {
  expect(
    scheduled(
      gemmMapGemm,
      ...rows,
      { kind: "merge-loops", first: "C.j", second: "D.j" },
      { kind: "reorder", loops: ["F.n", "F.l"] },
      { kind: "merge-loops", first: "C.j", second: "F.n" },
    ),
  ).toMatchInlineSnapshot(`
    "for C.i in 0..5
      for C.j in 0..4
        for C.k in 0..3
          block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
            C[0, C.j] = 0.0 first
            C[0, C.j] += A[i, k] * B[k, j]
        block D (i = C.i in 0..5, j = C.j in 0..4)
          D[0, C.j] = C[0, C.j] * 2.0
        for F.l in 0..6
          block F (i = C.i in 0..5, l = F.l in 0..6, reduce n = C.j in 0..4)
            F[i, l] = 0.0 first
            F[i, l] += D[0, C.j] * E[n, l]"
  `);
});

test("tiles, and loops that were fused", () => {
  scheduled(
    twoGemms,
    { kind: "split", loop: "C.i", factors: [0, 2], tail: "mask" },
    { kind: "split", loop: "D.i", factors: [3, 2], tail: "cut" },
    { kind: "merge-loops", first: "C.i.0", second: "D.i.0" },
  );
  const fused = [
    { kind: "fuse", outer: "C.i", inner: "C.j" },
    { kind: "fuse", outer: "D.i", inner: "D.j" },
    { kind: "merge-loops", first: "C.i+C.j", second: "D.i+D.j" },
  ] as const;
  expect(scheduled(epilogue, ...fused)).toMatchInlineSnapshot(`
    "for C.i+C.j in 0..30
      for C.k in 0..4
        block C (i = C.i+C.j // 5 in 0..6, j = C.i+C.j % 5 in 0..5, reduce k = C.k in 0..4)
          C[0, 0] = 0.0 first
          C[0, 0] += A[i, k] * B[k, j]
      block D (i = C.i+C.j // 5 in 0..6, j = C.i+C.j % 5 in 0..5)
        D[i, j] = max(C[0, 0] + b[j], 0.0)"
  `);
});

test("no such loop", () => {
  expect(refusal(blur, { kind: "merge-loops", first: "P.i", second: "Q.x" })).toBe(
    refusedOn(
      blur,
      "merge-loops.no-such-loop: there is no loop Q.x",
      [],
      "loops are named stage.axis, and loop.0, loop.1, … after a split",
    ),
  );
});

test("loops with something between them, or in the wrong order", () => {
  expect(refusal(gemmMapGemm, { kind: "merge-loops", first: "C.i", second: "F.i" })).toBe(
    refusedOn(gemmMapGemm, "merge-loops.not-consecutive: F.i does not follow right after C.i", ["C.i", "F.i"]),
  );
  expect(refusal(epilogue, { kind: "merge-loops", first: "D.i", second: "C.i" })).toContain(
    "merge-loops.not-consecutive: C.i does not follow right after D.i\n",
  );
  expect(refusal(epilogue, { kind: "merge-loops", first: "C.i", second: "C.i" })).toContain(
    "merge-loops.not-consecutive: C.i does not follow right after C.i\n",
  );
});

test("loops of different extents", () => {
  expect(refusal(blur, { kind: "merge-loops", first: "P.i", second: "Q.i" })).toBe(
    refusedOn(blur, "merge-loops.extents: P.i has 10 iterations, Q.i has 9", ["P.i", "Q.i"]),
  );
});

test("a marked loop", () => {
  expect(
    refusal(epilogue, { kind: "parallel", loop: "D.i" }, { kind: "merge-loops", first: "C.i", second: "D.i" }),
  ).toMatchInlineSnapshot(`
    "merge-loops.marked: a marked loop cannot be merged
     ▶ for C.i in 0..6
         for C.j in 0..5
           for C.k in 0..4
             block C (i = C.i in 0..6, j = C.j in 0..5, reduce k = C.k in 0..4)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
     ▶ for D.i in 0..6 parallel
         for D.j in 0..5
           block D (i = D.i in 0..6, j = D.j in 0..5)
             D[i, j] = max(C[i, j] + b[j], 0.0)
      hint: merge first, mark then"
  `);
});

test("a neighbour that a later iteration computes", () => {
  expect(
    refusal(
      blur,
      { kind: "split", loop: "P.i", factors: [0, 4], tail: "cut" },
      { kind: "split", loop: "Q.i", factors: [0, 4], tail: "cut" },
      { kind: "merge-loops", first: "P.i.0", second: "Q.i.0" },
    ),
  ).toMatchInlineSnapshot(`
    "merge-loops.dependence: Q reads P[i + 1] in an iteration of Q.i.0, and P writes it in a later one of P.i.0
     ▶ for P.i.0 in 0..3 cut
         for P.i.1 in 0..4 cut
     ▶     block P (i = P.i.0 * 4 + P.i.1 in 0..10)
             P[i] = X[i] * 2.0
     ▶ for Q.i.0 in 0..3 cut
         for Q.i.1 in 0..4 cut
     ▶     block Q (i = Q.i.0 * 4 + Q.i.1 in 0..9)
             Q[i] = P[i] + P[i + 1]"
  `);
});

test("a whole row that a later iteration completes", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "reorder", loops: ["C.j", "C.i"] },
      { kind: "reorder", loops: ["D.n", "D.i"] },
      { kind: "reorder", loops: ["C.k", "C.j"] },
      { kind: "split", loop: "D.n", factors: [3, 2], tail: "guard" },
      { kind: "merge-loops", first: "C.k", second: "D.n.0" },
    ),
  ).toMatchInlineSnapshot(`
    "merge-loops.dependence: D reads C[i, n] in an iteration of D.n.0, and C writes it in a later one of C.k
     ▶ for C.k in 0..3
         for C.i in 0..5
           for C.j in 0..4
     ▶       block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
               C[i, j] = 0.0 first
               C[i, j] += A[i, k] * B[k, j]
     ▶ for D.n.0 in 0..3
         for D.n.1 in 0..2
           for D.l in 0..6
             for D.i in 0..5
     ▶         block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n.0 * 2 + D.n.1 in 0..4)
                 D[i, l] = 0.0 first
                 D[i, l] += C[i, n] * E[n, l]"
  `);
});

// ── the dependence test, beside trying all pairs ────────────────────────────────────────────────────────────────────

const coefficient = fc.integer({ min: -3, max: 3 });
const index = fc.record({ t: coefficient, inner: coefficient, constant: fc.integer({ min: 0, max: 6 }) });

property.prop([fc.array(fc.tuple(index, index), { minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 4 })])(
  "what is found independent is",
  (dims, extent) => {
    const innerExtent = 3;
    const at = ({ t, inner, constant }: (typeof dims)[0][0], step: number, x: number): number =>
      t * step + inner * x + constant;
    const nest = copyNest(
      extent,
      innerExtent,
      access(
        dims.map(([write]) => write),
        "w.t",
        "w.x",
      ),
      access(
        dims.map(([, read]) => read),
        "r.t",
        "r.x",
      ),
    );
    const steps = [...Array(extent).keys()];
    const xs = [...Array(innerExtent).keys()];
    const clash = steps.some((later) =>
      steps
        .filter((earlier) => earlier < later)
        .some((earlier) =>
          xs.some((x) => xs.some((y) => dims.every(([write, read]) => at(write, later, x) === at(read, earlier, y)))),
        ),
    );
    const [first, second] = nest.loops;
    const found = firstConflict(nest.func, first, second, []);
    if (clash) expect(found).not.toBeNull();
    // One dimension that one loop drives is decided exactly.
    const exact = dims.length === 1 && dims.every(([write, read]) => write.inner === 0 && read.inner === 0);
    if (exact && dims[0]![0].t === dims[0]![1].t) expect(found !== null).toBe(clash);
  },
);

test("one iteration has no later ones", () => {
  const { func, loops } = copyNest(1, 3, [], []);
  expect(firstConflict(func, loops[0], loops[1], [])).toBeNull();
});
