// Every pass keeps the meaning of every schedule: the interpreter gives the same bits before and after. The expansion of
// exp and its like has bounds of its own, tested with it.

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import conv2d from "../../../fixtures/ops/conv2d.op.ts";
import gemm from "../../../fixtures/ops/gemm.op.ts";
import gemmExpGemm from "../../../fixtures/ops/gemm-exp-gemm.op.ts";
import gemmInt8 from "../../../fixtures/ops/gemm-int8.op.ts";
import softmax from "../../../fixtures/ops/softmax.op.ts";
import type { TypedArray } from "../../../src/compiler/expr/kernel-type.ts";
import { arrayTypes } from "../../../src/compiler/expr/typed-array.ts";
import { instantiate } from "../../../src/compiler/instance/instantiate.ts";
import { fromCompute } from "../../../src/compiler/ir/from-compute.ts";
import { interpret } from "../../../src/compiler/ir/interpret.ts";
import type { LoopFunc } from "../../../src/compiler/ir/loop-ir.ts";
import { printFunc } from "../../../src/compiler/ir/print.ts";
import { assertVerified } from "../../../src/compiler/ir/verify.ts";
import { expandMath } from "../../../src/compiler/lower/pass/expand-math.ts";
import { hintedPasses } from "../../../src/compiler/lower/pipeline.ts";
import { targets } from "../../../src/compiler/target/targets.ts";
import { isLong } from "../../support/long.ts";
import { randomSchedule } from "./random-schedule.ts";

/** Small integers, so that a wrong element is seen and no sum rounds. */
const inputsOf = (func: LoopFunc): Record<string, TypedArray> =>
  Object.fromEntries(
    func.buffers
      .filter(({ role }) => role === "input")
      .map(({ name, dtype, shape }) => {
        const values = new arrayTypes[dtype](shape.reduce((product, extent) => product * extent, 1));
        for (let at = 0; at < values.length; at++) values[at] = ((at * 7) % 11) - (dtype === "u8" ? 0 : 5);
        return [name, values];
      }),
  );

function expectSameMeaning(scheduled: LoopFunc, targetName: "avx2" | "wasm"): void {
  const context = { target: targets[targetName], numerics: "strict" as const };
  const inputs = inputsOf(scheduled);
  const wanted = interpret(scheduled, inputs);
  let func = scheduled;
  for (const pass of hintedPasses.filter(({ name }) => name !== "expand-math")) {
    const before = func;
    func = pass.run(func, context);
    assertVerified(
      func,
      hintedPasses.indexOf(pass) < hintedPasses.findIndex(({ name }) => name === "flatten") ? "lowered" : "flat",
    );
    const show = () =>
      `${printFunc(scheduled)}\n── before ${pass.name}\n${printFunc(before)}\n── after\n${printFunc(func)}`;
    try {
      if (pass === expandMath) expectClose(interpret(func, inputs), wanted);
      else expect(interpret(func, inputs)).toEqual(wanted);
    } catch (error) {
      throw new Error(`${pass.name} changes the meaning: ${(error as Error).message.slice(0, 300)}\n${show()}`);
    }
  }
}

/** Expanded functions are off by some ulp; what is wrong is off by much more, seen beside the largest value. */
function expectClose(got: Readonly<Record<string, TypedArray>>, wanted: Readonly<Record<string, TypedArray>>): void {
  for (const [name, exact] of Object.entries(wanted)) {
    const largest = Math.max(...Array.from(exact, Math.abs));
    for (let at = 0; at < exact.length; at++) {
      expect(Math.abs(got[name]![at]! - exact[at]!), `${name}[${at}]`).toBeLessThanOrEqual(largest * 2 ** -20);
    }
  }
}

const seeds = fc.array(fc.nat(2 ** 31 - 1), { minLength: 1, maxLength: 14 });
const target = fc.constantFrom("avx2" as const, "wasm" as const);
const extent = fc.constantFrom(1, 2, 3, 5, 7, 8, 11, 13, 16, 17);
const runs = { numRuns: isLong ? 40 : 12 };

describe("lower", () => {
  test.prop([extent, extent, extent, seeds, target], runs)("gemm", (M, N, K, numbers, name) => {
    const naive = fromCompute(instantiate(gemm, { M, N, K }, "gemm"));
    expectSameMeaning(randomSchedule(naive, numbers), name);
  });

  test.prop([extent, extent, extent, seeds, target], runs)("int8 gemm", (M, N, K, numbers, name) => {
    const naive = fromCompute(instantiate(gemmInt8, { M, N, K }, "gemm"));
    expectSameMeaning(randomSchedule(naive, numbers), name);
  });

  const small = fc.constantFrom(1, 2, 3, 5);
  test.prop([small, small, small, extent, seeds, target], runs)("conv2d", (H, W, C, F, numbers, name) => {
    const naive = fromCompute(instantiate(conv2d, { H, W, C, F }, "conv"));
    expectSameMeaning(randomSchedule(naive, numbers), name);
  });

  test.prop([extent, extent, seeds, target], runs)("softmax", (M, N, numbers, name) => {
    const naive = fromCompute(instantiate(softmax, { M, N }, "softmax"));
    expectSameMeaning(randomSchedule(naive, numbers), name);
  });

  test.prop([small, small, small, small, seeds, target], runs)("gemm, exp, gemm", (M, N, K, L, numbers, name) => {
    const naive = fromCompute(instantiate(gemmExpGemm, { M, N, K, L }, "chain"));
    expectSameMeaning(randomSchedule(naive, numbers), name);
  });
});
