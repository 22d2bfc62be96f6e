// The context that a kernel is compiled in: options and log of its build, and the state that all kernels of the build share. Types alone:
// their values are made above the rooms that use them.

import type { Diagnostic, Target } from "../../compiler/index.ts";
import type { Machine } from "../../native/machine/machine.ts";
import type { Access } from "../../native/network/page-listener.ts";
import type { CheckingRunner, Runner } from "../../native/runner/client.ts";
import type { MeasuringPlace } from "../../native/runner/host.ts";
import type { SharedRunner } from "../../native/runner/shared-runner.ts";
import type { Collector } from "../../tuner/carried/collecting-bench.ts";
import type { TuningGroup } from "../../tuner/scheduler/tuning-group.ts";
import type { Store } from "../../tuner/store/store.ts";
import type { TuneProgress } from "../../tuner/tuning/tuning.ts";
import type { Fleet } from "../fleet/open-fleet.ts";
import type { CompileOptions } from "../options/options.ts";
import type { OpenPack } from "../packs/read-pack.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import type { Topic } from "../support/say-once.ts";
import type { CompiledKernel } from "./compiled-kernel.ts";
import type { KernelDecision } from "./decision.ts";
import type { KernelRequest } from "./kernel-request.ts";

export interface CompileLog {
  debug(line: string): void;
  info(line: string): void;
  /** Tells what the user should do something about, though there is a kernel. */
  warn(line: string): void;
}

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
  /** A browser that measures kernels of some targets; null: none does. */
  readonly browser?: VisitingBrowser | null;
  /** Collects candidates for another machine in place of measuring them; null: they are measured. */
  readonly collector?: Collector | null;
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

/** A browser that runs candidates in place of this machine. */
export interface VisitingBrowser {
  /** Name of what measures, which records carry. */
  readonly name: string;
  measures(target: Target): boolean;
  /** Opens a runner of candidates in it. */
  open(): Runner;
}

export interface BackgroundTuner {
  /**
   * Whether there is a decision in the lock: there was time to measure something. Rejects with the signal's reason when the
   * process, told by the signal, has cleaned up.
   */
  tune(request: KernelRequest, services: TunerServices): Promise<boolean>;
  /**
   * Has the browser of a page tune kernels for the class of its GPU. Returns the places of those that have a new decision in the lock; rejects as
   * `tune` does.
   */
  visit(visit: AwaitedVisit, services: TunerServices): Promise<readonly number[]>;
}

/** A visit of a page that a dev server hands on. */
export interface AwaitedVisit {
  readonly requests: readonly KernelRequest[];
  readonly access: Access;
  /** Called when what the page asks can be handed on to a pipe. */
  readonly onListening: (pipe: string) => void;
}

export type TunerServices = Pick<CompileServices, "options" | "log" | "signal" | "onProgress">;

/** The tuning of a task, and who waits for it. */
export interface StartedTuning {
  /** Kernels that share it: how much it counts. */
  kernels: number;
  readonly decision: Promise<KernelDecision>;
}

export interface BuildTunings {
  /** Most tunings that run at once; null: as many as the machine has cores. */
  readonly compilers: number | null;
  /** Tunings by `taskIdentity`. One that failed is not kept. */
  readonly started: Map<string, StartedTuning>;
  /** Topics that concern all kernels of the build, and of which something was said already (`say-once.ts`). */
  readonly told: Set<Topic>;
  /** Opens the machine. The place is that of the kernel that asks first: those of a build have the same. */
  machine(place: MeasuringPlace): Promise<SharedMachine>;
  /** Runs what the build has just built against its reference. */
  readonly checks: BuildChecks;
  /** Shared store, opened by the first kernel that asks it. */
  remote: RemoteStore | null;
  /** Packs, read by the first kernel that asks them. */
  packs: readonly OpenPack[] | null;
}

export interface SharedMachine {
  readonly group: TuningGroup;
  readonly runner: SharedRunner;
}

export interface BuildChecks {
  /** Compiles a kernel. A process that has been started in the meantime ends with the last of the kernels that are being compiled. */
  during<T>(compile: () => Promise<T>): Promise<T>;
  /** Makes a runner for the tasks of one kernel; its `close` ends the process if no kernel is being compiled. */
  open(): Promise<CheckingRunner>;
}

/**
 * Compiles the kernel of a request. Rejects with a DiagnosticError for what the user can mend.
 */
export type CompileKernel = (request: KernelRequest, services: CompileServices) => Promise<CompiledKernel>;
