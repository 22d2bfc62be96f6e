// Results of a bench → text: a table for each kernel.

import { textTable } from "../../tuner/report/text-table.ts";
import type { BenchRow, KernelBench } from "./bench-kernel.ts";

export interface Benched {
  readonly kernel: string;
  readonly bench: KernelBench | null;
  /** Why there is no bench. */
  readonly error: string | null;
}

export const isWrong = ({ error, bench }: Benched): boolean =>
  error !== null || bench?.rows.some(({ isRight }) => isRight === false) === true;

const duration = (ns: number): string =>
  ns < 1e3 ? `${ns.toFixed(0)} ns` : ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;

/** Range of the middle three fifths of the samples, in percent of the median. */
const spread = ({ medianNs, p20Ns, p80Ns }: NonNullable<BenchRow["times"]>): string =>
  `${(((p80Ns - p20Ns) / medianNs) * 100).toFixed(1)} %`;

function cellsOf({ name, isBound, why, times, gflops }: BenchRow, loopsNs: number | null): readonly string[] {
  const shown = isBound ? `${name} (bound)` : name;
  if (!times) return [shown, "–", "–", "–", "–", why ?? ""];
  const ratio = loopsNs === null ? "–" : `${(loopsNs / times.medianNs).toFixed(1)} ×`;
  return [shown, gflops ? gflops.toFixed(2) : "–", duration(times.medianNs), spread(times), ratio, ""];
}

export function benchText({ kernel, bench, error }: Benched): string {
  if (!bench) return error ?? "";
  const loops = bench.rows.find(({ name }) => name === "reference")?.times ?? null;
  const head = ["", "GFLOP/s", "a call", "spread", "of the loops", "not measured"];
  const rows = bench.rows.map((row) => cellsOf(row, loops?.medianNs ?? null));
  return [`${kernel}, schedule: ${bench.origin}`, textTable(head, rows)].join("\n");
}
