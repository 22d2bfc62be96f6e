// The first call that a GPU could answer is computed by it and by the twin: later ones go to the GPU where its results agree and it was
// faster. No driver is trusted blindly, and small kernels are not worth the way to the GPU.

import { nowMs } from "../../../native/machine/clock.ts";
import type { Arrays } from "../implementation.ts";

/** Time below which a twin is asked again: its first call may have started a worker. */
const shortMs = 50;

/** Margin for a GPU's own rounding, which may fuse and reorder what the bound of the schedule does not. */
const margin = 8;

/** Says how results disagree; null: they agree. Elements that are no numbers for the twin count for nothing: GPUs may take it that there are none. */
export function disagreement(ours: Arrays, twins: Arrays, errorBound: number | null): string | null {
  for (const [at, twin] of twins.entries()) {
    const own = ours[at]!;
    const isExact = !(twin instanceof Float32Array || twin instanceof Float64Array);
    let [largest, apart] = [0, 0];
    for (let element = 0; element < twin.length; element++) {
      const wanted = twin[element]!;
      if (!Number.isFinite(wanted)) continue;
      const difference = Math.abs(own[element]! - wanted);
      if (!(difference <= apart)) apart = difference;
      largest = Math.max(largest, Math.abs(wanted));
    }
    const allowed = isExact ? 0 : margin * Math.max(errorBound ?? 0, 2 ** -20) * largest;
    if (!(apart <= allowed)) return `the GPU's results differ from the twin's by ${apart}, where ${allowed} may be`;
  }
  return null;
}

/** Outcome of a trial: the twin's results, and why the GPU is not to answer; null: it is. */
export interface Trial {
  readonly outputs: Arrays;
  readonly reason: string | null;
}

type Run = () => Promise<Arrays>;

async function timed(run: Run): Promise<{ outputs: Arrays; ms: number }> {
  const start = nowMs();
  const outputs = await run();
  return { outputs, ms: nowMs() - start };
}

/** @param twin computes by copies of its inputs: it may be asked twice */
export async function tryOut(gpu: Run, twin: Run, errorBound: number | null): Promise<Trial> {
  // The first run compiles and warms up.
  const first = await gpu();
  const { ms } = await timed(gpu);
  let { outputs, ms: twinMs } = await timed(twin);
  const different = disagreement(first, outputs, errorBound);
  if (different !== null) return { outputs, reason: different };
  if (twinMs < shortMs) twinMs = (await timed(twin)).ms;
  const reason = ms < twinMs ? null : `the GPU takes ${ms.toFixed(2)} ms, the twin ${twinMs.toFixed(2)} ms`;
  return { outputs, reason };
}
