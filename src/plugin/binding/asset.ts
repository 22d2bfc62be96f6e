// The binaries of a kernel, and how the emitted module gets at each: as text inside it, or by URL.

import { createHash } from "node:crypto";
import type { CompiledKernel } from "../compiled-kernel.ts";

export interface KernelAsset {
  readonly role: "wasm" | "relaxed" | "native";
  /** Content-hashed: equal names mean equal bytes. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** How the emitted module reaches an asset. `url` holds a JavaScript expression, evaluated when the kernel is loaded. */
export type AssetReference =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | { readonly kind: "url"; readonly expression: string };

export type AssetReferences = Readonly<Record<KernelAsset["role"], AssetReference | null>>;

/** 12 hex digits: 48 bits, enough to tell the kernels of one output folder apart. */
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

const asset = (op: string, role: KernelAsset["role"], bytes: Uint8Array): KernelAsset => ({
  role,
  fileName: `${op}-${hashOf(bytes)}.${role === "native" ? "node" : "wasm"}`,
  bytes,
});

/** Every binary that the kernel comes with. */
export function kernelAssets({ op, wasm, relaxed, native }: CompiledKernel): readonly KernelAsset[] {
  return [
    ...(native ? [asset(op, "native", native.bytes)] : []),
    ...(relaxed ? [asset(op, "relaxed", relaxed.bytes)] : []),
    ...(wasm ? [asset(op, "wasm", wasm.bytes)] : []),
  ];
}
