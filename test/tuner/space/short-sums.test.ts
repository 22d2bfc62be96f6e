// Short reductions by lot (windows, rows of few elements, points of few coordinates, small matrices): what is predicted computes the right numbers,
// as does a schedule of each template. Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { drawShort } from "../../support/drawn/draw-short.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../support/long.ts";

test("small ones compute the right numbers, in every template", () => {
  const rng = rngOf("short reductions");
  const ways = new Set<string>();
  const wrong = Array.from({ length: fewer(160) }).flatMap((_, number) => {
    const op = instantiate(drawShort(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    for (const { name: template } of space.templates) ways.add(template.split(":")[0]!);
    const problem = [predict(space)!, ...drawEach(space, rng)]
      .map((it) => problemOf(op, space, it, name))
      .find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
  expect([...ways]).toContain("sums written out");
});
