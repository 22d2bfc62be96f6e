// Limits that no value reaches go, as do choices that are always the same; the results stay those of the operator as it is written. Arithmetic by
// lot, other in each run, is evaluated as it is written and as it becomes.

import { expect, test } from "vitest";
import { authoring, evaluate, type Op, printComputeDef } from "../../../../src/compiler/index.ts";
import { checkPlan } from "../../../../src/tuner/check/check-output.ts";
import { testInputs } from "../../../../src/tuner/check/inputs.ts";
import { withKnownValues } from "../../../../src/tuner/space/algorithm/known-values.ts";
import { drawWords } from "../../../support/drawn/draw-words.ts";
import { fewer, rngOf } from "../../../support/long.ts";
import { ofBytes as bytes, defOf, bodyOf as printedBody, type Word } from "../../../support/of-bytes.ts";

const { cast, compute, defineOp, reduceAxis, select, sum, tensor } = authoring;

const bodyOf = (op: Op): string => printedBody(withKnownValues(defOf(op)));

test("limits that nothing reaches go", () => {
  expect(bodyOf(bytes((a) => a.sub(16).max(0).min(219).max(0).min(255)))).toBe(
    "out[i] = min(max(i32(A[i]) - 16, 0), 219)",
  );
  expect(bodyOf(bytes((a, b) => a.add(b).max(0).min(255)))).toBe("out[i] = min(i32(A[i]) + i32(B[i]), 255)");
  expect(bodyOf(bytes((a, b) => a.max(b.neg())))).toBe("out[i] = i32(A[i])");
  expect(bodyOf(bytes((a) => a.neg().max(0)))).toBe("out[i] = 0");
});

test("so do remainders of smaller numbers, signs, and choices that are always the same", () => {
  expect(bodyOf(bytes((a) => a.mod(256)))).toBe("out[i] = i32(A[i])");
  expect(bodyOf(bytes((a, b) => a.mul(b).abs()))).toBe("out[i] = i32(A[i]) * i32(B[i])");
  expect(bodyOf(bytes((a, b) => select(a.lt(256), b, a)))).toBe("out[i] = i32(B[i])");
  expect(bodyOf(bytes((a, b) => select(a.sub(b).gt(255), b, a)))).toBe("out[i] = i32(A[i])");
});

test("what may be reached stays, and so does what an overflow would reach", () => {
  for (const op of [
    bytes((a) => a.mod(255)),
    bytes((a, b) => a.sub(b).max(0)),
    bytes((a, b) => select(a.lt(255), b, a)),
    bytes((a) => a.mul(1 << 24).max(0)),
  ]) {
    const def = defOf(op);
    expect(withKnownValues(def)).toBe(def);
  }
});

test("places in tensors stay as they are written", () => {
  const op = defineOp({}, () => {
    const A = tensor("A", [100], "u8");
    return compute("out", [100], (i) => A(i.max(0).min(99)));
  });
  const def = defOf(op);
  expect(withKnownValues(def)).toBe(def);
});

test("values of earlier stages are known", () => {
  const op = defineOp({}, () => {
    const A = tensor("A", [100, 4], "u8");
    const k = reduceAxis("k", 4);
    const total = compute("total", [100], (i) => sum(cast(A(i, k), "i32"), k));
    return compute("out", [100], (i) => cast(total(i).floorDiv(4).max(0).min(255) as Word, "u8"));
  });
  expect(printComputeDef(withKnownValues(defOf(op)))).toContain("out[i] = u8(floorDiv(total[i], 4))");
});

test("long sums take no longer than their terms", () => {
  const op = bytes((a) => Array.from({ length: 40 }).reduce<Word>((sum) => sum.add(1).max(0), a));
  expect(bodyOf(op)).not.toContain("max");
});

test("arithmetic by lot has the same results", () => {
  const rng = rngOf("known values");
  let changed = 0;
  for (let number = 0; number < fewer(400); number++) {
    const def = defOf(drawWords(rng, "small"));
    const known = withKnownValues(def);
    if (known === def) continue;
    changed++;
    const inputs = testInputs(def.inputs, checkPlan(def).values, rng.unit);
    const named = Object.fromEntries(def.inputs.map(({ name }, at) => [name, inputs[at]!])) as never;
    expect(evaluate(known, named), printComputeDef(def)).toEqual(evaluate(def, named));
  }
  expect(changed).toBeGreaterThan(0);
});
