// Chains of stencils by lot: rows that the next stage reads again are computed once, and schedules that keep them compute the right numbers.
// Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import type { Template } from "../../../src/tuner/data/space.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { drawStencil } from "../../support/drawn/draw-stencil.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../support/long.ts";

test("rows are kept in many of them", () => {
  const rng = createRng(1);
  const kept = Array.from({ length: 20 }, () => spaceOf(instantiate(drawStencil(rng, "small"), {}, "op"), "avx2"));
  expect(kept.filter((space) => space.templates.some(hasRows)).length).toBeGreaterThan(3);
});

const hasRows = ({ name }: Pick<Template, "name">): boolean => name.includes("in rows of");

test("small ones compute the right numbers", () => {
  const rng = rngOf("small stencils");
  const wrong = Array.from({ length: fewer(100) }).flatMap((_, number) => {
    const op = instantiate(drawStencil(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const drawn = drawEach(space, rng).filter(({ template }) => hasRows({ name: template }));
    const problem = [predict(space)!, ...drawn].map((it) => problemOf(op, space, it, name)).find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});
