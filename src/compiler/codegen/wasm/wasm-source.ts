// Bytes of a module and its parameters → the module as the other rooms know it. Places in memory follow from the parameters, so a
// stored module needs little beside its bytes.

import { parameterBuffer } from "../../ir/buffer.ts";
import type { KernelParameter, WasmSource } from "../kernel-source.ts";
import { layOutMemory } from "./memory-layout.ts";
import { sharingOf } from "./sharing.ts";

/** A module with these parameters, given the bytes that `generateWasm` made for it earlier. */
export function wasmSource(
  parameters: readonly KernelParameter[],
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  { relaxed, threads }: { readonly relaxed: boolean; readonly threads: number },
): WasmSource {
  const { buffers } = layOutMemory(parameters.map((parameter) => parameterBuffer(parameter, parameter.role)));
  const offsets = parameters.map((parameter) => buffers.get(parameter.name)!.offset);
  return { kind: "wasm", name, parameters, bytes, offsets, relaxed, sharing: sharingOf(bytes, threads) };
}
