// The back end for C compilers: flat loop IR → C text, which becomes an addon.

import { hintedPasses } from "../../lower/pipeline.ts";
import type { CodeGenerator } from "../code-generator.ts";
import type { CSource } from "../kernel-source.ts";
import { cTraits } from "./c-traits.ts";
import { generateC } from "./generate-c.ts";

export const cGenerator: CodeGenerator<CSource> = {
  ...cTraits,
  language: "C",
  extension: "c",
  passes: hintedPasses,
  generate: (flat, { target, numerics }) => generateC(flat, target, { numerics }),
  print: (flat, { target, numerics }) => generateC(flat, target, { numerics }).text,
  code: ({ text }) => text,
  sizeOf: ({ text, workspaceBytes }) => ({
    statements: text.split(";").length - 1,
    bytes: null,
    workspaceBytes,
    characters: text.length,
  }),
};
