// The public types of the plugin: its options, and the kernel that an import gives.

import type { DType, Numerics, Parameters } from "../compiler/index.ts";

/** What a build does about a kernel; see docs of `KernelPluginOptions.mode`. */
export const modes = ["tune", "frozen", "predict", "off"] as const;
export type Mode = (typeof modes)[number];

export const logLevels = ["silent", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A glob over absolute paths with `/` (`*` within a folder, `**` across folders), or a regular expression. */
export type PathPattern = string | RegExp;

/** All are optional; a build without options tunes into `kernels.lock.json`. */
export interface KernelPluginOptions {
  /** Which files may be imported with `?tune=`. Default: `*.op.ts`, `*.op.js`, `*.op.mts`, `*.op.mjs`. */
  include?: PathPattern | readonly PathPattern[];
  exclude?: PathPattern | readonly PathPattern[];
  /** What relative paths here start from. Default: Vite's root, else the working directory. */
  root?: string;
  /** The content-addressed store. Default: `node_modules/.cache/unplugin-kernel`. */
  cacheDir?: string;
  /** The decisions, to be committed. Default: `kernels.lock.json`. */
  lockfile?: string;
  /**
   * - `tune` (default): lock → store → remote → tune within the budget, then write store and lock.
   * - `frozen` (default when CI is set): the lock decides, nothing is measured; a missing entry is an error.
   * - `predict`: the best predicted schedule at once, nothing is measured.
   * - `off`: the reference loops, for debugging.
   */
  mode?: Mode;
  /** Per kernel; the tuner stops early when it has converged. Default: 30 seconds, 512 trials. */
  budget?: { seconds?: number; trials?: number };
  /** In `frozen`, a kernel that the lock does not know: an error (default), or the predicted schedule and a warning. */
  onMiss?: "error" | "fallback";
  /** URL of a shared store, asked after the lock and the local store. */
  remote?: string;
  /** Public keys whose signature makes a binary from elsewhere loadable. */
  trust?: readonly string[];
  /** Where to write declarations of the imports; false (default): nowhere. */
  dts?: boolean | string;
  /** Where to write an HTML report; false (default): nowhere. */
  report?: boolean | string;
  logLevel?: LogLevel;
  /** `fast` (default): sums may be reassociated, products and sums fused. `strict`: the order of the reference. */
  numerics?: Numerics;
}

/** Which implementation answers: the addon, a WASM module, or plain loops (mode `off`). */
export type Twin = "native" | "wasm-relaxed" | "wasm" | "reference";

export interface KernelTensorInfo {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly role: "input" | "output";
}

export interface KernelInfo {
  readonly op: string;
  readonly parameters: Parameters;
  readonly target: string;
  readonly numerics: Numerics;
  /** In calling order. */
  readonly tensors: readonly KernelTensorInfo[];
  /** The schedule, one instruction a line. */
  readonly trace: string;
  /** Measured when it was tuned; null if it was not. */
  readonly gflops: number | null;
  /** The key of the kernel in the store. */
  readonly key: string;
  /** Largest relative error against exact arithmetic; 0: equals the reference bit for bit. Null: not known. */
  readonly errorBound: number | null;
  /** Loads the kernel if need be; null in a browser before `ready()`. */
  readonly twin: Twin | null;
  /** Why it is not a faster twin, in words; null when it is the best that was built. */
  readonly twinReason: string | null;
}

export type KernelArray = Float64Array | Float32Array | Uint16Array | Int32Array | Int16Array | Int8Array | Uint8Array;

/** One output, or several by name. */
export type KernelResult = KernelArray | Readonly<Record<string, KernelArray>>;

/** What an import gives when nothing more precise is known about its operator. */
export interface Kernel {
  /**
   * Inputs in order, then none or all of the outputs. Returns the output, or an object of them by name; most results are
   * f32, others are named: `const sums: Int32Array = count(A)`.
   *
   * @throws TypeError for a wrong number of arguments, a wrong kind of array, a detached array.
   * @throws RangeError for a wrong length, and for an output that overlaps another argument.
   *
   * @example const C = gemm(A, B); gemm(A, B, C);
   */
  <Result extends KernelResult = Float32Array>(...arrays: KernelArray[]): Result;
  /** The same, off the event loop. The arrays are not to be touched before it has resolved. */
  async<Result extends KernelResult = Float32Array>(...arrays: KernelArray[]): Promise<Result>;
  /** Typed arrays by name, where the kernel reads them: a call with exactly these copies nothing. */
  buffers(): Record<string, KernelArray>;
  /** Loads the kernel. Needed before the first call only in a browser, and only with `&sync=0` or a very large module. */
  ready(): Promise<void>;
  readonly info: KernelInfo;
}
