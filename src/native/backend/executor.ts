// The part of a back end that builds: sources → runnables, which the measuring process loads. One file beside this one each;
// `executors.ts` lists them.

import type { KernelSource, Target } from "../../compiler/index.ts";
import type { BuildFailure } from "../addon/build.ts";
import type { Runnable } from "../runner/protocol.ts";
import type { Toolchain } from "../toolchain/toolchain.ts";

/** Built kernel as the measuring process takes it, or why it could not be built. */
export type BuiltRunnable = { readonly kind: "built"; readonly runnable: Runnable } | BuildFailure;

export interface ExecutorOptions {
  /** Private directory for files; the caller removes it. */
  readonly directory: string;
  /** Compiler; null for a back end that needs none. */
  readonly toolchain: Toolchain | null;
  readonly signal?: AbortSignal | undefined;
}

export interface Executor<Source extends KernelSource = KernelSource> {
  /** Name of the back end. */
  readonly name: string;
  /**
   * For a back end that is not ours: absolute path of a JavaScript module, which becomes part of the program that imports a kernel. Its
   * export `open` makes a function of a kernel's code: `open(code)(arrays)`. None: modules cannot call its kernels.
   */
  readonly opener?: string;
  /**
   * Says why kernels can be built here but not run: their machine is missing. Null, and default: they can.
   *
   * @param project folder whose packages may have what is needed
   * @param target default: any of the back end's
   */
  whyNotHere?(project: string, target?: Target): Promise<string | null>;
  /** Returns the identity of the compiler that its sources take, "NVRTC 13.0", or null where it is not here. Default: they take none, or C's. */
  compiler?(): Promise<string | null>;
  /**
   * Builds kernels, each with the timing loop if it needs one; one bad source costs only itself. A back end that needs a toolchain gets
   * many sources in a call, and calls beside each other. Others get a source when it is about to be measured.
   */
  build(
    sources: readonly Source[],
    options: ExecutorOptions,
  ): readonly BuiltRunnable[] | Promise<readonly BuiltRunnable[]>;
}
