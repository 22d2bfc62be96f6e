// What a schedule may not ask of threads, and what it may.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { interpret, type LoopFunc, schedule, type Trace, webgpu } from "../../../../src/compiler/index.ts";
import { accessFindings } from "../../../../src/compiler/ir/access-findings.ts";
import { blur, epilogue, gemm, inputsOf, repeat, twoGemms } from "../../schedule/nests.ts";

const lowered = (nest: LoopFunc, trace: Trace): LoopFunc =>
  lower(schedule(nest, trace), { target: webgpu, numerics: "fast" });

/** First line of what is said. */
function refusal(nest: LoopFunc, trace: Trace): string {
  try {
    lowered(nest, trace);
    return "";
  } catch (error) {
    return (error as Error).message.split("\n")[0]!;
  }
}

const bind = (loop: string, axis: "blockIdx.x" | "threadIdx.x" | "threadIdx.y" | "threadIdx.z") =>
  ({ kind: "bind", loop, axis }) as const;
const scope = (buffer: string, to: "group" | "register" | "workspace") =>
  ({ kind: "set-scope", buffer, scope: to }) as const;
const partial = { kind: "rfactor", loop: "C.k" } as const;

test("partial results that all groups share, in a loop over groups", () => {
  expect(refusal(gemm(), [partial, bind("C.i", "blockIdx.x")])).toBe(
    "bind.shared-storage: iterations of C.i, bound to blockIdx.x, store to the same elements of C.rf, which all groups share",
  );
});

test("partial results that a group shares, in a loop over its threads", () => {
  expect(refusal(gemm(), [partial, bind("C.i", "threadIdx.x"), scope("C.rf", "group")])).toBe(
    "bind.shared-storage: iterations of C.i, bound to threadIdx.x, store to the same elements of C.rf, which the threads of a group share",
  );
});

test("memory that a launch leaves", () => {
  expect(refusal(blur, [bind("Q.i", "threadIdx.x"), scope("P", "register")])).toBe(
    "set-scope.left-launch: P is in registers, which one launch leaves and another finds empty",
  );
  expect(refusal(blur, [bind("Q.i", "blockIdx.x"), scope("P", "group")])).toBe(
    "set-scope.left-launch: P is in the memory of a group, which one launch leaves and another finds empty",
  );
});

test("registers that an unrolled loop outside of all threads leaves from launch to launch", () => {
  const trace: Trace = [
    { kind: "merge-loops", first: "C.i", second: "D.i" },
    scope("C", "register"),
    bind("C.j", "threadIdx.x"),
  ];
  expect(refusal(epilogue, [...trace, bind("D.j", "threadIdx.x"), { kind: "unroll", loop: "C.i" }])).toBe(
    "set-scope.left-launch: C is in registers, which one launch leaves and another finds empty",
  );
});

test("registers of a loop that runs once, and is gone when its threads are launches", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.i", factors: [0, 5], tail: "cut" },
    { kind: "cache-write", block: "C", loop: "C.i.0", scope: "register" },
    bind("C.i.1.store", "threadIdx.x"),
  ];
  expect(refusal(gemm(5, 7, 6), trace)).toBe(
    "set-scope.left-launch: C.acc is in registers, which one launch leaves and another finds empty",
  );
});

test("a loop over groups inside of another loop, or beside other statements", () => {
  const inside = "is bound to blockIdx.x, and is not among the outermost loops of its launch";
  expect(refusal(gemm(), [bind("C.j", "blockIdx.x")])).toBe(`bind.not-outermost: C.j ${inside}`);
  const beside = { kind: "compute-at", block: "C", loop: "D.i" } as const;
  expect(refusal(twoGemms, [beside, bind("D.l", "blockIdx.x")])).toBe(`bind.not-outermost: D.l ${inside}`);
});

test("threads that would wait where the others do not come", () => {
  const trace: Trace = [
    { kind: "reverse-compute-at", block: "D", loop: "C.i" },
    bind("D.l", "threadIdx.x"),
    bind("C.j", "threadIdx.x"),
  ];
  expect(refusal(twoGemms, trace)).toBe(
    "bind.divergent-barrier: threads of a group would have to wait for each other where only those with threadIdx.x < 4 come",
  );
});

test("registers that rows of threads share, each row its own", () => {
  const trace: Trace = [
    { kind: "merge-loops", first: "C.i", second: "D.i" },
    scope("C", "register"),
    bind("D.j", "threadIdx.x"),
    bind("C.i", "threadIdx.y"),
  ];
  expect(refusal(epilogue, trace)).toBe(
    "bind.shared-storage: iterations of C.i, bound to threadIdx.y, store to the same elements of C, which the threads of a group share",
  );
});

test("a loop that comes back to elements of other threads", () => {
  const trace: Trace = [{ kind: "split", loop: "Q.i", factors: [0, 4], tail: "shift" }, bind("Q.i.1", "threadIdx.x")];
  expect(refusal(repeat, trace)).toBe(
    "bind.recomputes: Q.i.0 comes back to elements of Q that another iteration of Q.i.1, bound to threadIdx.x, has stored",
  );
});

const rows = (n: number) => [
  { kind: "split", loop: "C.j", factors: [0, n, 2], tail: "mask" } as const,
  { kind: "reorder", loops: ["C.j.1", "C.j.0"] } as const,
];

test.each<readonly [string, LoopFunc, Trace]>([
  ["partial results in registers", gemm(), [partial, bind("C.i", "threadIdx.x"), scope("C.rf", "register")]],
  ["partial results of a group", gemm(), [partial, bind("C.i", "blockIdx.x"), scope("C.rf", "group")]],
  [
    "a pack in registers",
    gemm(),
    [
      bind("C.j", "threadIdx.y"),
      {
        kind: "cache-read",
        buffer: "B",
        loop: "C.j",
        layout: [0, 1].map((dim) => ({ dim, part: "whole", tile: 1 })) as never,
      },
      scope("B.pack", "register"),
    ],
  ],
  ["neighbours between which other iterations store", gemm(4, 16, 8), [...rows(4), bind("C.j.1", "threadIdx.x")]],
  [
    "accumulators that threads fill together",
    gemm(),
    [{ kind: "cache-write", block: "C", loop: "C.i", scope: "register" }, bind("C.j", "threadIdx.x")],
  ],
  [
    "sums are no copies that run ahead",
    twoGemms,
    [
      bind("D.i", "blockIdx.x"),
      { kind: "annotate", loop: "D.l", key: "stages", value: 2 },
      { kind: "rfactor", loop: "D.n" },
      scope("D.rf", "group"),
    ],
  ],
  [
    "registers that threads along x store to, and threads along z read",
    epilogue,
    [
      { kind: "compute-at", block: "C", loop: "D.i" },
      bind("C.j", "threadIdx.x"),
      scope("C", "register"),
      bind("D.j", "threadIdx.z"),
    ],
  ],
])("%s: every thread has elements of its own", (_, nest, trace) => {
  const inputs = inputsOf(nest);
  const flat = lowered(nest, trace);
  expect(interpret(flat, inputs)).toEqual(interpret(nest, inputs));
  expect(accessFindings(flat, inputs).findings).toEqual([]);
});
