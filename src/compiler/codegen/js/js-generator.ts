// The back end of mode `off`: flat loop IR without vectors → plain loops in JavaScript.

import { scalarPasses } from "../../lower/pipeline.ts";
import type { CodeGenerator } from "../code-generator.ts";
import type { JsSource } from "../kernel-source.ts";
import { generateJs } from "./generate-js.ts";

export const jsGenerator: CodeGenerator<JsSource> = {
  name: "js",
  language: "JavaScript",
  extension: "js",
  needsToolchain: false,
  passes: scalarPasses,
  generate: (flat) => generateJs(flat),
  print: (flat) => generateJs(flat).text,
  code: ({ text }) => text,
  sizeOf: ({ text }) => ({ statements: null, bytes: text.length, workspaceBytes: null, characters: 0 }),
};
