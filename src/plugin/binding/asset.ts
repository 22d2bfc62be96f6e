// The binaries of a kernel, and how the emitted module gets at each: as text inside it, or by URL.

import { createHash } from "node:crypto";
import type { EngineClass } from "../../compiler/index.ts";
import type { WasmTwin } from "../kernel/twin.ts";
import { workerScript } from "./runtime-files.ts";

export interface KernelAsset {
  readonly role: "wasm" | "relaxed" | "native" | "worker";
  /** Name with a hash of the content: equal names mean equal bytes. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Whether only calls of `.async` need it. */
  readonly isForAsync: boolean;
  /** System that an addon is for; null: it is no addon. */
  readonly platform: string | null;
  /** A file in the cache directory that has the bytes; null: there is none. */
  readonly path: string | null;
}

/** Form in which the emitted module refers to an asset. `url` holds a JavaScript expression, evaluated when the kernel is loaded. */
export type AssetReference =
  | { readonly kind: "inline"; readonly bytes: Uint8Array }
  | { readonly kind: "url"; readonly expression: string };

/**
 * Form in which the emitted module refers to the script of its workers: Node starts them from the text, browsers from
 * the file if there is one.
 */
export interface WorkerReference {
  /** Whether the program has the text. */
  readonly text: boolean;
  readonly url: string | null;
}

export type ModuleReferences = Readonly<Record<"wasm" | "relaxed", AssetReference | null>>;

export type AssetReferences = ModuleReferences & {
  /** Modules for classes of engines. */
  readonly engines?: Readonly<Partial<Record<EngineClass, ModuleReferences>>>;
  /** Addons by the system that they are for. */
  readonly native: Readonly<Record<string, AssetReference>>;
  /** Script of the kernel's workers; null: it has no use for workers of ours. */
  readonly worker: WorkerReference | null;
  /** Whether the module is for browsers alone; default: no. */
  readonly isForBrowsers?: boolean;
};

/** Hash of 12 hex digits: 48 bits, enough to tell the kernels of one output folder apart. */
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

const extensions = { wasm: "wasm", relaxed: "wasm", native: "node", worker: "js" } as const;

export const asset = (
  name: string,
  role: KernelAsset["role"],
  bytes: Uint8Array,
  { isForAsync = false, platform = null, path = null }: Partial<KernelAsset> = {},
): KernelAsset => ({
  role,
  fileName: `${name}-${hashOf(bytes)}.${extensions[role]}`,
  bytes,
  isForAsync,
  platform,
  path,
});

/** Says whether threads share loops of a twin's modules, or of the preparation of its constants. */
export const sharesLoops = ({ modules, prepare }: WasmTwin): boolean => Boolean(modules[0].sharing ?? prepare?.sharing);

/** The script of workers: the same for all kernels, so that an output folder has it once. */
export const workerAsset = (twin: WasmTwin): KernelAsset =>
  asset("kernel-worker", "worker", workerScript(), { isForAsync: !sharesLoops(twin) });
