// The table of code generators by the name of their back end. Ours stand here; a foreign one is added by `useCodeGenerator`.

import { cGenerator } from "../codegen/c/c-generator.ts";
import type { CodeGenerator } from "../codegen/code-generator.ts";
import { cudaGenerator } from "../codegen/cuda/cuda-generator.ts";
import { jsGenerator } from "../codegen/js/js-generator.ts";
import type { KernelSource } from "../codegen/kernel-source.ts";
import { wasmGenerator } from "../codegen/wasm/wasm-generator.ts";
import { wgslGenerator } from "../codegen/wgsl/wgsl-generator.ts";
import { addTo } from "../support/registry.ts";
import type { Target } from "../target/target.ts";
import { addTraits, unknownBackend } from "./traits.ts";

const table = new Map<string, CodeGenerator>(
  [cGenerator, wasmGenerator, jsGenerator, cudaGenerator, wgslGenerator].map((it) => [it.name, it]),
);

/**
 * Adds a foreign back end's generator.
 *
 * @throws DiagnosticError `backend.taken`
 */
export function useCodeGenerator(generator: CodeGenerator): void {
  // A back end of ours that is given as a value has its generator here already.
  if (table.get(generator.name)?.generate === generator.generate) return;
  addTo(table, generator);
  addTraits(generator);
}

/** @throws DiagnosticError `backend.unknown` */
export function codeGeneratorNamed(name: string): CodeGenerator {
  const found = table.get(name);
  if (found) return found;
  throw unknownBackend(name);
}

export const codeGeneratorOf = ({ backend }: Pick<Target, "backend">): CodeGenerator => codeGeneratorNamed(backend);

/** Returns the generator that made a source. */
export const generatorOf = ({ kind }: Pick<KernelSource, "kind">): CodeGenerator => codeGeneratorNamed(kind);
