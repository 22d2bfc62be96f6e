// Random schedules of whole operators, lowered and compiled as C: what the naive nest computes, exactly.

import fc from "fast-check";
import { expect } from "vitest";
import conv2d from "../../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../../fixtures/ops/gemm.op.ts";
import gemmInt8 from "../../../../fixtures/ops/gemm-int8.op.ts";
import { lower } from "../../../../src/compiler/backend/lower.ts";
import { generateC } from "../../../../src/compiler/codegen/c/generate-c.ts";
import type { TypedArray } from "../../../../src/compiler/expr/kernel-type.ts";
import { newArray } from "../../../../src/compiler/expr/typed-array.ts";
import { instantiate } from "../../../../src/compiler/instance/instantiate.ts";
import { fromCompute } from "../../../../src/compiler/ir/from-compute.ts";
import { interpret } from "../../../../src/compiler/ir/interpret.ts";
import type { Buffer } from "../../../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../../../src/compiler/ir/print.ts";
import { eachCompiler, nativeTargets } from "../../../native/compiled.ts";
import { inTurn } from "../../../support/long.ts";
import { randomSchedule } from "../../lower/random-schedule.ts";

const turn = inTurn(5);

const operators = [
  { name: "gemm", naive: fromCompute(instantiate(gemm, { M: 13, N: 19, K: 7 }, "gemm")) },
  { name: "gemm_int8", naive: fromCompute(instantiate(gemmInt8, { M: 9, N: 21, K: 8 }, "gemm_int8")) },
  { name: "conv2d", naive: fromCompute(instantiate(conv2d, { H: 5, W: 7, C: 3, F: 6 }, "conv2d")) },
];

/** Small integers, so that every order of summing gives the same. */
function filled({ dtype, shape }: Buffer, salt: number): TypedArray {
  const array: TypedArray = newArray(
    dtype,
    shape.reduce((length, extent) => length * extent, 1),
  );
  return array.map((_: number, at: number) => ((at * 37 + salt * 11) % 17) - (dtype === "u8" ? 0 : 8)) as TypedArray;
}

const schedules = fc.array(fc.nat({ max: 2 ** 31 - 1 }), { minLength: 3, maxLength: 14 });

for (const { title, target } of nativeTargets) {
  eachCompiler({ title, target }, ({ compileAll }) => {
    turn.for(operators)("random schedules of $name", async ({ naive }) => {
      const scheduled = fc
        .sample(schedules, { numRuns: 10, seed: 42 })
        .map((numbers) => lower(randomSchedule(naive, numbers), { target, numerics: "fast" }));
      const kernels = await compileAll(scheduled.map((func) => generateC(func, target, { numerics: "fast" })));
      const parameters = naive.buffers.filter(({ role }) => role !== "local");
      const inputs = parameters.filter(({ role }) => role === "input").map((each, at) => filled(each, at));
      const named = Object.fromEntries(inputs.map((array, at) => [parameters[at]!.name, array]));
      const wanted = interpret(naive, named);
      for (const [index, func] of scheduled.entries()) {
        const outputs = parameters.slice(inputs.length).map((each) => filled(each, 99));
        kernels.call(index, ...inputs, ...outputs);
        for (const [at, output] of outputs.entries()) {
          expect(output, printFunc(func)).toEqual(wanted[parameters[inputs.length + at]!.name]);
        }
      }
    });
  });
}
