// The sizes of a space in words, as `inspect` prints them.

import { expect, test } from "vitest";
import type { Space } from "../../../src/tuner/data/space.ts";
import { templateSizes } from "../../../src/tuner/report/inspect.ts";

/** A space of one template with so many tunables, other variables and constraints. */
const space = (tunables: number, others: number, constraints: number): Space => {
  const variables = Array.from({ length: tunables + others }, (_, at) => ({ key: at < tunables }));
  const model = { variables, constraints: Array.from({ length: constraints }, () => ({})) };
  return { templates: [{ name: "C tiled", model }] } as unknown as Space;
};

test.each([
  [0, 2, 0, "C tiled: 0 tunables, 0 constraints"],
  [1, 0, 1, "C tiled: 1 tunable, 1 constraint"],
  [1, 3, 2, "C tiled: 1 tunable, 2 constraints"],
  [11, 4, 30, "C tiled: 11 tunables, 30 constraints"],
])("%i tunables, %i other variables and %i constraints", (tunables, others, constraints, text) => {
  expect(templateSizes(space(tunables, others, constraints))).toEqual([text]);
});
