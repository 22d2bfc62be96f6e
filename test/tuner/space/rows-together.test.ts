// Products of few rows by lot, whose operands lie along the axis that is summed over: what is predicted for large ones has vectors, and schedules
// of each template compute the right numbers for small ones. Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { instantiate, opLibrary, printComputeDef } from "../../../src/compiler/index.ts";
import { candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { drawRows } from "../../support/drawn/draw-rows.ts";
import { drawEach, drawnTargets, problemOf, spaceOf } from "../../support/drawn/schedules-of.ts";
import { fewer, rngOf } from "../../support/long.ts";

test("large ones have vectors", () => {
  const rng = rngOf("large rows");
  const missed = Array.from({ length: fewer(200) }).flatMap((_, number) => {
    const op = instantiate(drawRows(rng, "large"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const found = predict(space)!;
    const isVector = candidateTrace(space, found)!.some(({ kind }) => kind === "vectorize");
    return isVector ? [] : [`${name}\n${printComputeDef(op)}${found.template}`];
  });
  expect(missed).toEqual([]);
});

test("small ones compute the right numbers", () => {
  const rng = rngOf("small rows");
  const wrong = Array.from({ length: fewer(100) }).flatMap((_, number) => {
    const op = instantiate(drawRows(rng, "small"), {}, "op");
    const name = drawnTargets[number % drawnTargets.length]!;
    const space = spaceOf(op, name);
    const problem = drawEach(space, rng)
      .map((candidate) => problemOf(op, space, candidate, name))
      .find((it) => it !== null);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});

test.each(["avx512", "wasm"] as const)("A · Bᵀ of few rows stays where it is: %s", (name) => {
  const templatesOf = (rows: number): readonly string[] => {
    const op = instantiate(opLibrary.attention({ heads: 1, M: rows, N: 256, D: 64 }), {}, "op");
    return spaceOf(op, name).templates.map((it) => it.name);
  };
  expect(templatesOf(8).filter((it) => it.includes("rows of i and j together"))).not.toEqual([]);
  // Packs of many rows pay.
  expect(templatesOf(256).filter((it) => it.includes("together"))).toEqual([]);
});
