// The public types of the plugin: its options, and the kernel that an import gives.

import type { Numerics } from "../compiler/index.ts";
import type { RemoteOption } from "./remote/remote-options.ts";

export type {
  AnyKernel,
  AnyResult as KernelResult,
  Kernel,
  KernelInfo,
  Packable,
  PackableKernel,
  PackedKernel,
  Twin,
  TypedArray,
} from "../compiler/index.ts";

/** Modes of a build; see `KernelPluginOptions.mode`. */
export const modes = ["tune", "frozen", "predict", "off"] as const;
export type Mode = (typeof modes)[number];

export const logLevels = ["silent", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export type { RemoteMode, RemoteOption, RemoteProtocol } from "./remote/remote-options.ts";

/** A glob as bundlers take it (picomatch; `./` is the root, others may begin at any folder), or a regular expression. */
export type PathPattern = string | RegExp;

/** Options of the plugin. All are optional; a build without options tunes into `kernels.lock.json`. */
export interface KernelPluginOptions {
  /** Files that may be imported with `?tune=`. Default: `*.op.ts`, `*.op.js`, `*.op.mts`, `*.op.mjs`. */
  include?: PathPattern | readonly PathPattern[];
  exclude?: PathPattern | readonly PathPattern[];
  /** Folder that relative paths here start from. Default: the folder of package.json above Vite's root, or above the working directory. */
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
  /**
   * `seconds` and `trials` are those of one kernel; the tuner stops early when it has converged. `total` are the seconds
   * of all kernels of a build together: they are spent where they save most, after a first round for each. Default: 30
   * seconds, 512 trials, no total.
   */
  budget?: { seconds?: number; trials?: number; total?: number };
  /** Treatment of a kernel that the lock does not know, in mode `frozen`: an error (default), or the predicted schedule and a warning. */
  onMiss?: "error" | "fallback";
  /**
   * A shared store, asked after the lock and the local store: its URL (http, https or s3), or an object. `protocol`: `http` (Bazel's
   * HTTP cache), `s3` or `turborepo`, where `url` may be left to `TURBO_API`. `mode`: `read-only` (default), `read-write` (what is tuned
   * is put there, but not by the CI of a pull request), `off`. `namespace`: folders of its own within the store.
   */
  remote?: string | RemoteOption;
  /** Public keys whose signature makes a binary from elsewhere loadable. */
  trust?: readonly string[];
  /** File for declarations of the imports; true: `kernel-imports.d.ts`; false (default): none is written. */
  dts?: boolean | string;
  /** File for an HTML report at the end of a build; true: `unplugin-kernel-report.html`; false (default): none is written. */
  report?: boolean | string;
  /**
   * Whether the output of a build has the schedules' texts and the keys of the store, for `info.schedule` and `info.cacheKey`; default: false.
   * Dev servers and programs without a bundler always have them.
   */
  schedules?: boolean;
  logLevel?: LogLevel;
  /** `fast` (default): sums may be reassociated, products and sums fused. `strict`: the order of the reference. */
  numerics?: Numerics;
}
