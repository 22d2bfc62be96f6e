// Every operator of the library in every type against plain loops, with random extents, odd and prime ones most of them,
// strides, paddings, dilations and groups; and what it says to wrong arguments.

import { expect, test } from "vitest";
import { evaluate, instantiate, opLibrary } from "../../../src/compiler/index.ts";
import { checkPlan } from "../../../src/tuner/check/check-output.ts";
import { testInputs } from "../../../src/tuner/check/inputs.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { allowedError, worstError } from "../../support/library/against-plain.ts";
import { library } from "../../support/library/library.ts";
import { operandTypes, titleOf } from "../../support/library/library-operator.ts";
import { inTurn } from "../../support/long.ts";

const turn = inTurn(3);

const seed = Number(process.env.LIBRARY_SEED ?? 1);
const each = Number(process.env.LIBRARY_EACH ?? 4);

turn.each(library.map((operator) => [titleOf(operator), operator] as const))("%s", (_, operator) => {
  const rng = createRng(seed);
  for (const type of operator.types)
    for (let at = 0; at < each; at++) {
      const instance = operator.small(rng);
      const def = instantiate(instance.op(operandTypes(type)), {}, "op");
      const arrays = testInputs(def.inputs, checkPlan(def).values, rng.unit);
      const inputs = Object.fromEntries(def.inputs.map(({ name }, input) => [name, arrays[input]!]));
      const error = worstError(def, instance, inputs, evaluate(def, inputs));
      expect(error, `${type} ${JSON.stringify(instance.parameters)}`).toBeLessThanOrEqual(allowedError(def));
    }
});

test("every operator that is exported is here", () => {
  expect([...new Set(library.map(({ name }) => name))].sort()).toEqual(Object.keys(opLibrary).sort());
});
