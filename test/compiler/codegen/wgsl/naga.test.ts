// Generated WGSL in naga, the compiler of Firefox and of wgpu, which Deno has: it takes all that Tint takes, and their short forms.

import { expect, test } from "vitest";
import {
  generateKernel,
  instantiate,
  instantiateTemplate,
  shortWgsl,
  type WgslSource,
  webgpu,
} from "../../../../src/compiler/index.ts";
import { compileModel } from "../../../../src/tuner/constraint/solver/compile.ts";
import { sample } from "../../../../src/tuner/constraint/solver/sample.ts";
import { generateSpace } from "../../../../src/tuner/space/generate.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";
import { drawRound } from "../../../gpu/sweep/draw-round.ts";
import { furtherSwept } from "../../../gpu/sweep/operators.ts";
import { drawOperator } from "../../../support/drawn/draw-operator.ts";
import { small } from "../../../support/drawn/drawing.ts";
import { library } from "../../../support/library/library.ts";
import { operandTypes } from "../../../support/library/library-operator.ts";
import { drawn, isLong } from "../../../support/long.ts";
import { naga } from "../../../support/naga.ts";
import { randomGraph } from "../../../support/random-graph.ts";
import { noSoftwareGpu } from "../../../support/webgpu.ts";

function sourcesOf(op: Parameters<typeof generateKernel>[0]): readonly WgslSource[] {
  const { templates } = generateSpace({ op, target: webgpu, numerics: "fast", threads: 1 });
  return templates.flatMap(({ model, instructions }) => {
    const point = sample(compileModel(model), createRng(1));
    if (point.kind !== "found") return [];
    const trace = instantiateTemplate(instructions, point.assignment);
    const kernel = generateKernel(op, trace, webgpu, { numerics: "fast", verify: false });
    return kernel.kind === "ok" ? [kernel.source as WgslSource] : [];
  });
}

test.skipIf(noSoftwareGpu)(`naga takes the texts${noSoftwareGpu ? ` (${noSoftwareGpu})` : ""}`, () => {
  const ofLibrary = library.flatMap(({ small: draw, types }) =>
    drawn(types, 1).map((type) => instantiate(draw(createRng(1)).op(operandTypes(type)), {}, "op")),
  );
  const random = [
    ...drawn([...Array(60).keys()], 15).map((seed) => drawOperator(createRng(seed * 1_000_003), small).def),
    ...drawn([...Array(20).keys()], 5).map((seed) => randomGraph(createRng(seed))),
  ];
  const further = drawn(furtherSwept, 6).flatMap(
    (operator) => drawRound(operator, 1, 0, { wanted: 2 })?.schedules ?? [],
  );
  const generated = [
    ...ofLibrary.flatMap(sourcesOf),
    ...further.flatMap(({ kernel }) => (typeof kernel === "string" ? [] : [kernel.source as WgslSource])),
  ];
  // Those of the library run in their short forms, in Dawn.
  const sources = [...generated, ...random.flatMap(sourcesOf).map(shortWgsl)];
  expect(sources.length).toBeGreaterThan(isLong ? 200 : 50);
  // One in four becomes pipelines, by naga's SPIR-V and SwiftShader; `npm run test:webgpu -- --executor naga` leaves none out.
  const refusals = naga(sources, { every: 4 }).flatMap((answer, at) =>
    answer === null ? [] : [answer + sources[at]!.text],
  );
  expect(refusals).toEqual([]);
});
