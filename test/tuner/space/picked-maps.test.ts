// Maps by lot whose operands lie near the results in another order (channels, strides, mirrors, copies): all large ones have vectors, and
// what is predicted for small ones computes the right numbers. Each run draws others; more of them run among the drawn operators.

import { expect, test } from "vitest";
import { lower } from "../../../src/compiler/backend/lower.ts";
import {
  type ComputeDef,
  fromCompute,
  generateWasm,
  instantiate,
  printComputeDef,
  printTrace,
  replay,
  type TargetName,
  targets,
} from "../../../src/compiler/index.ts";
import { candidateTrace } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { drawMap } from "../../support/drawn/draw-map.ts";
import { fewer, rngOf } from "../../support/long.ts";
import { referenceOf, wrongNest, wrongWasm } from "../../support/reference.ts";

const names: readonly TargetName[] = ["avx2", "avx512", "wasm", "neon-dot"];

const spaceOf = (op: ComputeDef, name: TargetName) =>
  generateSpace({ op, target: targets[name], numerics: "fast", threads: 1 });

test("large ones have vectors", () => {
  const rng = rngOf("large maps");
  const missed = Array.from({ length: fewer(400) }).flatMap((_, number) => {
    const op = instantiate(drawMap(rng, "large"), {}, "op");
    const name = names[number % names.length]!;
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
    const name = names[number % names.length]!;
    const problem = problemOf(op, name);
    return problem ? [`${name}\n${printComputeDef(op)}${problem}`] : [];
  });
  expect(wrong).toEqual([]);
});

/** What is wrong with what is predicted for an operator; null: nothing. */
function problemOf(op: ComputeDef, name: TargetName): string | null {
  const space = spaceOf(op, name);
  const found = predict(space)!;
  const template = space.templates.find((it) => it.name === found.template)!;
  const trace = candidateTrace(space, found)!;
  const result = replay(fromCompute(template.op), trace);
  if (result.kind !== "ok") return result.diagnostic.message;
  const flat = lower(result.nest, { target: targets[name], numerics: "fast" });
  const reference = referenceOf(op, rngOf("maps"));
  const problem =
    name === "wasm" ? wrongWasm(reference, generateWasm(flat, { relaxed: false })) : wrongNest(reference, flat);
  return problem && `${template.name}\n${printTrace(trace)}\n${problem}`;
}
