// z3's encoding of every kind of constraint against the plain evaluator, on random assignments of all variables:
// solutions, solutions with one value changed, and any values. A thousand by default; all of the bar:
//
//     COUNT=10000 npx vitest run test/tuner/constraint/solver/z3-agreement.test.ts

import { expect, test } from "vitest";
import type { Assignment } from "../../../../src/compiler/index.ts";
import { check } from "../../../../src/tuner/constraint/check.ts";
import type {
  Comparison,
  Constraint,
  ConstraintModel,
  Membership,
  Variable,
} from "../../../../src/tuner/constraint/constraint.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { loadZ3 } from "../../../../src/tuner/constraint/solver/z3.ts";
import { createRng, type Rng } from "../../../../src/tuner/support/rng.ts";

const count = Number(process.env.COUNT ?? 1000);
const to = (last: number): number[] => Array.from({ length: last + 1 }, (_, value) => value);
const variable = (name: string, domain: readonly number[], key: boolean): Variable => ({ name, domain, key });
const explained = { why: "", role: "limit" } as const;
const when = (tunable: string, oneOf: readonly number[], then: Comparison | Membership): Constraint => ({
  kind: "conditional",
  when: [{ tunable, oneOf }],
  then,
  ...explained,
});

/** Every kind of constraint, and under a condition every kind of relation. */
const model: ConstraintModel = {
  variables: [
    ...["a", "b", "c", "d", "e"].map((name) => variable(name, to(6), true)),
    variable("way", [0, 1, 2], true),
    variable("product", to(36), false),
    variable("sum", to(60), false),
    variable("wide", to(80), false),
    variable("tiles", to(36), false),
    variable("chosen", to(6), false),
    variable("same", to(6), false),
  ],
  constraints: [
    { kind: "product", result: "product", factors: ["a", "b"], ...explained },
    {
      kind: "sum",
      result: "sum",
      terms: [
        { coefficient: 2, term: "c" },
        { coefficient: 1, term: "product" },
      ],
      offset: 1,
      ...explained,
    },
    {
      kind: "sum",
      result: "wide",
      terms: [
        { coefficient: 3, term: "c" },
        { coefficient: 1, term: "d" },
        { coefficient: 1, term: "sum" },
      ],
      offset: 0,
      ...explained,
    },
    { kind: "ceil-div", result: "tiles", numerator: "product", divisor: "d", ...explained },
    { kind: "select", result: "chosen", index: "way", options: ["a", "e", 3], ...explained },
    { kind: "equal", left: "same", right: "chosen", ...explained },
    { kind: "not-equal", left: "a", right: "c", ...explained },
    { kind: "at-most", left: "wide", right: 70, ...explained },
    { kind: "less-than", left: "tiles", right: 20, ...explained },
    { kind: "one-of", variable: "e", values: [0, 1, 2, 4, 6], ...explained },
    when("way", [0], { kind: "at-most", left: "product", right: 12 }),
    when("way", [1], { kind: "less-than", left: "b", right: "a" }),
    when("way", [2], { kind: "equal", left: "d", right: "e" }),
    when("a", [1, 2, 3], { kind: "not-equal", left: "b", right: "e" }),
    when("d", [2, 4, 6], { kind: "one-of", variable: "tiles", values: [1, 2, 3, 5, 8] }),
    {
      kind: "conditional",
      when: [
        { tunable: "way", oneOf: [0, 2] },
        { tunable: "b", oneOf: [2, 3] },
      ],
      then: { kind: "at-most", left: "sum", right: 15 },
      ...explained,
    },
  ],
};

test(`z3 and the plain evaluator agree on ${count} assignments`, async () => {
  const solver = (await loadZ3()).load(model)!;
  const compiled = compileModel(model);
  const rng = createRng(1);
  const verdicts = { sat: 0, unsat: 0 };
  for (let k = 0; k < count; k++) {
    const solution = sample(compiled, rng);
    if (solution.kind !== "found") throw new Error(solution.kind);
    const assignment = [solution.assignment, changed(solution.assignment, rng), anyValues(rng)][k % 3]!;
    const values = Object.fromEntries(Object.entries(assignment).map(([name, value]) => [name, [value]]));
    const expected = check(model, assignment).length === 0 ? "sat" : "unsat";
    expect(solver.check(solver.restrict(values)), JSON.stringify(assignment)).toBe(expected);
    verdicts[expected]++;
  }
  solver.dispose();
  expect(verdicts.sat).toBeGreaterThanOrEqual(Math.floor(count / 3));
  expect(verdicts.unsat).toBeGreaterThan(count / 4);
});

const anyValueOf = ({ domain }: Variable, rng: Rng): number => rng.pick(domain as readonly number[]);

function changed(assignment: Assignment, rng: Rng): Assignment {
  const one = rng.pick(model.variables);
  return { ...assignment, [one.name]: anyValueOf(one, rng) };
}

const anyValues = (rng: Rng): Assignment =>
  Object.fromEntries(model.variables.map((one) => [one.name, anyValueOf(one, rng)]));
