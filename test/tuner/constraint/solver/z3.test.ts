import { fc, test as property } from "@fast-check/vitest";
import { beforeAll, describe, expect, test } from "vitest";
import { check } from "../../../../src/tuner/constraint/check.ts";
import type { Constraint, ConstraintModel } from "../../../../src/tuner/constraint/constraint.ts";
import { isRange } from "../../../../src/tuner/constraint/normal-form.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { explain } from "../../../../src/tuner/constraint/solver/explain.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { loadZ3, type Z3, z3Sampler } from "../../../../src/tuner/constraint/solver/z3.ts";
import { boostedTrees } from "../../../../src/tuner/cost-model/boosted-trees.ts";
import { asWritten } from "../../../../src/tuner/data/computation.ts";
import { candidateKey, findPoint, searchSpace } from "../../../../src/tuner/search/point/search-space.ts";
import { startSearch } from "../../../../src/tuner/search/state/search-state.ts";
import { strategies } from "../../../../src/tuner/search/strategy/strategies.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { anyOp } from "../../search/synthetic-task.ts";
import { gemmModel } from "../gemm-space.ts";
import { bruteForce, randomModel } from "../random-model.ts";

let z3: Z3;
beforeAll(async () => {
  z3 = await loadZ3();
});

const gemm = gemmModel({ m: 96, n: 128, k: 64, registers: 24, l2Bytes: 2 ** 14 });

describe("z3 on random models", () => {
  property.prop([randomModel], { numRuns: 40 })("is satisfied exactly when brute force finds a solution", (model) => {
    const solver = z3.load(model);
    // Only a product with a range among its factors, or a range that no sum defines, has no encoding.
    if (!solver) {
      expect(isRange(model.variables.at(-1)!.domain)).toBe(true);
      return;
    }
    expect(solver.check([])).toBe(bruteForce(model).length > 0 ? "sat" : "unsat");
    solver.dispose();
  });

  property.prop([randomModel], { numRuns: 20 })("finds a core that is unsatisfiable", (model) => {
    // Without their definitions in the core, derived variables are free; lists keep that decidable.
    const { domain } = model.variables.at(-1)!;
    fc.pre(!isRange(domain) && domain.length <= 10);
    const core = z3.core(model);
    if (core) expect(sample(compileModel({ ...model, constraints: core }), createRng(1)).kind).not.toBe("found");
    else expect(bruteForce(model).length > 0 || z3.load(model) === null).toBe(true);
  });
});

describe("z3 on a GEMM space", () => {
  test("draws different solutions that satisfy every constraint", () => {
    const compiled = compileModel(gemm);
    const draw = z3Sampler(z3);
    const rng = createRng(1);
    const drawn = Array.from({ length: 25 }, () => draw(compiled, rng));
    for (const result of drawn) expect(result.kind === "found" && check(gemm, result.assignment)).toEqual([]);
    expect(new Set(drawn.map((result) => JSON.stringify(result))).size).toBeGreaterThan(20);
  });

  test("stands in as the sampler of a search", () => {
    const template = { name: "gemm", ...asWritten(anyOp), instructions: [], structure: [], model: gemm };
    const space = searchSpace({ templates: [template] }, { sampler: z3Sampler(z3) });
    const candidates = strategies.random.propose(startSearch(space, boostedTrees()), 8, createRng(2));
    expect(new Set(candidates.map(candidateKey)).size).toBe(8);
    for (const candidate of candidates) expect(check(gemm, findPoint(space, candidate)!.assignment)).toEqual([]);
  });

  test("agrees with propagation on random restrictions", () => {
    const compiled = compileModel(gemm);
    const draw = z3Sampler(z3);
    const rng = createRng(3);
    const verdicts = Array.from({ length: 40 }, () => {
      const restrictions = Object.fromEntries(
        rng
          .shuffle(["i.1", "i.2", "j.1", "j.2", "k.1", "lanes", "pack.at"])
          .slice(0, 3)
          .map((name) => {
            const { domain } = gemm.variables.find((variable) => variable.name === name)!;
            return [name, [rng.pick(domain as readonly number[])]];
          }),
      );
      const [first, second] = [sample(compiled, rng, { restrictions }), draw(compiled, rng, { restrictions })];
      expect(second.kind).toBe(first.kind);
      return first.kind;
    });
    expect(new Set(verdicts)).toEqual(new Set(["found", "infeasible"]));
  });

  test("proves a space empty, and its core holds what the explanation names", () => {
    const fixed = (variable: string, value: number): Constraint => ({
      kind: "one-of",
      variable,
      values: [value],
      why: `${variable} is ${value}`,
      role: "limit",
    });
    const model: ConstraintModel = {
      ...gemm,
      constraints: [...gemm.constraints, fixed("lanes", 4), fixed("j.2", 64), fixed("i.2", 2)],
    };
    expect(z3.load(model)!.check([])).toBe("unsat");
    const core = new Set(z3.core(model)!.map(({ why }) => why));
    const { clash } = explain(model)!;
    for (const { why } of clash) expect(core).toContain(why);
    expect(z3.core(gemm)).toBeNull();
  });
});
