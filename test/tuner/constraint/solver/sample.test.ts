import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { Assignment } from "../../../../src/compiler/index.ts";
import { check } from "../../../../src/tuner/constraint/check.ts";
import type { ConstraintModel } from "../../../../src/tuner/constraint/constraint.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { complete, keysOf } from "../../../../src/tuner/constraint/solver/complete.ts";
import { enumerate } from "../../../../src/tuner/constraint/solver/enumerate.ts";
import { type SampleOptions, sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { gemmModel } from "../gemm-space.ts";
import { bruteForce, randomModel } from "../random-model.ts";

const text = (assignment: Assignment): string =>
  Object.entries(assignment)
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

const draw = (model: ConstraintModel, count: number, seed: number, options: SampleOptions = {}): Assignment[] => {
  const compiled = compileModel(model);
  const rng = createRng(seed);
  return Array.from({ length: count }, () => {
    const result = sample(compiled, rng, options);
    if (result.kind !== "found") throw new Error(result.kind);
    return result.assignment;
  });
};

const small = gemmModel({ m: 12, n: 32, k: 8, registers: 12, l2Bytes: 1024 });
const large = gemmModel({ m: 1000, n: 1536, k: 770, registers: 24, l2Bytes: 2 ** 19 });

describe("the propagation solver on random models", () => {
  test.prop([randomModel], { numRuns: 400 })("enumerates what brute force finds", (model) => {
    const found = [...enumerate(compileModel(model))].map(text).sort();
    expect(found).toEqual(bruteForce(model).map(text).sort());
  });

  test.prop([randomModel, fc.integer()], { numRuns: 300 })(
    "draws a solution exactly when there is one",
    (model, seed) => {
      const result = sample(compileModel(model), createRng(seed), { spread: seed % 2 === 0 ? "plain" : "look-ahead" });
      const solutions = bruteForce(model);
      expect(result.kind).toBe(solutions.length > 0 ? "found" : "infeasible");
      if (result.kind === "found") expect(solutions.map(text)).toContain(text(result.assignment));
    },
  );

  test.prop([randomModel, fc.integer()], { numRuns: 200 })("draws under restrictions", (model, seed) => {
    const restrictions = { a: [0, 1, 2, 3], c: [1, 3, 5, 7, 9] };
    const result = sample(compileModel(model), createRng(seed), { restrictions });
    const solutions = bruteForce(model).filter(
      ({ a, c }) => restrictions.a.includes(a!) && restrictions.c.includes(c!),
    );
    expect(result.kind).toBe(solutions.length > 0 ? "found" : "infeasible");
    if (result.kind === "found") expect(solutions.map(text)).toContain(text(result.assignment));
  });

  test.prop([randomModel], { numRuns: 200 })("completes keys to all variables, or refuses them", (model) => {
    const compiled = compileModel(model);
    const solutions = new Map(bruteForce(model).map((solution) => [text(keysOf(compiled, solution)), solution]));
    const domain = (name: string): readonly number[] =>
      model.variables.find((v) => v.name === name)!.domain as readonly number[];
    for (const a of domain("a")) {
      for (const d of domain("d")) {
        const keys = { a, b: domain("b")[0]!, c: domain("c")[0]!, d };
        expect(complete(compiled, keys)).toEqual(solutions.get(text(keys)) ?? null);
      }
    }
  });
});

describe("drawing from a GEMM space", () => {
  test.each([small, large])("satisfies every constraint", (model) => {
    for (const assignment of draw(model, 300, 7)) expect(check(model, assignment)).toEqual([]);
    for (const assignment of draw(model, 50, 8, { spread: "look-ahead" })) expect(check(model, assignment)).toEqual([]);
  });

  test("gives the same solutions for the same seed, and others for another", () => {
    expect(draw(large, 50, 3)).toEqual(draw(large, 50, 3));
    expect(draw(large, 50, 3)).not.toEqual(draw(large, 50, 4));
  });

  test("repeats itself rarely in a large space", () => {
    expect(new Set(draw(large, 500, 5).map(text)).size).toBeGreaterThan(480);
  });

  test("reaches every solution of a small space", () => {
    const tiny = gemmModel({ m: 6, n: 8, k: 3, registers: 4, l2Bytes: 512 });
    const all = new Set([...enumerate(compileModel(tiny))].map(text));
    expect(all.size).toBeGreaterThan(40);
    const drawn = new Set(draw(tiny, 20 * all.size, 6).map(text));
    expect(drawn).toEqual(all);
  });

  test("spreads about uniformly over solutions with look-ahead", () => {
    const all = [...enumerate(compileModel(small))];
    const drawn = draw(small, 3000, 6, { spread: "look-ahead" });
    for (const name of ["i.0", "i.2", "j.0", "j.2", "k.1", "lanes", "pack.at"]) {
      expect(totalVariation(all, drawn, name)).toBeLessThan(0.1);
    }
  });

  test("never uses a value that a restriction excludes", () => {
    const drawn = draw(large, 100, 9, { restrictions: { "i.2": [1, 2, 4], "k.1": [770, 385] } });
    expect(drawn.every((assignment) => [1, 2, 4].includes(assignment["i.2"]!))).toBe(true);
    expect(new Set(drawn.map((assignment) => assignment["k.1"]))).toEqual(new Set([770, 385]));
  });

  test("proves a contradiction among variables that many free ones surround", () => {
    const names = ["a", "b", "c", "d"];
    const holes = names.map((name) => ({ name, domain: [0, 1, 2], key: true }));
    const free = Array.from({ length: 12 }, (_, k) => ({
      name: `free${k}`,
      domain: [0, 1, 2, 3, 4, 5, 6, 7],
      key: true,
    }));
    const constraints = names.flatMap((left, k) =>
      names.slice(k + 1).map((right) => ({ kind: "not-equal", left, right, why: "", role: "limit" }) as const),
    );
    const compiled = compileModel({ variables: [...free, ...holes], constraints });
    for (let seed = 0; seed < 20; seed++) expect(sample(compiled, createRng(seed))).toEqual({ kind: "infeasible" });
  });

  test("refutes a restriction that no solution meets", () => {
    const result = sample(compileModel(large), createRng(1), { restrictions: { "j.2": [512], lanes: [4] } });
    expect(result).toEqual({ kind: "infeasible" });
  });
});

/** Half the summed differences of the shares of each value: 0 = the same distribution, 1 = disjoint. */
function totalVariation(left: readonly Assignment[], right: readonly Assignment[], name: string): number {
  const values = new Set([...left, ...right].map((assignment) => assignment[name]!));
  const share = (list: readonly Assignment[], value: number): number =>
    list.filter((one) => one[name] === value).length / list.length;
  return [...values].reduce((sum, value) => sum + Math.abs(share(left, value) - share(right, value)) / 2, 0);
}
