// Maps by lot whose operands lie near the results in another order (channels, strides, mirrors, copies): all large ones have vectors, and
// what is predicted for small ones computes the right numbers, as do squares of those whose rows are columns. Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { instantiate, printComputeDef } from "../../../src/compiler/index.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { drawMap } from "../../support/drawn/draw-map.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../support/long.ts";

test("large ones have vectors", () => {
  const rng = rngOf("large maps");
  const missed = Array.from({ length: fewer(400) }).flatMap((_, number) => {
    const op = instantiate(drawMap(rng, "large"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const { templates } = spaceOf(op, name);
    const hasVectors = templates.some(({ instructions }) =>
      instructions.some(({ instruction }) => instruction.kind === "vectorize"),
    );
    return hasVectors ? [] : [`${name}\n${printComputeDef(op)}${templates.map((it) => it.name).join("\n")}`];
  });
  expect(missed).toEqual([]);
});

test("small ones compute the right numbers", () => {
  const rng = rngOf("small maps");
  const wrong = Array.from({ length: fewer(200) }).flatMap((_, number) => {
    const op = instantiate(drawMap(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const squares = drawEach(space, rng).filter(({ template }) => template.includes("in squares of"));
    const problem = [predict(space)!, ...squares].map((it) => problemOf(op, space, it, name)).find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});
