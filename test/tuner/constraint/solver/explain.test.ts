import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Constraint, ConstraintModel } from "../../../../src/tuner/constraint/constraint.ts";
import { isRange } from "../../../../src/tuner/constraint/normal-form.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { enumerate } from "../../../../src/tuner/constraint/solver/enumerate.ts";
import { explain } from "../../../../src/tuner/constraint/solver/explain.ts";
import { gemmModel } from "../gemm-space.ts";
import { bruteForce, randomModel } from "../random-model.ts";

const gemm = gemmModel({ m: 1024, n: 1024, k: 1024, registers: 24, l2Bytes: 2 ** 19 });

const limit = (variable: string, values: readonly number[], why: string): Constraint => ({
  kind: "one-of",
  variable,
  values,
  why,
  role: "limit",
});

const withLimits = (model: ConstraintModel, limits: readonly Constraint[]): ConstraintModel => ({
  ...model,
  constraints: [...model.constraints, ...limits],
});

describe("explain", () => {
  test("a space with solutions needs no explanation", () => {
    expect(explain(gemm)).toBeNull();
  });

  test("names the limits that clash, and only those", () => {
    const model = withLimits(gemm, [
      limit("lanes", [8], "lanes is 8: a vector of f32 in 32 bytes"),
      limit("i.2", [16], "i.2 is 16, as the options say"),
      limit("j.2", [16], "j.2 is 16, as the options say"),
      limit("k.1", [4, 8], "k.1 is 4 or 8, as the options say"),
    ]);
    expect(explain(model)!.text).toBe(
      [
        "no schedule satisfies all of these:",
        "  - j.2 is whole vectors",
        "  - the accumulators i.2 × j.2 fit 24 vector registers",
        "  - lanes is 8: a vector of f32 in 32 bytes",
        "  - i.2 is 16, as the options say",
        "  - j.2 is 16, as the options say",
      ].join("\n"),
    );
  });

  test("names a limit on memory that nothing fits", () => {
    const model = gemmModel({ m: 64, n: 64, k: 64, registers: 24, l2Bytes: 80 });
    expect(explain(model)!.text).toBe(
      [
        "no schedule satisfies all of these:",
        "  - j.2 is whole vectors",
        "  - the packed A and the B panel fit 80 bytes of L2",
      ].join("\n"),
    );
  });

  test("blames no limit where the definitions alone contradict each other", () => {
    const why = "k is 512 elements";
    const other: Constraint = { kind: "product", result: 512, factors: ["k.0", "k.1"], why, role: "definition" };
    expect(explain(withLimits(gemm, [other]))!.text).toBe(
      ["the space is empty by its construction:", "  - the 2 loops of k cover 1024", "  - k is 512 elements"].join(
        "\n",
      ),
    );
  });

  test.prop([randomModel], { numRuns: 150 })("every member of the clash is needed, and all together clash", (model) => {
    // A variable without its definition is free: enumeration then goes through its whole domain.
    const { domain } = model.variables.at(-1)!;
    fc.pre(!isRange(domain) && domain.length <= 10);
    const explanation = explain(model);
    expect(explanation === null).toBe(bruteForce(model).length > 0);
    if (!explanation) return;
    // Every constraint of these models is a limit, so the clash must stand alone.
    const solvable = (constraints: readonly Constraint[]): boolean => isSolvable({ ...model, constraints });
    expect(solvable(explanation.clash)).toBe(false);
    for (const one of explanation.clash)
      expect(solvable(explanation.clash.filter((other) => other !== one))).toBe(true);
  });
});

function isSolvable(model: ConstraintModel): boolean {
  return !enumerate(compileModel(model)).next().done;
}
