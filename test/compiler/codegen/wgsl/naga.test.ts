// Generated WGSL in naga, the compiler of Firefox and of wgpu, which Deno has: it takes all that Tint takes, and their short forms.

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
import { drawOperator } from "../../../support/drawn/draw-operator.ts";
import { small } from "../../../support/drawn/drawing.ts";
import { library } from "../../../support/library/library.ts";
import { operandTypes } from "../../../support/library/library-operator.ts";
import { randomGraph } from "../../../support/random-graph.ts";
import { noSoftwareGpu, softwareEnvironment } from "../../../support/webgpu.ts";

const deno = fileURLToPath(new URL("../../../tools/node_modules/.bin/deno", import.meta.url));

/** Script of Deno: texts of a file → what is wrong with each. */
const script = `
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const wrong = [];
  for (const { text, launches } of JSON.parse(Deno.readTextFileSync(Deno.args[0]))) {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code: text });
    for (const { entry: entryPoint } of launches) {
      device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
    }
    const error = await device.popErrorScope();
    if (error) wrong.push(error.message + text);
  }
  console.log(JSON.stringify(wrong));
`;

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
    types.map((type) => instantiate(draw(createRng(1)).op(operandTypes(type)), {}, "op")),
  );
  const drawn = [
    ...Array.from({ length: 60 }, (_, seed) => drawOperator(createRng(seed * 1_000_003), small).def),
    ...Array.from({ length: 20 }, (_, seed) => randomGraph(createRng(seed))),
  ];
  const generated = ofLibrary.flatMap(sourcesOf);
  const sources = [...generated, ...[...generated, ...drawn.flatMap(sourcesOf)].map(shortWgsl)];
  expect(sources.length).toBeGreaterThan(200);
  const folder = mkdtempSync(join(tmpdir(), "naga-"));
  const [texts, program] = [join(folder, "texts.json"), join(folder, "validate.js")];
  writeFileSync(texts, JSON.stringify(sources));
  writeFileSync(program, script);
  const { stdout, stderr } = spawnSync(deno, ["run", "--allow-read", "--unstable-webgpu", program, texts], {
    encoding: "utf8",
    // Deno looks for the loader of Vulkan drivers itself, which Chromium brings as well.
    env: { ...process.env, ...softwareEnvironment, LD_LIBRARY_PATH: "/usr/lib/chromium", DENO_NO_UPDATE_CHECK: "1" },
  });
  expect(stdout, stderr).not.toBe("");
  expect(JSON.parse(stdout)).toEqual([]);
});
