// A running tuning → lines for the log, now and then: bundlers own the terminal, so nothing is drawn over.

import type { TuneProgress } from "../tuner/tune.ts";

/** Time between two lines of one kernel. */
const quietMs = 2000;

/**
 * "src/gemm.op.ts?tune=avx2: round 3, 48 measured, 1 failed, 171.2 GFLOP/s, 6.3 s"
 *
 * @param flops of the whole operator
 */
export function progressLine(kernel: string, flops: number, progress: TuneProgress): string {
  const { round, measured, failed, bestNs, elapsedMs } = progress;
  const best = bestNs === null ? "nothing yet" : `${(flops / bestNs).toFixed(1)} GFLOP/s`;
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${kernel}: round ${round}, ${measured} measured${failures}, ${best}, ${(elapsedMs / 1000).toFixed(1)} s`;
}

/** Passes on the first line of each tuning and then one in two seconds. */
export function createProgress(
  write: (line: string) => void,
): (kernel: string, flops: number, progress: TuneProgress) => void {
  const last = new Map<string, number>();
  return (kernel, flops, progress) => {
    const before = last.get(kernel);
    const isDue = before === undefined || progress.elapsedMs < before || progress.elapsedMs - before >= quietMs;
    if (!isDue) return;
    last.set(kernel, progress.elapsedMs);
    write(progressLine(kernel, flops, progress));
  };
}
