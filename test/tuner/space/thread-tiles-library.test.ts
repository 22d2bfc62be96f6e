// Every operator of the library on GPUs without tensor cores: schedules of each of its templates compute what the reference does, after
// every pass, with threads of a group that run in either order. Extents are small, often primes and 1.

import { describe, expect } from "vitest";
import { instantiate } from "../../../src/compiler/index.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { library } from "../../support/library/library.ts";
import { type LibraryOperator, operandTypes, type TypeName, titleOf } from "../../support/library/library-operator.ts";
import { inTurn } from "../../support/long.ts";
import { referenceOf } from "../../support/reference.ts";
import { drawSchedules, threadSpace, wrongThreads } from "../../support/thread-schedules.ts";

const turn = inTurn(7);

/** Templates of one operator that are drawn from: some have many, by what their stages may be. */
const mostTemplates = 2;
const extents = 2;

/** f32, and a type of integers where there is one. */
const typesOf = ({ types }: LibraryOperator): readonly TypeName[] => {
  const integer = types.find((type) => type === "i8" || type === "i32");
  return [types[0]!, ...(integer ? [integer] : [])];
};

const cases = library.flatMap((operator, at) => typesOf(operator).map((type) => ({ operator, type, at })));

describe.each([0, 1])("extents %i", (round) => {
  turn.each(cases.map((it) => [`${titleOf(it.operator)} ${it.type}`, it] as const))(
    "%s",
    (_, { operator, type, at }) => {
      const rng = createRng(1 + at * extents + round);
      const instance = operator.small(rng);
      const op = instantiate(instance.op(operandTypes(type)), {}, "op");
      const reference = referenceOf(op, rng);
      const numerics = round === 1 && at % 4 === 0 ? "strict" : "fast";
      const { templates } = threadSpace(op, numerics);
      expect(templates.length).toBeGreaterThan(0);
      const chosen = rng.shuffle([...templates]).slice(0, mostTemplates);
      for (const drawn of chosen.flatMap((template) => drawSchedules(template, 1, at + round))) {
        expect(wrongThreads(reference, drawn, numerics), JSON.stringify(instance.parameters)).toBeNull();
      }
    },
    120_000,
  );
});
