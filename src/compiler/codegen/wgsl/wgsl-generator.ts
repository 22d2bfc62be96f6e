// The back end for GPUs behind WebGPU: flat loop IR of threads → WGSL.

import { expandMath } from "../../lower/pass/expand-math.ts";
import { promoteOwnRegisters } from "../../lower/pass/promote-own-registers.ts";
import { spreadTiles } from "../../lower/pass/spread-tiles.ts";
import { threadPasses } from "../../lower/pipeline.ts";
import type { CodeGenerator } from "../code-generator.ts";
import { cannotCompute } from "./cannot-compute.ts";
import { generateWgsl } from "./generate-wgsl.ts";
import type { WgslSource } from "./wgsl-source.ts";
import { wgslTraits } from "./wgsl-traits.ts";

export const wgslGenerator: CodeGenerator<WgslSource> = {
  ...wgslTraits,
  language: "WGSL",
  extension: "wgsl",
  // Expansions go by how sums are rounded, which WGSL leaves open: functions are printed as calls (math.ts). What lanes compute of tiles is
  // known before values are shared.
  passes: threadPasses
    .filter((pass) => pass !== expandMath)
    .flatMap((pass) => (pass === promoteOwnRegisters ? [pass, spreadTiles] : [pass])),
  cannotCompute,
  generate: generateWgsl,
  print: (flat, options) => generateWgsl(flat, options).text,
  code: ({ text, launches }) => `${text}\n${JSON.stringify(launches)}`,
  sizeOf: ({ text, scratch }) => ({
    statements: text.split(";").length - 1,
    bytes: null,
    workspaceBytes: scratch.reduce((sum, { bytes }) => sum + bytes, 0),
    characters: text.length,
  }),
};
