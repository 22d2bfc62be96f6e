import { expect, test } from "vitest";
import { compute, defineOp, type Expr, type Tensor, tensor } from "../../../../src/compiler/expr/authoring.ts";
import { fromCompute, instantiate, type LoopFunc, replay } from "../../../../src/compiler/index.ts";
import { operandsOf } from "../../../../src/compiler/ir/visit.ts";
import { blocksIn } from "../../../../src/compiler/schedule/nest.ts";
import { parentsFirst } from "../../../../src/compiler/support/graph.ts";
import { blur, buffersAfter, gemm, refusal, refusedOn, rowMajor, scattered, scheduled, twoGemms } from "../nests.ts";

test("a block that is read at two places", () => {
  expect(scheduled(blur, { kind: "inline", block: "P" })).toMatchInlineSnapshot(`
    "for Q.i in 0..9
      block Q (i = Q.i in 0..9)
        Q[i] = X[i] * 2.0 + X[i + 1] * 2.0"
  `);
  expect(buffersAfter(blur, { kind: "inline", block: "P" })).toEqual(["input X f32[10]", "output Q f32[9]"]);
});

test("a read that is not affine", () => {
  expect(scheduled(scattered, { kind: "inline", block: "P" })).toMatchInlineSnapshot(`
    "for Q.i in 0..5
      block Q (i = Q.i in 0..5)
        Q[i] = X[i * i % 5] * 3.0"
  `);
});

test("no such block", () => {
  expect(refusal(blur, { kind: "inline", block: "R" })).toBe(
    refusedOn(blur, "inline.no-such-block: there is no block R", [], "blocks are named after their stages"),
  );
});

test("a reduction", () => {
  expect(refusal(twoGemms, { kind: "inline", block: "C" })).toBe(
    refusedOn(twoGemms, "inline.reduction: C is a reduction"),
  );
});

test("a result of the kernel", () => {
  expect(refusal(blur, { kind: "inline", block: "Q" })).toBe(
    refusedOn(blur, "inline.output: Q is a result of the kernel"),
  );
});

test("one of several writers", () => {
  const trace = [
    { kind: "decompose-reduction", block: "C", loop: "C.i" },
    { kind: "inline", block: "C.init" },
  ] as const;
  expect(refusal(twoGemms, ...trace)).toMatchInlineSnapshot(`
    "inline.several-writers: C.init is not the only block that writes C
       {
         for C.i.init in 0..5
           for C.j.init in 0..4
             block C.init (i = C.i.init in 0..5, j = C.j.init in 0..4)
               C[i, j] = 0.0
         for C.i in 0..5
           for C.j in 0..4
             for C.k in 0..3
               block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
                 C[i, j] += A[i, k] * B[k, j]
       }
       for D.i in 0..5
         for D.l in 0..6
           for D.n in 0..4
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += C[i, n] * E[n, l]"
  `);
});

test("a pack", () => {
  expect(
    refusal(
      gemm(),
      { kind: "split", loop: "C.i", factors: [0, 2], tail: "cut" },
      { kind: "cache-read", buffer: "A", loop: "C.i.0", layout: rowMajor },
      { kind: "inline", block: "A.pack" },
    ),
  ).toMatchInlineSnapshot(`
    "inline.scheduled: A.pack has been scheduled already
       for C.i.0 in 0..3 cut
         for A.pack.0 in 0..2
           for A.pack.1 in 0..5
             block A.pack (p0 = A.pack.0 in 0..2, p1 = A.pack.1 in 0..5)
               A.pack[p0, p1] = A[C.i.0 * 2 + A.pack.0, A.pack.1]
         for C.i.1 in 0..2 cut
           for C.j in 0..7
             for C.k in 0..5
               block C (i = C.i.0 * 2 + C.i.1 in 0..6, j = C.j in 0..7, reduce k = C.k in 0..5)
                 C[i, j] = 0.0 first
                 C[i, j] += A.pack[C.i.1, C.k] * B[k, j]"
  `);
});

test("what writes accumulators back", () => {
  expect(
    refusal(
      twoGemms,
      { kind: "cache-write", block: "C", loop: "C.k", scope: "register" },
      { kind: "inline", block: "C.store" },
    ),
  ).toMatchInlineSnapshot(`
    "inline.local-operand: C.store reads C.acc, which holds a part at a time
       for C.i in 0..5
         for C.j in 0..4
           for C.k in 0..3
             block C.init (i = C.i in 0..5, j = C.j in 0..4)
               C.acc[0, 0] = select(C.k == 0, 0.0, C[i, j])
             block C (i = C.i in 0..5, j = C.j in 0..4, reduce k = C.k in 0..3)
               C.acc[0, 0] += A[i, k] * B[k, j]
             block C.store (i = C.i in 0..5, j = C.j in 0..4)
               C[i, j] = C.acc[0, 0]
       for D.i in 0..5
         for D.l in 0..6
           for D.n in 0..4
             block D (i = D.i in 0..5, l = D.l in 0..6, reduce n = D.n in 0..4)
               D[i, l] = 0.0 first
               D[i, l] += C[i, n] * E[n, l]"
  `);
});

/** Stage n of a chain of maps, each of which reads the one before it where `reads` says. */
const chain = (stages: number, element: (read: (index: Expr) => Expr, i: Expr) => Expr): LoopFunc =>
  fromCompute(
    instantiate(
      defineOp({}, () => {
        let before: (index: Expr) => Expr = tensor("X", [64], "f32");
        let last: Tensor = compute("s0", [64], (i) => before(i).mul(2));
        for (let stage = 1; stage < stages; stage++) {
          before = last;
          last = compute(`s${stage}`, [64], (i) => element(before, i));
        }
        return last;
      }),
      {},
      "chain",
    ),
  );

const inlineAll = (nest: LoopFunc, stages: number) =>
  replay(
    nest,
    Array.from({ length: stages - 1 }, (_, at) => ({ kind: "inline" as const, block: `s${at}` })),
  );

test("a value that is read at one place several times stays one", () => {
  const result = inlineAll(
    chain(40, (read, i) => read(i).mul(read(i)).sub(read(i))),
    40,
  );
  if (result.kind !== "ok") throw new Error(result.diagnostic.message);
  const [block] = blocksIn(result.nest.body);
  expect(parentsFirst(block!.value, operandsOf)).toHaveLength(2 * 39 + 4);
});

test("a value that would be computed at ever more places, or be too deep, is not inlined", () => {
  const clamped = (index: Expr): Expr => index.max(0).min(63);
  const stencil = chain(14, (read, i) =>
    read(clamped(i.sub(1)))
      .add(read(clamped(i.add(1))))
      .add(read(clamped(i.mul(2)))),
  );
  const result = inlineAll(stencil, 14);
  expect(result.kind === "illegal" && result.diagnostic.code).toBe("inline.too-large");
  const deep = chain(5, (read, i) => {
    let value = read(i);
    for (let at = 0; at < 900; at++) value = value.mul(0.5).add(1);
    return value;
  });
  const other = inlineAll(deep, 5);
  expect(other.kind === "illegal" && other.diagnostic.message).toContain("operations deep, at most 4000");
});
