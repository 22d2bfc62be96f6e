// The parameters of a kernel in calling order, and where a WASM module keeps them: both follow from the operator alone,
// so a stored module needs nothing beside its bytes.

import type { ComputeDef } from "../expr/compute-def.ts";
import { fromCompute } from "../ir/from-compute.ts";
import type { Buffer } from "../ir/loop-ir.ts";
import type { KernelParameter, WasmSource } from "./kernel-source.ts";
import { layOutMemory } from "./wasm/memory-layout.ts";

export function parametersOf(buffers: readonly Buffer[]): readonly KernelParameter[] {
  return buffers.flatMap(({ name, dtype, shape, scope }) => {
    const length = shape.reduce((product, extent) => product * extent, 1);
    return scope === "input" || scope === "output" ? [{ name, dtype, shape, length, role: scope }] : [];
  });
}

export const kernelParameters = (op: ComputeDef): readonly KernelParameter[] => parametersOf(fromCompute(op).buffers);

/** The module of an operator, given the bytes that `generateWasm` made for it earlier. */
export function wasmSource(op: ComputeDef, name: string, bytes: Uint8Array<ArrayBuffer>, relaxed: boolean): WasmSource {
  const { buffers } = layOutMemory(fromCompute(op).buffers);
  const parameters = kernelParameters(op);
  return {
    kind: "wasm",
    name,
    parameters,
    bytes,
    offsets: parameters.map((parameter) => buffers.get(parameter.name)!.offset),
    relaxed,
  };
}
