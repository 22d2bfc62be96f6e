// Random small constraint models for properties: every kind of constraint, constants among the terms, ranges.

import fc from "fast-check";
import type { Assignment } from "../../../src/compiler/index.ts";
import { check } from "../../../src/tuner/constraint/check.ts";
import type {
  Comparison,
  Constraint,
  ConstraintModel,
  Domain,
  Membership,
  Term,
  Variable,
} from "../../../src/tuner/constraint/constraint.ts";

const firstIntegers = (count: number): number[] => Array.from({ length: count }, (_, k) => k);
const keyNames = ["a", "b", "c", "d"] as const;
const derivedNames = ["p", "q", "r"] as const;

const values = fc
  .uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 })
  .map((list) => list.sort((x, y) => x - y));
const anyName = fc.constantFrom<string>(...keyNames, ...derivedNames);
const term: fc.Arbitrary<Term> = fc.oneof(
  { weight: 4, arbitrary: anyName },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 6 }) },
);
const explained = { why: "", role: "limit" } as const;
const coefficient = fc.integer({ min: -2, max: 3 });

const comparison: fc.Arbitrary<Comparison> = fc.record({
  kind: fc.constantFrom("equal" as const, "not-equal" as const, "at-most" as const, "less-than" as const),
  left: term,
  right: term,
});
const membership: fc.Arbitrary<Membership> = fc
  .record({ variable: anyName, values })
  .map((c) => ({ kind: "one-of" as const, ...c }));
const condition = fc.record({ tunable: fc.constantFrom<string>(...keyNames), oneOf: values });

const constraint: fc.Arbitrary<Constraint> = fc.oneof(
  fc
    .record({ result: term, factors: fc.array(term, { minLength: 1, maxLength: 3 }) })
    .map((c) => ({ kind: "product" as const, ...c, ...explained })),
  fc
    .record({
      result: term,
      terms: fc.array(fc.record({ coefficient, term }), { minLength: 1, maxLength: 4 }),
      offset: fc.integer({ min: -3, max: 3 }),
    })
    .map((c) => ({ kind: "sum" as const, ...c, ...explained })),
  fc
    .record({ result: term, numerator: term, divisor: term })
    .map((c) => ({ kind: "ceil-div" as const, ...c, ...explained })),
  comparison.map((c) => ({ ...c, ...explained })),
  membership.map((c) => ({ ...c, ...explained })),
  fc
    .record({ when: fc.array(condition, { maxLength: 2 }), then: fc.oneof(comparison, membership) })
    .map((c) => ({ kind: "conditional" as const, ...c, ...explained })),
  fc
    .record({
      result: term,
      index: fc.constantFrom<string>(...keyNames),
      options: fc.array(term, { minLength: 1, maxLength: 4 }),
    })
    .map((c) => ({ kind: "select" as const, ...c, ...explained })),
);

/** Derived variables are defined by a product, a sum and a ⌈/⌉ of the keys; some have a range as domain. */
const definitions = (sumOffset: number): Constraint[] => [
  { kind: "product", result: "p", factors: ["a", "b"], ...explained },
  {
    kind: "sum",
    result: "q",
    terms: [
      { coefficient: 2, term: "c" },
      { coefficient: 1, term: "p" },
    ],
    offset: sumOffset,
    ...explained,
  },
  { kind: "ceil-div", result: "r", numerator: "q", divisor: "d", ...explained },
];

export const randomModel: fc.Arbitrary<ConstraintModel> = fc
  .record({
    domains: fc.tuple(values, values, values, values),
    derived: fc.constantFrom<Domain>({ from: 0, to: 5000 }, firstIntegers(60), firstIntegers(10)),
    offset: fc.integer({ min: 0, max: 2 }),
    constraints: fc.array(constraint, { maxLength: 4 }),
  })
  .map(({ domains, derived, offset, constraints }) => {
    const keys = keyNames.map((name, k): Variable => ({ name, domain: domains[k]!, key: true }));
    const others = derivedNames.map((name): Variable => ({ name, domain: derived, key: false }));
    return { variables: [...keys, ...others], constraints: [...definitions(offset), ...constraints] };
  });

/** All solutions by trying every assignment of the keys and computing what is defined by them. */
export function bruteForce(model: ConstraintModel): Assignment[] {
  const solutions: Assignment[] = [];
  const domains = keyNames.map(
    (name) => model.variables.find((variable) => variable.name === name)!.domain as readonly number[],
  );
  const offset = (model.constraints[1] as { offset: number }).offset;
  for (const a of domains[0]!) {
    for (const b of domains[1]!) {
      for (const c of domains[2]!) {
        for (const d of domains[3]!) {
          if (d === 0) continue;
          const [p, q] = [a * b, 2 * c + a * b + offset];
          const assignment = { a, b, c, d, p, q, r: Math.ceil(q / d) };
          if (check(model, assignment).length === 0) solutions.push(assignment);
        }
      }
    }
  }
  return solutions;
}
