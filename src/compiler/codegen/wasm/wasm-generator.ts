// The back end for WebAssembly engines: flat loop IR → a module, which needs no compiler.

import { vectorPasses } from "../../lower/pipeline.ts";
import { isRelaxed } from "../../target/wasm-relaxed.ts";
import type { CodeGenerator, GenerateOptions } from "../code-generator.ts";
import type { WasmSource } from "../kernel-source.ts";
import { generateWasm, generateWat, type WasmOptions } from "./generate-wasm.ts";
import { wasmTraits } from "./wasm-traits.ts";

const optionsOf = ({ target, numerics, relaxed = false }: GenerateOptions): WasmOptions => ({
  relaxed: relaxed || isRelaxed(target, numerics),
  threads: target.threads,
});

export const wasmGenerator: CodeGenerator<WasmSource> = {
  ...wasmTraits,
  language: "WAT",
  extension: "wat",
  passes: vectorPasses,
  generate: (flat, options) => generateWasm(flat, optionsOf(options)),
  print: (flat, options) => generateWat(flat, optionsOf(options)),
  code: ({ bytes }) => bytes,
  sizeOf: ({ bytes }) => ({ statements: null, bytes: bytes.length, workspaceBytes: null, characters: 0 }),
};
