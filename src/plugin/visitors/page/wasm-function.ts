// A WASM module of a candidate, with its arrays in its memory.

import type { JobCode, JobTensor } from "../messages.ts";
import type { Bytes, OpenFunction } from "./open-function.ts";

const bytesPer = (tensor: JobTensor): number =>
  (globalThis as unknown as Record<string, { readonly BYTES_PER_ELEMENT: number }>)[tensor.array]!.BYTES_PER_ELEMENT;

export async function openWasmFunction(
  { bytes, offsets, sharing }: Extract<JobCode, { readonly kind: "wasm" }>,
  tensors: readonly JobTensor[],
): Promise<OpenFunction> {
  if (sharing) throw new Error("pages measure kernels of one thread");
  const module = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), {});
  const { memory, run } = exports as { readonly memory: WebAssembly.Memory; run(): void };
  const placeOf = (tensor: JobTensor): Uint8Array =>
    new Uint8Array(memory.buffer, offsets[tensors.indexOf(tensor)], tensor.length * bytesPer(tensor));
  for (const tensor of tensors) if (tensor.role === "output") placeOf(tensor).fill(0xff);
  return {
    write: (tensor, values) => placeOf(tensor).set(values),
    read: async (tensor) => placeOf(tensor).slice() as Bytes,
    async run(count) {
      for (let at = 0; at < count; at++) run();
    },
    close: () => undefined,
  };
}
