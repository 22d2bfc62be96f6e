// `prove`: what the analytic model and the constraints of a space say of all schedules that a tuning did not measure.

import type { Op } from "../compiler/index.ts";
import { nowMs } from "../native/machine/clock.ts";
import type { Candidate } from "../tuner/data/space.ts";
import type { WinnerProof } from "../tuner/proof/prove-winner.ts";
import { type KernelOptions, spaceOf, taskOf } from "./task.ts";

export interface ProveOptions extends KernelOptions {
  /** Most time for each template of the space; default: 20. */
  readonly seconds?: number;
}

/**
 * Searches the operator's space for a schedule that is predicted to be faster than this one. The verdict is proven
 * (there is none), refuted (with such a schedule), or unknown (time ran out). It holds for the analytic model, not for
 * the machine. docs/constraints.md
 *
 * @example const { verdict, text } = await prove(gemm, (await tune(gemm, options)).schedule, options);
 */
export async function prove(op: Op, schedule: Candidate, options: ProveOptions): Promise<WinnerProof> {
  const { seconds = 20 } = options;
  const { proveWinner } = await import("../tuner/proof/prove-winner.ts");
  const task = taskOf(op, options);
  return proveWinner(task, spaceOf(task, options), schedule, { mostMs: 1000 * seconds, nowMs });
}
