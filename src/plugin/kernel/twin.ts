// The ways to run a kernel, each with what a build made for it. What a module has to say of each stands in binding/twin/, a file a kind.

import type { JsSource, SplitParameters, WasmSource, WgslSource } from "../../compiler/index.ts";
import type { CudaFunction } from "../../native/addon/artifact.ts";

/** One way to run a kernel. A kernel has several, best first: the first one that a machine can run answers there. */
export type KernelTwin = NativeTwin | ForeignTwin | WebgpuTwin | CudaTwin | WasmTwin | LoopsTwin;

/** A Node-API addon: `slot(index)` and `callAsync(index, …arrays)`, arrays in the order of the kernel's tensors. */
export interface NativeTwin {
  readonly kind: "native";
  readonly bytes: Uint8Array;
  /** A file in the cache directory, for dev servers, which emit nothing; null where it could not be written. */
  readonly path: string | null;
  /** Place of the kernel within the addon. */
  readonly index: number;
  /** CPU features, in gcc's names (avx512f, avx512vnni), that are checked before the addon is loaded. */
  readonly features: readonly string[];
  /** `process.platform` and `process.arch` that it was built for: "linux-x64". */
  readonly platform: string;
  /** Parameters of the kernel and of its preparation, which is the next kernel of the addon. Null: the constants need no preparation. */
  readonly split: SplitParameters | null;
}

/** WASM modules of one schedule. */
export interface WasmTwin {
  readonly kind: "wasm";
  /** Best first: one with relaxed SIMD, where it would be another module, then one that every engine with SIMD runs. */
  readonly modules: readonly [WasmSource, ...WasmSource[]];
  /** Prepares constants for all of them. Null: they take them as they are. */
  readonly prepare: WasmSource | null;
}

/** Code of a back end that is not ours. */
export interface ForeignTwin {
  readonly kind: "foreign";
  /** Name of the back end: `info.twin` where it answers. */
  readonly backend: string;
  /** Absolute path of the JavaScript module whose export `open` makes a function of the code. */
  readonly module: string;
  readonly code: string;
  /** Code that prepares constants; null: they are taken as they are. */
  readonly prepare: string | null;
  readonly split: SplitParameters | null;
}

/** WGSL for calls off the event loop, which a visitor's GPU may answer. All other calls are the next twin's. */
export interface WebgpuTwin {
  readonly kind: "webgpu";
  /** Null: the build made none, and the next twin answers all calls. */
  readonly code: WebgpuCode | null;
}

export interface WebgpuCode {
  readonly source: WgslSource;
  /** Prepares constants; null: they are taken as they are. */
  readonly prepare: WgslSource | null;
  readonly split: SplitParameters | null;
}

/** PTX for calls off the event loop, which an NVIDIA GPU of the program's machine may answer. All other calls are the next twin's. */
export interface CudaTwin {
  readonly kind: "cuda";
  /** Null: the build made none, and the next twin answers all calls. */
  readonly code: CudaCode | null;
}

/** Functions of one schedule for NVIDIA's GPUs. */
export interface CudaCode {
  /** Architecture of the GPUs that run it: "sm_80" and later ones, "sm_90a" alone. */
  readonly architecture: string;
  readonly run: CudaFunction;
  /** Prepares constants; null: they are taken as they are. */
  readonly prepare: CudaFunction | null;
  readonly split: SplitParameters | null;
}

/** The plain loops: there is nothing else. */
export interface LoopsTwin {
  readonly kind: "loops";
  readonly source: JsSource;
}

type Twins = { readonly twins: readonly KernelTwin[] };

/** Returns a kernel's twin of a kind; undefined: it has none. */
export const twinOf = <Kind extends KernelTwin["kind"]>(
  { twins }: Twins,
  kind: Kind,
): Extract<KernelTwin, { readonly kind: Kind }> | undefined =>
  twins.find((twin): twin is Extract<KernelTwin, { readonly kind: Kind }> => twin.kind === kind);
