// A running tuning → one line: written over on a terminal, now and then a new one elsewhere.

import type { TuneProgress } from "../../tuner/tuning/tuning.ts";

/** Shows the text in place of the one before; null takes it away. */
export type LiveLine = (text: string | null) => void;

export interface Progress {
  /** @param flops of the whole operator */
  show(kernel: string, flops: number, progress: TuneProgress): void;
  /** Takes the line of a kernel away, which is done. */
  end(): void;
}

/** Least milliseconds between two lines of one kernel where nothing can be written over, as in CI. */
const quietMs = 10_000;

/**
 * "src/gemm.op.ts?tune=avx2: round 3, 48 measured, 1 failed, 171.2 GFLOP/s, 6.3 s"
 *
 * @param flops of the whole operator
 */
export function progressLine(kernel: string, flops: number, progress: TuneProgress): string {
  const { round, measured, failed, bestNs, elapsedMs } = progress;
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`;
  if (measured === 0 && failed === 0) return `${kernel}: builds the first candidates, ${seconds}`;
  const best = bestNs === null ? "none ran" : `${(flops / bestNs).toFixed(1)} GFLOP/s`;
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${kernel}: round ${round}, ${measured} measured${failures}, ${best}, ${seconds}`;
}

/**
 * @param live null where lines cannot be written over
 * @param line writes a line that stays: the first of each tuning, and then one in ten seconds
 */
export function createProgress(live: LiveLine | null, line: (text: string) => void): Progress {
  const last = new Map<string, number>();
  return {
    show(kernel, flops, progress) {
      const text = progressLine(kernel, flops, progress);
      if (live) return live(text);
      const before = last.get(kernel);
      const isDue = before === undefined || progress.elapsedMs < before || progress.elapsedMs - before >= quietMs;
      if (!isDue) return;
      last.set(kernel, progress.elapsedMs);
      line(text);
    },
    end: () => live?.(null),
  };
}

/** The last line of a terminal; null if the stream is none. */
export function terminalLine(stream: NodeJS.WriteStream): LiveLine | null {
  if (!stream.isTTY) return null;
  return (text) => void stream.write(`\r\x1b[2K${text?.slice(0, stream.columns - 1) ?? ""}`);
}
