// Generated JavaScript: its text, and that it equals the interpreter bit for bit.

import { test as propertyTest } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { compileJs } from "../../../../src/compiler/codegen/js/compile.ts";
import { generateJs } from "../../../../src/compiler/codegen/js/generate-js.ts";
import { type DType, dtypes } from "../../../../src/compiler/expr/dtype.ts";
import type { TypedArray } from "../../../../src/compiler/expr/kernel-type.ts";
import { arrayOf, newArray } from "../../../../src/compiler/expr/typed-array.ts";
import {
  assign,
  constInt,
  define,
  forLoop,
  ifThen,
  localFrom,
  lt,
  seq,
  store,
  variable,
} from "../../../../src/compiler/ir/build.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import type { Buffer, LoopFunc } from "../../../../src/compiler/ir/loop-ir.ts";
import { naiveGemm, splitGemm } from "../../ir/nests.ts";
import { inputs, length, randomExpr } from "../../ir/random-expr.ts";

function runJs(func: LoopFunc, args: Readonly<Record<string, TypedArray>>): Readonly<Record<string, TypedArray>> {
  const source = generateJs(func);
  const all = source.parameters.map((each) => args[each.name] ?? newArray(each.dtype, each.length));
  compileJs(source)(...all);
  return Object.fromEntries(
    source.parameters.flatMap(({ name, role }, at) => (role === "output" ? [[name, all[at]!]] : [])),
  );
}

const ramp = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => Math.fround(Math.sin(at) * 3));

describe("text", () => {
  test("the naive gemm", () => {
    expect(generateJs(naiveGemm(2, 3, 4)).text).toBe(`const A = arg0;
const B = arg1;
const C = arg2;
for (let C_i = 0; C_i < 2; C_i++) {
  for (let C_j = 0; C_j < 3; C_j++) {
    for (let C_k = 0; C_k < 4; C_k++) {
      {
        const i = C_i;
        const j = C_j;
        const k = C_k;
        if (C_k === 0) C[(Math.imul(i, 3) + j | 0)] = 0;
        C[(Math.imul(i, 3) + j | 0)] = Math.fround(C[(Math.imul(i, 3) + j | 0)] + Math.fround(A[(Math.imul(i, 4) + k | 0)] * B[(Math.imul(k, 3) + j | 0)]));
      }
    }
  }
}`);
  });

  test("names that are not identifiers stay apart", () => {
    const X: Buffer = { name: "for", dtype: "i32", shape: [1], role: "output", memory: "caller" };
    const body = forLoop("a.b", 1, forLoop("a_b", 1, store(X, [variable("a.b")], variable("a_b"))));
    expect(generateJs({ name: "f", buffers: [X], body }).text).toContain("for_[a_b] = a_b_;");
  });
});

describe("equals the interpreter", () => {
  test("on nests with blocks", () => {
    const args = { A: ramp(15), B: ramp(35) };
    for (const func of [naiveGemm(3, 7, 5), splitGemm(3, 7, 5)])
      expect(runJs(func, args)).toEqual(interpret(func, args));
  });

  test("on locals, branches and loops", () => {
    const Y: Buffer = { name: "Y", dtype: "i32", shape: [8], role: "output", memory: "caller" };
    const sum = define("sum", constInt(1));
    const doubled = assign("sum", {
      kind: "binary",
      dtype: "i32",
      op: "add",
      left: localFrom(sum),
      right: localFrom(sum),
    });
    const [i, j] = [variable("i"), variable("j")];
    const body = seq(sum, forLoop("j", 8, ifThen(lt(j, i), doubled)), store(Y, [i], localFrom(sum)));
    const func: LoopFunc = { name: "powers", buffers: [Y], body: forLoop("i", 8, body) };
    expect(runJs(func, {}).Y).toEqual(Int32Array.of(1, 2, 4, 8, 16, 32, 64, 128));
    expect(interpret(func, {})).toEqual(runJs(func, {}));
  });

  const special = [
    0,
    -0,
    1,
    -1,
    0.5,
    -2.5,
    3.75,
    1e-40,
    65504,
    1e30,
    -7,
    127,
    255,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2,
  ];
  const samples = Object.fromEntries(
    inputs.map(({ name, dtype }) => [
      name,
      arrayOf(dtype, dtype === "bool" ? special.map((value) => Number(value > 0)) : special),
    ]),
  );

  for (const dtype of dtypes) {
    propertyTest.prop([randomExpr(dtype, 3)], { numRuns: 150 })(`on random expressions of ${dtype}`, (value) => {
      const Y: Buffer = { name: "Y", dtype: dtype satisfies DType, shape: [length], role: "output", memory: "caller" };
      const body = forLoop("i", length, store(Y, [variable("i")], value));
      const func: LoopFunc = { name: "f", buffers: [...inputs, Y], body };
      expect(runJs(func, samples)).toEqual(interpret(func, samples));
    });
  }
});
