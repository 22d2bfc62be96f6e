// Entrants of one work on one device: each checked against the reference, then measured in rounds, in an order that changes. A sample is
// a batch of runs from its recording until the device is done; nothing is copied.

import { expectOutput, mismatch } from "../../../src/native/runner/compare.ts";
import type { RunTask } from "../../../src/native/runner/protocol.ts";
import { runsFor } from "../../../src/native/runner/runs-for.ts";
import { median } from "../../../src/tuner/measure/statistics.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import type { OpenedOnGpu } from "./entrant.ts";
import type { SharedDevice } from "./shared-device.ts";

export interface Entrant {
  readonly name: string;
  /** Null: a library has no such call. */
  open(): Promise<OpenedOnGpu | null>;
}

export interface Placed {
  readonly name: string;
  /** Milliseconds of a run, the median of the rounds; null: it failed, for a reason, or a library has no such call. */
  readonly ms: number | null;
  readonly leastMs: number | null;
  /** Milliseconds of a run in each round. */
  readonly samples: readonly number[];
  readonly dispatches: number;
  readonly reason: string | null;
}

const sampleNs = 100e6;
const nsPerMs = 1e6;

interface Running {
  readonly name: string;
  readonly dispatches: number;
  readonly runs: number;
  readonly opened: OpenedOnGpu;
  readonly samples: number[];
}

export async function contest(
  gpu: SharedDevice,
  task: RunTask,
  entrants: readonly Entrant[],
  rounds: number,
): Promise<readonly Placed[]> {
  const entered: (Running | Placed)[] = [];
  for (const entrant of entrants) entered.push(await enter(gpu, task, entrant));
  const running = entered.filter((it): it is Running => "opened" in it);
  const rng = createRng(1);
  for (let round = 0; round < rounds; round++) {
    for (const { opened, runs, samples } of rng.shuffle([...running])) samples.push(await sampled(gpu, opened, runs));
  }
  for (const { opened } of running) opened.close();
  return entered.map((it): Placed => {
    if (!("opened" in it)) return it;
    const { name, dispatches, samples } = it;
    return { name, ms: median(samples), leastMs: Math.min(...samples), samples, dispatches, reason: null };
  });
}

/** Milliseconds of a run in a batch. */
async function sampled({ device }: SharedDevice, opened: OpenedOnGpu, runs: number): Promise<number> {
  const begin = performance.now();
  await opened.submit(runs);
  await device.queue.onSubmittedWorkDone();
  return (performance.now() - begin) / runs;
}

async function enter(gpu: SharedDevice, task: RunTask, { name, open }: Entrant): Promise<Running | Placed> {
  const failed = (reason: string): Placed => ({ name, ms: null, leastMs: null, samples: [], dispatches: 0, reason });
  try {
    const opened = await open();
    if (!opened) return failed("it has no such call");
    await sampled(gpu, opened, 1);
    gpu.takeDispatches();
    const firstMs = await sampled(gpu, opened, 1);
    const dispatches = gpu.takeDispatches();
    const [{ values, bound, exact }] = task.expected as [(typeof task.expected)[number]];
    const output = expectOutput(task.parameters[task.inputs.length]!, values, bound, exact ?? null);
    const wrong = mismatch(output, await opened.result());
    if (wrong === null) return { name, dispatches, opened, samples: [], runs: runsFor(firstMs * nsPerMs, sampleNs) };
    opened.close();
    return failed(wrong);
  } catch (error) {
    return failed((error as Error).message.split("\n")[0]!);
  }
}
