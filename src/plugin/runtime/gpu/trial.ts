// The first call that a GPU could answer is computed by each schedule that may be the best there, and by the twin: later ones go to the
// fastest whose results agree. No driver is trusted blindly, and small kernels are not worth the way to the GPU.

import type { TypedArray } from "../../../compiler/index.ts";
import { nowMs } from "../../../native/machine/clock.ts";
import type { Arrays } from "../implementation.ts";
import type { Choice } from "./choice-memory.ts";

/** Time below which a twin is asked again: its first call may have started a worker. */
const shortMs = 50;

/** Margin for a GPU's own rounding, which may fuse and reorder what the bound of the schedule does not. */
const margin = 8;

/** Numbers that output `at` holds. */
type NumbersOf = (output: TypedArray, at: number) => ArrayLike<number>;

/** Says how results disagree; null: they agree. Elements that are no numbers for the twin count for nothing: GPUs may take it that there are none. */
export function disagreement(
  ours: Arrays,
  twins: Arrays,
  errorBound: number | null,
  numbersOf: NumbersOf = (output) => output,
): string | null {
  for (const [at, output] of twins.entries()) {
    const own = numbersOf(ours[at]!, at);
    const twin = numbersOf(output, at);
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

export interface Trial extends Choice {
  /** Results of the twin. */
  readonly outputs: Arrays;
}

type Run = () => Promise<Arrays>;

async function timed(run: Run): Promise<{ outputs: Arrays; ms: number }> {
  const start = nowMs();
  const outputs = await run();
  return { outputs, ms: nowMs() - start };
}

interface Raced {
  readonly schedule: number;
  readonly outputs: Arrays;
  readonly ms: number;
}

/** Runs each schedule twice, as the first run warms up. One that fails is out of the race. */
async function race(schedules: readonly Run[]): Promise<readonly Raced[]> {
  const raced: Raced[] = [];
  let failure: unknown;
  for (const [schedule, run] of schedules.entries()) {
    try {
      const outputs = await run();
      const { ms } = await timed(run);
      raced.push({ schedule, outputs, ms });
    } catch (error) {
      failure = error;
    }
  }
  if (raced.length === 0) throw failure;
  return raced.toSorted((a, b) => a.ms - b.ms);
}

/**
 * @param schedules run a call by the GPU
 * @param twin computes by copies of its inputs: it may be asked twice
 * @throws what the GPU says, where no schedule runs
 */
export async function tryOut(
  schedules: readonly Run[],
  twin: Run,
  errorBound: number | null,
  numbersOf?: NumbersOf,
): Promise<Trial> {
  const raced = await race(schedules);
  let { outputs, ms: twinMs } = await timed(twin);
  const different = raced.map((it) => disagreement(it.outputs, outputs, errorBound, numbersOf));
  const best = raced.find((_, at) => different[at] === null);
  if (!best) return { outputs, schedule: null, reason: different[0]! };
  if (twinMs < shortMs) twinMs = (await timed(twin)).ms;
  if (best.ms < twinMs) return { outputs, schedule: best.schedule, reason: null };
  const reason = `the GPU takes ${best.ms.toFixed(2)} ms, the twin ${twinMs.toFixed(2)} ms`;
  return { outputs, schedule: null, reason };
}
