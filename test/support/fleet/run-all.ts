// Many candidates in jobs of one size through a queue, several jobs at a time, and what became of each.

import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { FleetQueue } from "../../../src/tuner/fleet/queue.ts";
import type { FleetKey } from "../../../src/tuner/fleet/seal.ts";
import { type Coordinator, type FleetOutcome, measureOnFleet } from "../../../src/tuner/fleet/submit.ts";
import type { WorkerClass } from "../../../src/tuner/fleet/worker-class.ts";
import { jobOf } from "./simulated.ts";

export interface RunAllOptions {
  readonly candidates: readonly Candidate[];
  readonly of: WorkerClass;
  readonly atOnce: number;
  readonly size?: number;
  readonly key?: FleetKey;
  readonly deadlineMs?: number;
  /** Called after each outcome, with their number. */
  readonly onOutcome?: (count: number, outcome: FleetOutcome) => void;
}

export const coordinatorOf = (queue: FleetQueue, key: FleetKey = null, run: string | null = null): Coordinator => ({
  queue,
  key,
  run,
  clock: () => performance.now(),
  isServed: async () => true,
});

/** Returns the outcomes in the order of the candidates. */
export async function runAll(
  queue: FleetQueue,
  { candidates, of, atOnce, size = 25, key = null, deadlineMs = 60_000, onOutcome }: RunAllOptions,
): Promise<readonly FleetOutcome[]> {
  const outcomes: FleetOutcome[] = [];
  let next = 0;
  let count = 0;
  async function take(): Promise<void> {
    while (next < candidates.length) {
      const from = next;
      next += size;
      const job = jobOf(of, candidates.slice(from, from + size), { deadlineMs });
      let at = from;
      for await (const outcome of measureOnFleet(job, coordinatorOf(queue, key), () => 600_000)) {
        outcomes[at++] = outcome;
        onOutcome?.(++count, outcome);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, take));
  return outcomes;
}

export const measuredNs = (outcome: FleetOutcome | undefined): number | null =>
  outcome?.kind === "result" && outcome.result.measurement.kind === "ok"
    ? outcome.result.measurement.timing.minNs
    : null;

export function reasonOf(outcome: FleetOutcome | undefined): string | null {
  if (!outcome) return "it has no outcome";
  if (outcome.kind === "left-out") return outcome.reason;
  const { measurement } = outcome.result;
  return "reason" in measurement ? measurement.reason : null;
}
