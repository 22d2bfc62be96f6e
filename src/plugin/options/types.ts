// The public types of the plugin: its options, and the kernel that an import gives.

import type { EngineClass, Numerics } from "../../compiler/index.ts";
import type { PlatformName } from "../../native/toolchain/platform.ts";
import type { RemoteOption } from "./remote-options.ts";

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
} from "../../compiler/index.ts";

/** Modes of a build; see `KernelPluginOptions.mode`. */
export const modes = ["tune", "frozen", "predict", "off"] as const;
export type Mode = (typeof modes)[number];

export const logLevels = ["silent", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

export type { RemoteMode, RemoteOption, RemoteProtocol } from "./remote-options.ts";

/** A glob as bundlers take it (picomatch; `./` is the root, others may begin at any folder), or a regular expression. */
export type PathPattern = string | RegExp;

/** Kinds of results that have to be signed; see `TrustOptions.require`. */
export type TrustRequirement = "decision" | "binary";

/** A signer without a key, as its certificate names it; both are compared letter by letter. */
export interface TrustIdentity {
  /** `https://token.actions.githubusercontent.com` */
  readonly issuer: string;
  /** An e-mail address, or the URL of a workflow with its branch. */
  readonly identity: string;
}

/** The long form of option `trust`. */
export interface TrustOptions {
  /** Public keys, as `cache keygen` prints them. */
  keys?: readonly string[];
  /** Ids of keys whose signatures count no more, even where `keys` lists them. */
  revoked?: readonly string[];
  /**
   * - `decision`: a frozen build and `verify` refuse an entry of the lock that none of the keys has signed, and every build a decision
   *   from outside (of a remote store, a pack) that is not.
   * - `binary`: where no compiler is, a native kernel without a trusted binary is an error, and not its WASM twin.
   */
  require?: readonly TrustRequirement[];
  /** Signers without keys (Sigstore). */
  identities?: readonly TrustIdentity[];
  /** File `trusted_root.json` of Sigstore, which signatures without keys are checked against. */
  trustedRoot?: string;
}

/** Options of the plugin. All are optional; a build without options tunes into `kernels.lock.json`. */
export interface KernelPluginOptions {
  /** Files that may be imported with `?tune=`. Default: `*.op.ts`, `*.op.js`, `*.op.mts`, `*.op.mjs`. */
  include?: PathPattern | readonly PathPattern[];
  exclude?: PathPattern | readonly PathPattern[];
  /** Folder that relative paths here start from. Default: the folder of package.json above Vite's root, or above the working directory. */
  root?: string;
  /**
   * Systems that a build is for, `process.platform` and `process.arch`: an addon for each goes into the bundle, which zig or a cross compiler
   * builds. Systems with other processors get another target there: `neon-dot` for one of x64, `avx2` for one of ARM. Default: that of the
   * machine that builds.
   *
   * @example platforms: ["linux-x64", "linux-arm64", "darwin-arm64", "win32-x64"]
   */
  platforms?: readonly PlatformName[];
  /**
   * Classes of WASM engines, by their processors, for which imports with `?tune=wasm` get a schedule of their own beside the one for all: a
   * page asks its engine when it loads the kernel. Default: none.
   */
  engines?: readonly EngineClass[];
  /** The content-addressed store. Default: `node_modules/.cache/unplugin-kernel`. */
  cacheDir?: string;
  /** The decisions, to be committed. Default: `kernels.lock.json`. */
  lockfile?: string;
  /**
   * - `tune` (default): lock → store → packs → remote → tune within the budget, then write store and lock.
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
  /** Packages of tuned decisions that are installed here, asked in their order after the lock and the local store. */
  packs?: readonly string[];
  /** JavaScript modules of back ends that are not ours, each with one as its export `backend`: imports may name their targets. */
  backends?: readonly string[];
  /**
   * A shared store, asked after the lock, the local store and the packs: its URL (http, https or s3), or an object. `protocol`: `http` (Bazel's
   * HTTP cache), `s3` or `turborepo`, where `url` may be left to `TURBO_API`. `mode`: `read-only` (default), `read-write` (what is tuned
   * is put there, but not by the CI of a pull request), `off`. `namespace`: folders of its own within the store.
   */
  remote?: string | RemoteOption;
  /** Whether the shared store is left alone; default: whether the environment has UNPLUGIN_KERNEL_OFFLINE set to 1. */
  offline?: boolean;
  /** Signers whose decisions and binaries count: public keys of `cache keygen`, and more in its long form. Default: none. */
  trust?: readonly string[] | TrustOptions;
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
