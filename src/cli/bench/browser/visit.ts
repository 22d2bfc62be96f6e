// Data that the bench command and its page exchange: the plan that the page gets, and the measurements that it sends
// back.

import type { Twin } from "../../../plugin/options/types.ts";
import type { BenchRow, KernelBench } from "../bench-kernel.ts";
import type { Benched } from "../bench-text.ts";

/** A tensor, as the page makes an array for it. */
export interface PlannedTensor {
  readonly name: string;
  readonly role: "input" | "output";
  /** "Float32Array" */
  readonly array: string;
  readonly length: number;
}

export interface PlannedBench extends Omit<KernelBench, "rows"> {
  readonly tensors: readonly PlannedTensor[];
  readonly constants: readonly string[];
  readonly threads: number;
  /** Whether a page may have the kernel at all. */
  readonly hasTwins: boolean;
  /** `why` says that one is not to be had at all; the others are modules beside the kernel's other files. */
  readonly twins: readonly { readonly name: Twin; readonly why: string | null }[];
}

export interface PlannedKernel {
  /** Import of the kernel as the project writes it. */
  readonly kernel: string;
  readonly error: string | null;
  readonly bench: PlannedBench | null;
}

export interface Plan {
  /** Name of the project's folder. */
  readonly project: string;
  /** Seconds for each kernel. */
  readonly seconds: number;
  readonly kernels: readonly PlannedKernel[];
}

export interface BrowserFacts {
  readonly userAgent: string;
  readonly cores: number;
  /** Whether memory may be shared, so that kernels have their threads. */
  readonly hasSharedMemory: boolean;
  readonly hasRelaxedSimd: boolean;
  /** The least step of the clock. */
  readonly clockStepMs: number;
}

/** Measurement of one twin. */
export type MeasuredRow = Omit<BenchRow, "gflops">;

/** Data that a page sends. */
export interface PageMeasurements {
  readonly browser: BrowserFacts;
  /** Rows of each kernel, in the order of the plan; a kernel that failed has none. */
  readonly kernels: readonly (readonly MeasuredRow[])[];
}

/** Results of one visit to the page, as `bench` shows them, and the browser that they come from. */
export interface PageVisit {
  readonly browser: BrowserFacts;
  readonly kernels: readonly Benched[];
}

export function benchedOf({ kernel, error, bench }: PlannedKernel, measured: readonly MeasuredRow[]): Benched {
  if (!bench) return { kernel, error, bench: null };
  const { origin, flops } = bench;
  const rows = measured.map((row): BenchRow => ({ ...row, gflops: row.times && flops / row.times.medianNs }));
  return { kernel, error, bench: { origin, flops, rows } };
}

export const visitOf = ({ kernels }: Plan, measured: PageMeasurements): PageVisit => ({
  browser: measured.browser,
  kernels: kernels.map((planned, at) => benchedOf(planned, measured.kernels[at] ?? [])),
});
