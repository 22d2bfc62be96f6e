// The back end for WebAssembly engines: flat loop IR → a module, which needs no compiler.

import { vectorPasses } from "../../lower/pipeline.ts";
import type { CodeGenerator } from "../code-generator.ts";
import type { WasmSource } from "../kernel-source.ts";
import { generateWasm, generateWat } from "./generate-wasm.ts";
import { wasmTraits } from "./wasm-traits.ts";

export const wasmGenerator: CodeGenerator<WasmSource> = {
  ...wasmTraits,
  language: "WAT",
  extension: "wat",
  passes: vectorPasses,
  generate: (flat, { target: { threads }, relaxed = false }) => generateWasm(flat, { relaxed, threads }),
  print: (flat, { target: { threads }, relaxed = false }) => generateWat(flat, { relaxed, threads }),
  code: ({ bytes }) => bytes,
  sizeOf: ({ bytes }) => ({ statements: null, bytes: bytes.length, workspaceBytes: null, characters: 0 }),
};
