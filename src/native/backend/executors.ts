// The table of executors by the name of their back end. Ours stand here; a foreign one is added by `useExecutor`.

import { addTo, invariant, type KernelSource } from "../../compiler/index.ts";
import { cExecutor } from "./c.ts";
import { cudaExecutor } from "./cuda.ts";
import type { Executor } from "./executor.ts";
import { wasmExecutor } from "./wasm.ts";
import { wgslExecutor } from "./wgsl.ts";

const table = new Map<string, Executor>(
  [cExecutor, wasmExecutor, wgslExecutor, cudaExecutor].map((it) => [it.name, it]),
);

/**
 * Adds a foreign back end's executor.
 *
 * @throws DiagnosticError `backend.taken`
 */
export const useExecutor = (executor: Executor): void => addTo(table, executor);

/** Returns the executor of a back end. */
export function executorNamed(backend: string): Executor {
  const executor = table.get(backend);
  invariant(executor, `back end ${backend} can build`);
  return executor;
}

/** Returns the executor that builds a source. */
export const executorOf = ({ kind }: KernelSource): Executor => executorNamed(kind);
