// Functions with constant inputs in two: what is computed once, and what is left.

import { expect, test } from "vitest";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import {
  authoring,
  fromCompute,
  type Instruction,
  instantiate,
  type Op,
  printFunc,
  schedule,
} from "../../../src/compiler/index.ts";
import { placeOf } from "../../../src/compiler/ir/buffer.ts";
import { splitPreparation } from "../../../src/compiler/launch/split-preparation.ts";

const nestOf = (op: Op, parameters: Readonly<Record<string, number>>, trace: readonly Instruction[]) =>
  schedule(fromCompute(instantiate(op, parameters, "op"), "op"), trace);

const panels: Instruction = {
  kind: "transform-layout",
  buffer: "B",
  layout: [
    { dim: 1, part: "outer", tile: 4 },
    { dim: 0, part: "whole", tile: 1 },
    { dim: 1, part: "inner", tile: 4 },
  ],
};
const laidOut = nestOf(gemm, { M: 3, N: 6, K: 2 }, [panels]);

test("the layout of a constant is made once", () => {
  const { prepare, run } = splitPreparation(laidOut, ["B"]);
  expect(`${printFunc(prepare!)}\n\n${printFunc(run)}`).toMatchInlineSnapshot(`
    "op_prepare
      input     B: f32[2, 6]
      output    B.layout: f32[2, 2, 4]

    for B.layout.0 in 0..2
      for B.layout.1 in 0..2
        for B.layout.2 in 0..4
          block B.layout (p0 = B.layout.0 in 0..2, p1 = B.layout.1 in 0..2, p2 = B.layout.2 in 0..4)
            B.layout[p0, p1, p2] = select(B.layout.0 * 4 + B.layout.2 < 6, B[B.layout.1, B.layout.0 * 4 + B.layout.2], 0.0)

    op
      input     A: f32[3, 2]
      input     B: f32[2, 6]
      input     B.layout: f32[2, 2, 4]
      output    C: f32[3, 6]

    for C.i in 0..3
      for C.j in 0..6
        for C.k in 0..2
          block C (i = C.i in 0..3, j = C.j in 0..6, reduce k = C.k in 0..2)
            C[i, j] = 0.0 first
            C[i, j] += A[i, k] * B.layout[j // 4, k, j % 4]"
  `);
});

test("of an input that is none it stays where it is", () => {
  for (const constants of [[], ["A"]]) {
    expect(splitPreparation(laidOut, constants)).toEqual({ prepare: null, run: laidOut });
  }
});

test("what depends on no input is left where it is, unless there are constants", () => {
  const { cast, compute, defineOp, reduceAxis, sum, tensor } = authoring;
  const weighted = defineOp({ M: 3, K: 4 }, ({ M, K }) => {
    const X = tensor("X", [M, K], "f32");
    const k = reduceAxis("k", K);
    const places = compute("places", [K], (at) => cast(at, "f32"));
    return compute("out", [M], (i) => sum(X(i, k).mul(places(k)), k));
  });
  const nest = nestOf(weighted, {}, []);
  expect(splitPreparation(nest, [])).toEqual({ prepare: null, run: nest });
});

test("a stage of constants alone is one too, and what only it needs goes with it", () => {
  const chain = nestOf(gemmExpGemm, { M: 3, N: 4, K: 2, L: 5 }, []);
  const { prepare, run } = splitPreparation(chain, ["A", "B"]);
  const shown = ({ buffers }: typeof run) => buffers.map((buffer) => `${buffer.name} ${placeOf(buffer)}`);
  expect({ prepare: shown(prepare!), run: shown(run) }).toMatchInlineSnapshot(`
    {
      "prepare": [
        "A input",
        "B input",
        "D output",
        "C workspace",
      ],
      "run": [
        "A input",
        "B input",
        "E input",
        "D input",
        "F output",
      ],
    }
  `);
});

test("results are never a part of it, nor sums that go on in what is left", () => {
  const all = splitPreparation(laidOut, ["A", "B"]);
  expect(all.prepare!.buffers.map(({ name }) => name)).toEqual(["B", "B.layout"]);
  const start: Instruction = { kind: "decompose-reduction", block: "C", loop: "C.i" };
  const sums = nestOf(gemmExpGemm, { M: 3, N: 4, K: 2, L: 5 }, [start]);
  expect(splitPreparation(sums, ["B", "E"])).toEqual({ prepare: null, run: sums });
});
