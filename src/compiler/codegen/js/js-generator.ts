// The back end of mode `off`: flat loop IR without vectors → plain loops in JavaScript.

import { scalarPasses } from "../../lower/pipeline.ts";
import type { CodeGenerator } from "../code-generator.ts";
import type { JsSource } from "../kernel-source.ts";
import { generateJs } from "./generate-js.ts";
import { jsTraits } from "./js-traits.ts";

export const jsGenerator: CodeGenerator<JsSource> = {
  ...jsTraits,
  language: "JavaScript",
  extension: "js",
  passes: scalarPasses,
  generate: (flat) => generateJs(flat),
  print: (flat) => generateJs(flat).text,
  code: ({ text }) => text,
  sizeOf: ({ text }) => ({ statements: null, bytes: text.length, workspaceBytes: null, characters: 0 }),
};
