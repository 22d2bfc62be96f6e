// Contractions by lot on CPUs: all products of a large one go in vectors along rows of its result, and where maps alone stand behind one,
// each at its own place, they take the sums from the registers. Each run draws others; kernels of them run among the drawn operators.

import { expect, test } from "vitest";
import {
  type ComputeDef,
  instantiate,
  printComputeDef,
  readsIn,
  type Stage,
  type TargetName,
  targets,
} from "../../../src/compiler/index.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { contractionTypes, drawContraction } from "../../support/drawn/draw-contraction.ts";
import { fewer, rngOf } from "../../support/long.ts";

const names: readonly TargetName[] = [
  "avx2",
  "avx512",
  "avx512-bf16",
  "avx512-vnni",
  "amx",
  "wasm",
  "neon-dot",
  "neon-i8mm",
];
const types = ["f32", ...contractionTypes] as const;

/** Whether a stage reads another at its own place alone. */
const isInPlace = (reader: Stage, { name, axes }: Stage): boolean =>
  readsIn(reader.body).every(
    ({ tensor, indices }) =>
      tensor !== name ||
      indices.every(
        (index, at) =>
          index.kind === "axis" && index.name === reader.axes[at]?.name && reader.axes[at].extent === axes[at]!.extent,
      ),
  );

/** Whether all stages behind a product are maps, one at the place of the other, with no other product among them. */
function isFinished(product: Stage, { stages, outputs }: ComputeDef): boolean {
  const behind = stages.slice(stages.indexOf(product) + 1);
  const own = [product, ...behind];
  const isMap = (reader: Stage): boolean => reader.reduce === null && own.every((stage) => isInPlace(reader, stage));
  return behind.length > 0 && behind.every(isMap) && stages[0] === product && outputs.length === 1;
}

test("large ones go in vectors along their results, and maps finish them in registers", () => {
  const rng = rngOf("contractions");
  const missed = Array.from({ length: fewer(600) }).flatMap((_, number) => {
    const op = instantiate(drawContraction(rng, types[number % types.length]!, "large"), {}, "op");
    const target = targets[names[Math.floor(number / types.length) % names.length]!];
    const templates = generateSpace({ op, target, numerics: "fast", threads: 1 }).templates.map(({ name }) => name);
    const hasEach = (parts: (stage: Stage) => readonly string[], stages: readonly Stage[]): boolean =>
      stages.every((stage) => templates.some((name) => parts(stage).some((part) => name.includes(part))));
    const products = op.stages.filter(({ reduce }) => reduce !== null);
    const inRegisters = ({ name }: Stage): readonly string[] => [`with ${name} in registers`, `with ${name} on tiles`];
    const isFast =
      hasEach((stage) => [`${stage.name} tiled`, ...inRegisters(stage)], products) &&
      hasEach(
        inRegisters,
        products.filter((it) => isFinished(it, op)),
      );
    return isFast ? [] : [`${target.name}\n${printComputeDef(op)}${templates.join("\n")}`];
  });
  expect(missed).toEqual([]);
});
