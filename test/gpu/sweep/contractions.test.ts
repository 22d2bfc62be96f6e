// Contractions by lot: those that are large enough are on tensor cores, all of their products, and schedules of small ones are right. Each run
// draws others.

import { expect, test } from "vitest";
import { cudaSm80, cudaSm90, instantiate, printComputeDef, webgpu } from "../../../src/compiler/index.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { contractionTypes, drawContraction } from "../../support/drawn/draw-contraction.ts";
import { fewer, rngOf } from "../../support/long.ts";
import { drawRound } from "./draw-round.ts";
import { wrongInterpreted } from "./interpreted.ts";
import { sweptOperators } from "./operators.ts";

const both = [cudaSm80, cudaSm90] as const;

test("large ones are on tensor cores", () => {
  const rng = rngOf("large ones");
  const missed = Array.from({ length: fewer(200) }).flatMap((_, at) => {
    const op = instantiate(drawContraction(rng, contractionTypes[at % contractionTypes.length]!, "large"), {}, "op");
    const target = both[at % 2]!;
    const products = op.stages.filter(({ reduce }) => reduce !== null).length;
    const names = generateSpace({ op, target, numerics: "fast", threads: 1 }).templates.map(({ name }) => name);
    const isFast = names.some((name) => name.split(" on tensor cores").length - 1 === products);
    return isFast ? [] : [`${target.name}\n${printComputeDef(op)}${names.join("\n")}`];
  });
  expect(missed).toEqual([]);
});

test.each([...both, webgpu])("schedules of small ones are right: $name", (target) => {
  const operator = sweptOperators.find(({ title }) => title === "contractions by lot")!;
  for (let round = 0; round < fewer(24); round++) {
    const drawn = drawRound(operator, rngOf(`small ones ${target.name}`).below(2 ** 30), round, { target, wanted: 6 });
    for (const { kernel, text } of drawn?.schedules.slice(-2) ?? []) {
      expect(typeof kernel === "string" ? kernel : wrongInterpreted(drawn!.reference!, kernel.flat), text).toBeNull();
    }
  }
});
