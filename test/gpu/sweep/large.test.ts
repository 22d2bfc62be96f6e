// Operators whose spaces meet the limits of a launch: each template has a schedule, the prior has a choice, and all are lowered and printed.

import { expect } from "vitest";
import { cudaSm90, webgpu } from "../../../src/compiler/index.ts";
import { fewer, inTurn } from "../../support/long.ts";
import { drawRound } from "./draw-round.ts";
import { largeSwept } from "./operators.ts";

const turn = inTurn(4);

const rounds = fewer(8);
const cases = [webgpu, cudaSm90].flatMap((target) =>
  largeSwept.map((operator) => [operator.title, target.name, operator, target] as const),
);

turn.each(cases)("%s on %s", (_, __, operator, target) => {
  const drawn = Array.from({ length: rounds }, (_, round) => drawRound(operator, 5, round, { target, wanted: 6 }));
  const schedules = drawn.flatMap((round) => round?.schedules ?? []);
  expect(schedules.length).toBeGreaterThan(rounds);
  const refused = schedules.filter(({ kernel }) => typeof kernel === "string");
  expect(refused.map(({ template, text, kernel }) => `${template}: ${kernel}\n${text}`)).toEqual([]);
});
