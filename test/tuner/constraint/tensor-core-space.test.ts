import { describe, expect, test } from "vitest";
import { check } from "../../../src/tuner/constraint/check.ts";
import { compileModel } from "../../../src/tuner/constraint/solver/compile.ts";
import { explain } from "../../../src/tuner/constraint/solver/explain.ts";
import { sample } from "../../../src/tuner/constraint/solver/sample.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { tensorCoreModel, volta } from "./tensor-core-space.ts";

const space = { m: 1024, n: 1024, k: 1024, ...volta };

describe("a GEMM on tensor cores", () => {
  const model = tensorCoreModel(space);

  test("is of Heron's size", () => {
    expect(model.variables.filter(({ key }) => key)).toHaveLength(37);
    expect(model.variables).toHaveLength(120);
    const { normal } = compileModel(model);
    const options = normal.constraints.flatMap((one) => (one.kind === "select" ? one.options : []));
    const counted = normal.variables.filter(
      ({ name, domain }) => name !== null || !("length" in domain && domain.length === 1),
    );
    expect(counted.length + options.length).toBeGreaterThan(173);
  });

  test("has many schedules, each within its limits", () => {
    const compiled = compileModel(model);
    const rng = createRng(1);
    const drawn = new Set<string>();
    for (let k = 0; k < 200; k++) {
      const result = sample(compiled, rng);
      if (result.kind !== "found") throw new Error(result.kind);
      expect(check(model, result.assignment)).toEqual([]);
      drawn.add(JSON.stringify(result.assignment));
    }
    expect(drawn.size).toBe(200);
  });

  test("says what it has too little shared memory for, and each limit that it names is needed", () => {
    const small = tensorCoreModel({ ...space, sharedBytes: 768 });
    const explanation = explain(small)!;
    expect(explanation.text).toBe(
      [
        "no schedule satisfies all of these:",
        "  - an intrinsic has 4096 multiply-adds",
        "  - A.shared and B.shared fit 768 bytes of shared memory together",
      ].join("\n"),
    );
    for (const one of explanation.clash)
      expect(explain({ ...small, constraints: small.constraints.filter((other) => other !== one) })).toBeNull();
  });
});
