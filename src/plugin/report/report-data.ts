// Data of a report, which the page draws and `report --json` prints. Types alone, as the page is built with them too.

export const reportSchema = 2;

export interface ReportData {
  readonly schema: typeof reportSchema;
  /** The project's name in its package.json, or that of its folder. */
  readonly project: string;
  /** Commands of this package as the project's package manager runs them: "pnpm exec unplugin-kernel tune". */
  readonly commands: CommandsReport;
  readonly machine: MachineReport;
  /** Kernels sorted by operator file, target and sizes. */
  readonly kernels: readonly (KernelReport | FailedKernel)[];
}

export interface CommandsReport {
  readonly tune: string;
  readonly report: string;
}

/** Bytes of the caches of one core. */
export interface CachesReport {
  readonly l1Bytes: number;
  readonly l2Bytes: number;
  readonly l3Bytes: number;
}

/** The machine that made the report. */
export interface MachineReport {
  /** Its name, with family and model where the system tells them: "AMD EPYC (family 25, model 17)". */
  readonly cpu: string;
  /** "linux-x64" */
  readonly platform: string;
  readonly cores: number;
  /** CPU features, spelled like -m options. */
  readonly features: readonly string[];
  readonly caches: CachesReport | null;
  /** Name of the target that `native` means here. */
  readonly native: string;
  readonly compilers: readonly { readonly family: string; readonly version: string }[];
  readonly node: string;
  readonly v8: string;
  /** Version of the space rules, passes and code generators together. */
  readonly codegen: string;
}

/** A kernel of which nothing can be told. */
export interface FailedKernel {
  readonly kind: "failed";
  readonly name: string;
  readonly error: string;
}

/** Origin of a schedule; `reference`: there is none, but the plain loops. */
export type ScheduleOrigin =
  | "lock"
  | "same-isa"
  | "store"
  | "pack"
  | "remote"
  | "tuned"
  | "shared"
  | "predicted"
  | "reference";

export interface KernelReport {
  readonly kind: "kernel";
  /** Name of the kernel in the lock file: "src/gemm.op.ts?M=64&tune=avx2". */
  readonly name: string;
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly target: string;
  readonly numerics: "fast" | "strict";
  readonly threads: number;
  /** Implementation that answers, and which one does where that cannot: "relaxed SIMD, else SIMD128". */
  readonly twin: string;
  readonly origin: ScheduleOrigin;
  /** Cache sizes that its schedule was tuned for; null: this machine's. */
  readonly tunedFor: CachesReport | null;
  /** The expression that the kernel computes, as text. */
  readonly expression: string;
  readonly flops: number;
  /** Bytes of inputs and results, each once. */
  readonly bytes: number;
  /** Measurement of its schedule; null: the schedule was predicted. */
  readonly measured: MeasuredReport | null;
  readonly roof: RoofReport;
  /** Times of the winner and of the default schedule that compare; null: one of them has no record here. */
  readonly againstDefault: { readonly winnerNs: number; readonly defaultNs: number } | null;
  readonly tunings: readonly TuningReport[];
  readonly templates: readonly TemplateReport[];
  /** Candidates in the order in which they were measured. */
  readonly candidates: readonly CandidateReport[];
  /** Places among the candidates; null: it was not measured here. */
  readonly winner: number | null;
  readonly default: number | null;
  readonly schedules: SchedulePair;
}

export interface MeasuredReport {
  readonly medianNs: number;
  readonly gflops: number;
  readonly toolchain: string;
  /** Candidates that were measured to find it. */
  readonly trials: number;
  /** Whether on a machine as this one. */
  readonly isHere: boolean;
}

/** Limits of this machine for this kernel; null: not known. */
export interface RoofReport {
  /** 1e9 of the kernel's operations a second, by the arithmetic that its schedule cannot do without. */
  readonly gflops: number | null;
  /** The same of its twin with relaxed SIMD, which fuses; null: this engine has none, or it makes no difference. */
  readonly relaxedGflops: number | null;
  /** Limit by bringing operands from where they lie between calls; null for several threads. */
  readonly reading: ReadingReport | null;
  /** The least time of a call, in nanoseconds. */
  readonly leastNs: number | null;
  /** Limit that decides the least time. */
  readonly limitedBy: "arithmetic" | "reading" | null;
  /** Whether the kernel was faster than what was measured of the machine, so that these are its own speeds. */
  readonly isKernelFaster: boolean;
  /** Source of the limits in words, or the reason why they are not known. */
  readonly source: string;
}

export interface ReadingReport {
  /** GB/s of a buffer as large. */
  readonly speed: number;
  /** Bytes that are read, or that are written where these are more. */
  readonly bytes: number;
  /** 1e9 of the kernel's operations a second. */
  readonly gflops: number;
}

/** One tuning, from the first measurement to the last. */
export interface TuningReport {
  /** Name of the strategy; null: not kept. */
  readonly strategy: string | null;
  /** Why the tuning ended; null: not kept. */
  readonly ended: "budget" | "converged" | "exhausted" | null;
  readonly measured: number;
  /** Milliseconds of the tuning; null: not kept. */
  readonly elapsedMs: number | null;
  /**
   * Improvements of the best: number of the candidate, milliseconds since the start (null: not kept), and the new best
   * time in nanoseconds.
   */
  readonly improvements: readonly (readonly [trial: number, elapsedMs: number | null, ns: number])[];
  /** Milliseconds by part; null: not kept. */
  readonly timeSplit: readonly { readonly part: string; readonly ms: number }[] | null;
}

export interface TemplateReport {
  readonly name: string;
  readonly tunables: readonly string[];
}

export interface CandidateReport {
  /** Its place among the templates. */
  readonly template: number;
  /** Values of the template's tunables, in their order. */
  readonly values: readonly number[];
  /** The least of its samples; null: it failed. */
  readonly ns: number | null;
  readonly status: "ok" | "build-failed" | "crashed" | "timed-out" | "wrong-result" | "ill-conditioned";
  readonly reason: string | null;
}

export interface SchedulePair {
  readonly chosen: ScheduleReport | null;
  /** The predicted one, which a build takes that measures nothing; null: it is the chosen one. */
  readonly default: ScheduleReport | null;
  /** Why the chosen one is missing. */
  readonly problem: string | null;
}

export interface ScheduleReport {
  readonly template: string;
  readonly decisions: Readonly<Record<string, number | string>>;
  /** Its instructions. */
  readonly steps: string;
  readonly nest: string;
  readonly code: string;
  readonly language: string;
}
