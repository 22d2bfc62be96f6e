// A compiled kernel as text, from one process to another.

import type { CompiledKernel } from "../../src/plugin/kernel/compiled-kernel.ts";

/** Buffers have a form of their own in JSON, which comes before the replacer's. */
export const kernelToJson = (kernel: CompiledKernel): string =>
  JSON.stringify(kernel, function (this: Record<string, unknown>, key, value) {
    const original = this[key];
    return original instanceof Uint8Array ? { bytes: [...original] } : value;
  });

const isBytes = (value: unknown): value is { bytes: number[] } =>
  typeof value === "object" && value !== null && Object.keys(value).join() === "bytes";

export const kernelFromJson = (text: string): CompiledKernel =>
  JSON.parse(text, (_, value) => (isBytes(value) && Array.isArray(value.bytes) ? new Uint8Array(value.bytes) : value));
