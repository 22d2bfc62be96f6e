// The back end for NVIDIA's GPUs: flat loop IR of threads → CUDA C without includes, with inline PTX, and the same as PTX alone.

import type { LoopFunc } from "../../ir/loop-ir.ts";
import { threadPasses } from "../../lower/pipeline.ts";
import type { CodeGenerator, GenerateOptions } from "../code-generator.ts";
import { generateCuda } from "./cuda-c/generate-cuda.ts";
import { cudaTraits } from "./cuda-traits.ts";
import type { CudaSource } from "./plan/cuda-source.ts";
import { generatePtx } from "./ptx/generate-ptx.ts";

const generate = (func: LoopFunc, options: GenerateOptions): CudaSource => ({
  ...generateCuda(func, options),
  ptx: (architecture) => generatePtx(func, { architecture, numerics: options.numerics }),
});

export const cudaGenerator: CodeGenerator<CudaSource> = {
  ...cudaTraits,
  language: "CUDA C",
  extension: "cu",
  passes: threadPasses,
  generate,
  print: (flat, options) => generateCuda(flat, options).text,
  code: ({ text, launches }) => `${text}\n${JSON.stringify(launches)}`,
  sizeOf: ({ text, scratch }) => ({
    statements: text.split(";").length - 1,
    bytes: null,
    workspaceBytes: scratch.reduce((sum, { bytes }) => sum + bytes, 0),
    characters: text.length,
  }),
};
