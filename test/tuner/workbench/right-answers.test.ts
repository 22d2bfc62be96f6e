// Stage by stage, by loops or by a strict kernel: the bits of the reference, every one.

import { describe, expect, test } from "vitest";
import {
  authoring,
  type ComputeDef,
  compileJs,
  elementsOf,
  evaluate,
  instantiate,
  kernelParameters,
  opLibrary,
  referenceLoops,
  type TypedArray,
} from "../../../src/compiler/index.ts";
import { testInputs } from "../../../src/tuner/check/inputs.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { rightAnswers } from "../../../src/tuner/workbench/right-answers.ts";

const { compute, defineOp, exp, reduceAxis, sum, tensor } = authoring;

const chain = defineOp({}, () => {
  const A = tensor("A", [96, 300], "f32");
  const B = tensor("B", [300, 400], "f32");
  const E = tensor("E", [400, 310], "f32");
  const [k, l] = [reduceAxis("k", 300), reduceAxis("l", 400)];
  const S = compute("S", [96, 400], (i, j) => sum(A(i, k).mul(B(k, j)), k));
  const X = compute("X", [96, 400], (i, j) => exp(S(i, j)));
  return compute("C", [96, 310], (i, j) => sum(X(i, l).mul(E(l, j)), l));
});

const ops: Readonly<Record<string, ComputeDef>> = {
  "gemm f32": instantiate(opLibrary.gemm({ M: 211, N: 223, K: 227, dtype: "f32" }), {}, "x"),
  "gemm f64": instantiate(opLibrary.gemm({ M: 211, N: 223, K: 227, dtype: "f64" }), {}, "x"),
  "gemm i8": instantiate(opLibrary.gemm({ M: 211, N: 223, K: 227, dtype: "i8" }), {}, "x"),
  "conv2d, padded, f32": instantiate(opLibrary.conv2d({ H: 29, W: 31, C: 37, F: 41, padding: 1 }), {}, "x"),
  "products around an exp": instantiate(chain, {}, "x"),
  softmax: instantiate(opLibrary.softmax({ M: 37, N: 41 }), {}, "x"),
};

const loopsOf = (op: ComputeDef, inputs: readonly TypedArray[]): readonly TypedArray[] => {
  const outputs = rightAnswers(op, inputs).map((array) => array.slice().fill(7));
  compileJs(referenceLoops(op))(...inputs, ...outputs);
  return outputs;
};

describe("the right answers are those of the reference loops, to the bit", () => {
  test.each(Object.keys(ops))("%s", (name) => {
    const op = ops[name]!;
    const rng = createRng(3);
    const inputs = testInputs(op.inputs, { kind: "reals", from: -0.3, to: 0.4 }, rng.unit);
    expect(rightAnswers(op, inputs)).toEqual(loopsOf(op, inputs));
  });
});

test("elements of one stage are those of the interpreter", () => {
  const op = instantiate(opLibrary.gemm({ M: 3, N: 5, K: 7, dtype: "f32" }), {}, "x");
  const rng = createRng(3);
  const [A, B] = testInputs(op.inputs, { kind: "reals", from: -1, to: 1 }, rng.unit) as [TypedArray, TypedArray];
  const inputs = { [op.inputs[0]!.name]: A, [op.inputs[1]!.name]: B };
  const { name, length } = kernelParameters(op).at(-1)!;
  const element = elementsOf(op, inputs);
  expect(Array.from({ length }, (_, at) => element(at))).toEqual([...evaluate(op, inputs)[name]!]);
});
