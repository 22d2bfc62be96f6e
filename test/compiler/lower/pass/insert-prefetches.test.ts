// Hints on their way through the passes.

import { expect, test } from "vitest";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import {
  codeGeneratorOf,
  interpret,
  type LoopFunc,
  printStmt,
  schedule,
  type TargetName,
  type Trace,
  targets,
} from "../../../../src/compiler/index.ts";
import { insertPrefetches } from "../../../../src/compiler/lower/pass/insert-prefetches.ts";
import { hintedPasses } from "../../../../src/compiler/lower/pipeline.ts";
import { eachCompiler } from "../../../native/compiled.ts";
import { gemm, inputsOf } from "../../schedule/nests.ts";

const context = { target: targets.avx2, numerics: "fast" } as const;
const flatOf = (nest: LoopFunc, trace: Trace) => lower(schedule(nest, trace), context);

test("it is a pass of its own, right after the blocks are lowered, for C alone", () => {
  expect(hintedPasses.indexOf(insertPrefetches)).toBe(1);
  const [lowerBlocks] = hintedPasses;
  const lowered = lowerBlocks!.run(
    schedule(gemm(), [{ kind: "prefetch", buffer: "A", loop: "C.i", distance: 2 }]),
    context,
  );
  expect(printStmt(insertPrefetches.run(lowered, context).body)).toMatchInlineSnapshot(`
    "for C.i in 0..6
      prefetch A[C.i + 2, 0]
      for C.j in 0..7
        for C.k in 0..5
          if C.k == 0
            C[C.i, C.j] = 0.0
          C[C.i, C.j] = C[C.i, C.j] + A[C.i, C.k] * B[C.k, C.j]"
  `);
  const passesOf = (target: TargetName) => codeGeneratorOf(targets[target]).passes;
  expect([passesOf("avx2"), passesOf("wasm")].map((passes) => passes.includes(insertPrefetches))).toEqual([
    true,
    false,
  ]);
});

test("lanes have one hint a vector; where they lie apart, one each", () => {
  const outer: Trace = [
    { kind: "split", loop: "C.j", factors: [0, 8], tail: "cut" },
    { kind: "reorder", loops: ["C.i", "C.j.0", "C.j.1", "C.k"] },
    { kind: "prefetch", buffer: "B", loop: "C.k", distance: 2 },
    { kind: "vectorize", loop: "C.j.1" },
  ];
  expect(printStmt(flatOf(gemm(2, 16, 4), outer).body)).toMatchInlineSnapshot(`
    "for C.i in 0..2
      for C.j.0 in 0..2 cut
        for C.k in 0..4
          prefetch B[C.k * 16 + C.j.0 * 8 + 32]
          if C.k == 0
            C[ramp(C.i * 16 + C.j.0 * 8, 1, 8)] = broadcast(0.0, 8)
          C[ramp(C.i * 16 + C.j.0 * 8, 1, 8)] = C[ramp(C.i * 16 + C.j.0 * 8, 1, 8)] + broadcast(A[C.i * 4 + C.k], 8) * B[ramp(C.k * 16 + C.j.0 * 8, 1, 8)]"
  `);
  const rows: Trace = [
    { kind: "reorder", loops: ["C.j", "C.i", "C.k"] },
    { kind: "prefetch", buffer: "A", loop: "C.k", distance: 1 },
    { kind: "vectorize", loop: "C.i" },
  ];
  expect(printStmt(flatOf(gemm(2, 3, 4), rows).body).match(/prefetch.*/g)).toEqual([
    "prefetch A[C.k + 1]",
    "prefetch A[C.k + 5]",
  ]);
});

test("a hint keeps no condition in its loop, and what is always beyond the end has none", () => {
  const trace: Trace = [
    { kind: "split", loop: "C.i", factors: [0, 4], tail: "guard" },
    { kind: "reorder", loops: ["C.i.0", "C.i.1", "C.k", "C.j"] },
    { kind: "prefetch", buffer: "B", loop: "C.k", distance: 1 },
  ];
  expect(printStmt(flatOf(gemm(6, 7, 5), trace).body)).toMatchInlineSnapshot(`
    "for C.i.0 in 0..2
      for C.i.1 in 0..4
        if C.i.0 * 4 + C.i.1 < 6
          for C.k in 0..5
            prefetch B[C.k * 7 + 7]
            let load_0: f32 = A[C.i.0 * 20 + C.i.1 * 5 + C.k]
            for C.j in 0..7
              if C.k == 0
                C[C.i.0 * 28 + C.i.1 * 7 + C.j] = 0.0
              C[C.i.0 * 28 + C.i.1 * 7 + C.j] = C[C.i.0 * 28 + C.i.1 * 7 + C.j] + load_0 * B[C.k * 7 + C.j]"
  `);
  const tail: Trace = [
    { kind: "split", loop: "C.i", factors: [0, 4], tail: "cut" },
    { kind: "prefetch", buffer: "C", loop: "C.i.0", distance: 0 },
  ];
  expect(printStmt(flatOf(gemm(5, 40, 3), tail).body).match(/prefetch.*/g)).toMatchInlineSnapshot(`
    [
      "prefetch C[0] to write",
      "prefetch C[16] to write",
      "prefetch C[32] to write",
      "prefetch C[48] to write",
      "prefetch C[64] to write",
      "prefetch C[80] to write",
      "prefetch C[96] to write",
      "prefetch C[112] to write",
      "prefetch C[128] to write",
      "prefetch C[144] to write",
      "prefetch C[160] to write",
      "prefetch C[176] to write",
      "prefetch C[192] to write",
    ]
  `);
});

test("the interpreter takes a hint for nothing, wherever it points", () => {
  const nest = gemm();
  const flat = flatOf(nest, [{ kind: "prefetch", buffer: "A", loop: "C.k", distance: 4 }]);
  expect(printStmt(flat.body)).toContain("prefetch A[C.i * 5 + C.k + 4]");
  expect(interpret(flat, inputsOf(nest))).toEqual(interpret(nest, inputsOf(nest)));
});

eachCompiler("as C", ({ compileFunctions }) => {
  test("hints inside, across and beyond the end of buffers, for reading and writing", async () => {
    const nest = gemm(6, 40, 7);
    const trace: Trace = [
      { kind: "split", loop: "C.j", factors: [0, 16], tail: "cut" },
      { kind: "reorder", loops: ["C.j.0", "C.k", "C.i", "C.j.1"] },
      { kind: "prefetch", buffer: "B", loop: "C.k", distance: 6 },
      { kind: "prefetch", buffer: "C", loop: "C.j.0", distance: 2 },
      { kind: "prefetch", buffer: "A", loop: "C.i", distance: 0 },
      { kind: "vectorize", loop: "C.j.1" },
    ];
    const call = await compileFunctions([flatOf(nest, trace)]);
    const { A, B } = inputsOf(nest);
    const C = new Float32Array(6 * 40);
    call(0, A!, B!, C);
    expect(C).toEqual(interpret(nest, inputsOf(nest)).C);
  });
});
