// The table of traits by the name of their back end. Ours stand here; those of a foreign one are added with its code generator.

import type { BackendTraits } from "../codegen/backend-traits.ts";
import { cTraits } from "../codegen/c/c-traits.ts";
import { cudaTraits } from "../codegen/cuda/cuda-traits.ts";
import { jsTraits } from "../codegen/js/js-traits.ts";
import { wasmTraits } from "../codegen/wasm/wasm-traits.ts";
import { wgslTraits } from "../codegen/wgsl/wgsl-traits.ts";
import { type DiagnosticError, refuse } from "../support/diagnostic.ts";
import { addTo } from "../support/registry.ts";
import type { Target } from "../target/target.ts";

const table = new Map<string, BackendTraits>(
  [cTraits, wasmTraits, jsTraits, cudaTraits, wgslTraits].map((it) => [it.name, it]),
);

/** @throws DiagnosticError `backend.taken` */
export const addTraits = (traits: BackendTraits): void => addTo(table, traits);

export const unknownBackend = (name: string): DiagnosticError =>
  refuse(
    "backend.unknown",
    `there is no back end "${name}"`,
    "pass the back end to useBackend before its targets are used",
  );

function traitsOf({ backend }: Pick<Target, "backend">): BackendTraits {
  const found = table.get(backend);
  if (found) return found;
  throw unknownBackend(backend);
}

/**
 * Says whether kernels of the target are built by a C compiler of this machine.
 *
 * @throws DiagnosticError `backend.unknown`
 */
export const needsToolchain = (target: Pick<Target, "backend">): boolean => traitsOf(target).needsToolchain;

/**
 * Says whether kernels of the target run on every machine.
 *
 * @throws DiagnosticError `backend.unknown`
 */
export const runsEverywhere = (target: Pick<Target, "backend">): boolean => traitsOf(target).isPortable === true;

/**
 * Says whether kernels of the target run on a GPU of the machine that runs the program.
 *
 * @throws DiagnosticError `backend.unknown`
 */
export const isForGpuHere = (target: Pick<Target, "backend">): boolean => traitsOf(target).isForGpuHere === true;

/**
 * Says whether kernels of the target run on machines that no build knows.
 *
 * @throws DiagnosticError `backend.unknown`
 */
export const isForVisitors = (target: Pick<Target, "backend">): boolean => traitsOf(target).isForVisitors === true;
