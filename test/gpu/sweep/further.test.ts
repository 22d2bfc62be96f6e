// The sweep of schedules for WebGPU, a few of each operator that the library lacks: right by the interpreter, which finds a mistake that is
// planted.

import { expect, test } from "vitest";
import { plantDefects } from "../../support/plant-defects.ts";
import { drawRound } from "./draw-round.ts";
import { wrongInterpreted } from "./interpreted.ts";
import { furtherSwept, sweptOperators } from "./operators.ts";

test.each(furtherSwept.map((operator) => [operator.title, operator] as const))("%s", (_, operator) => {
  const { reference, schedules } = drawRound(operator, 11, 0, { wanted: 6 })!;
  for (const { kernel, text } of schedules.slice(0, 3)) {
    expect(typeof kernel === "string" ? kernel : wrongInterpreted(reference!, kernel.flat), text).toBeNull();
  }
});

test("mistakes that are planted are told", () => {
  const { reference, schedules } = drawRound(sweptOperators[0]!, 1, 0)!;
  const [{ kernel }] = schedules as [(typeof schedules)[number]];
  if (typeof kernel === "string") throw new Error(kernel);
  const told = plantDefects(kernel.flat, 1).map(({ func }) => wrongInterpreted(reference!, func));
  expect(told.length).toBeGreaterThan(2);
  expect(told.filter((text) => text === null).length).toBeLessThan(told.length / 2);
});

test("titles tell operators apart", () => {
  expect(new Set(sweptOperators.map(({ title }) => title)).size).toBe(sweptOperators.length);
});
