// Chains of stencils by lot: rows that the next stage reads again are computed once, and schedules that keep them compute the right numbers.
// Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { drawStencil } from "../../support/drawn/draw-stencil.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../support/long.ts";

test("small ones compute the right numbers", () => {
  const rng = rngOf("small stencils");
  let carried = 0;
  const wrong = Array.from({ length: fewer(100) }).flatMap((_, number) => {
    const op = instantiate(drawStencil(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const candidates = [
      predict(space)!,
      ...drawEach(space, rng).filter(({ template }) => template.includes("in rows of")),
    ];
    if (candidates.length > 1) carried++;
    const problem = candidates.map((it) => problemOf(op, space, it, name)).find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
  expect(carried).toBeGreaterThan(fewer(100) / 4);
});
