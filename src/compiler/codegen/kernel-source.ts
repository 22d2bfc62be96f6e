// Target code of one kernel, ready for a toolchain or an engine. Stage 7.

import type { DType } from "../expr/dtype.ts";
import type { Numerics } from "../target/target.ts";

/** A parameter of the kernel, in calling order: inputs, then outputs. */
export interface KernelParameter {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Number of elements. */
  readonly length: number;
  readonly role: "input" | "output";
}

/** Code of one kernel as its back end has it. Each back end has a type of its own that extends this one. */
export interface KernelSource {
  /** Name of the back end. */
  readonly kind: string;
  /** An identifier; the symbol in C. */
  readonly name: string;
  readonly parameters: readonly KernelParameter[];
}

/**
 * C99 with GNU vector extensions and no includes: `void NAME(void *const *args, void *workspace)`, where `args` are the
 * parameters in order (element-aligned) and `workspace` is 64-byte aligned. A text may be put after another in one
 * translation unit: everything but NAME is static and prefixed with it; shared types are guarded by #ifndef.
 *
 * With loops that threads share it is `void NAME(void *const *args, void *workspace, uk_share *share)`, and their bodies are
 * functions NAME_part0, NAME_part1, … `share(part, context, parts, threads)` runs `part(context, at, slot)` for each `at` below
 * `parts`, on at most so many threads, each with a `slot` below `threads` of its own, and returns when all are done.
 */
export interface CSource extends KernelSource {
  readonly kind: "c";
  readonly text: string;
  readonly workspaceBytes: number;
  /** Threads that share its loops; 1: there are no such loops. */
  readonly threads: number;
  /** Instruction-set features the text needs, as the toolchain's `-m` options without the dash m. */
  readonly features: readonly string[];
  /** "fast" is compiled so that products and sums fuse. */
  readonly numerics: Numerics;
}

/**
 * A WASM module with its own memory: exports `memory` and `run()`; reads and writes its parameters at fixed offsets.
 *
 * With loops that threads share it imports `kernel.memory` and `kernel.share(part, iterations)`, and exports `run()` and the
 * bodies of the loops, `part0(at, slot)`, `part1(at, slot)`, … `share` runs the part for each `at` below `iterations`, in any
 * instance on the same memory, each thread with a `slot` below `sharing.threads` of its own, and returns when all are done.
 */
export interface WasmSource extends KernelSource {
  readonly kind: "wasm";
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Byte offset of each parameter in `memory`, 64-byte aligned, in the order of `parameters`. */
  readonly offsets: readonly number[];
  /** Whether the module uses relaxed SIMD (a fused multiply-add): it is valid only in engines that have it. */
  readonly relaxed: boolean;
  /** Facts for threads that share its loops; null: it has no such loops. */
  readonly sharing: WasmSharing | null;
}

/** Facts about a module with shared loops that its threads need. */
export interface WasmSharing {
  /** Most threads that share the loops. */
  readonly threads: number;
  /** Number of pages, of 64 KiB each, that the memory has to have. */
  readonly pages: number;
  /**
   * Place of the byte with the memory's flags: the module asks for a shared memory. With `unsharedFlag` there, it asks for one
   * that is not.
   */
  readonly flagAt: number;
}

/** Says whether a source is of the back end for C compilers, for what only addons have. */
export const isCSource = (source: KernelSource): source is CSource => source.kind === "c";

/** Says whether a source is a WASM module, for what only modules have. */
export const isWasmSource = (source: KernelSource): source is WasmSource => source.kind === "wasm";

/** A JavaScript function body `(arg0, arg1, …) => void` over typed arrays: the reference loops. */
export interface JsSource extends KernelSource {
  readonly kind: "js";
  readonly text: string;
}
