// The seam between the bundler side and the tuner: what is asked for, and what comes back to be emitted.

import type {
  Diagnostic,
  JsSource,
  KernelParameter,
  Numerics,
  Parameters,
  SplitParameters,
  WasmSource,
} from "../../compiler/index.ts";
import type { Machine } from "../../native/machine/machine.ts";
import type { Budget } from "../../tuner/data/task.ts";
import type { StrategyName } from "../../tuner/search/strategy/strategy.ts";
import type { Store } from "../../tuner/store/store.ts";
import type { TuneProgress } from "../../tuner/tuning/tuning.ts";
import type { BackgroundTuner } from "../background/background-tuner.ts";
import type { BuildTunings } from "../build/build-tunings.ts";
import type { Fleet } from "../fleet/open-fleet.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Mode } from "../options/types.ts";
import type { RequestTarget } from "../request/request.ts";

/**
 * - `interim`: what can be had at once, as a dev server asks for the tuned one behind it.
 * - `again`: as `tune`, but what was decided does not count, and the search goes on from what was measured.
 * - `update`: as `again`, but what was measured of the kernel does not count either.
 */
export type RequestMode = Mode | "interim" | "again" | "update";

export interface KernelRequest {
  /** Absolute path of the operator file. */
  readonly opFile: string;
  readonly target: RequestTarget;
  /** Overrides from the import, not yet checked against the operator (see `checkParameters`). */
  readonly parameters: Parameters;
  /** `none`: no WASM twin, and an error where the target cannot be built. */
  readonly fallback: "wasm" | "none";
  readonly threads: number;
  readonly numerics: Numerics;
  readonly mode: RequestMode;
  readonly budget: Budget;
  /** Searches to go through before the usual one, each from nothing and for the whole budget, so that a report compares them. */
  readonly compare?: readonly StrategyName[];
}

export interface CompileLog {
  debug(line: string): void;
  info(line: string): void;
  /** Tells what the user should do something about, though there is a kernel. */
  warn(line: string): void;
}

/** Resolved options without the functions that choose files. */
export type CompileOptions = Omit<ResolvedOptions, "accepts" | "leavesOut">;

export interface CompileServices {
  /** Paths of lock and store, remote, trust, what to do on a miss. */
  readonly options: CompileOptions;
  readonly log: CompileLog;
  /** Signal that is aborted when the build is closed: tuning stops, and what was measured is kept. */
  readonly signal: AbortSignal;
  /** Tunings and machine that the kernels of this build share. */
  readonly tunings: BuildTunings;
  /** Other machines that measure; null: this one does. */
  readonly fleet?: Fleet | null;
  /** Machine that kernels are tuned for; default: this one. */
  readonly machine?: Machine;
  /** Tunes in another process, where this one has to go on answering. */
  readonly background?: BackgroundTuner | null;
  /** Called with the files of the operator as soon as they are known, be it right or not: a change of one may mend it. */
  readonly onSources?: ((files: readonly string[]) => void) | undefined;
  /** Called with the key of each entry of the store that was found and not trusted. */
  readonly onForeign?: ((key: string) => void) | undefined;
  /** Called where the lock cannot be written, in place of a warning: the kernel has its decision, and only the lock lacks it. */
  readonly onUnwritten?: ((problem: Diagnostic) => void) | undefined;
  /** Makes the store that is used of the project's. */
  readonly wrapStore?: ((store: Store) => Store) | undefined;
  /** Called after each round of a tuning. */
  readonly onProgress?: ((kernel: string, flops: number, progress: TuneProgress) => void) | undefined;
}

/** A Node-API addon: `slot(index)` and `callAsync(index, …arrays)`, arrays in the order of `tensors`. */
export interface NativeKernel {
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

/**
 * Source of the decision; `shared`: an equal kernel of this build was tuned; `same-isa`: the lock has the operator for another
 * target, all of whose instructions the wanted one has.
 */
export type Origin = "lock" | "same-isa" | "store" | "pack" | "remote" | "tuned" | "shared" | "predicted" | "reference";

export interface CompiledKernel {
  /** Name of the operator, an identifier. */
  readonly op: string;
  /** All parameters of the operator, with the import's values. */
  readonly parameters: Parameters;
  /** Name of the resolved target: never `native`. */
  readonly target: string;
  readonly numerics: Numerics;
  readonly tensors: readonly KernelParameter[];
  /** Inputs that stay the same from call to call. */
  readonly constants: readonly string[];
  /** WASM module; null in mode `off`, and with `fallback: "none"` where there is an addon. */
  readonly wasm: WasmSource | null;
  readonly relaxed: WasmSource | null;
  /** Prepares constants for both of them. Null: they take them as they are. */
  readonly prepare: WasmSource | null;
  readonly native: NativeKernel | null;
  /** The plain loops; used where there is nothing else. */
  readonly reference: JsSource | null;
  /** The schedule as text. */
  readonly trace: string;
  readonly gflops: number | null;
  readonly key: string;
  readonly errorBound: number | null;
  /** Absolute paths of files; a change of one makes the kernel stale. */
  readonly watchFiles: readonly string[];
  readonly origin: Origin;
  /** Whether its schedule was tuned for other cache sizes than this machine's. */
  readonly isForOtherCaches: boolean;
  /** Candidates measured for this request: the summary line adds them up. */
  readonly measurements: number;
  readonly compilerRuns: number;
}

/**
 * Compiles the kernel of a request. Rejects with a DiagnosticError for what the user can mend.
 */
export type CompileKernel = (request: KernelRequest, services: CompileServices) => Promise<CompiledKernel>;
