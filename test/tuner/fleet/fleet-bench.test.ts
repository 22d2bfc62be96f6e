// A tuning's candidates on a fleet: times are made relative to the baseline that each worker measured, and where the fleet is lost this
// machine goes on, with one line.

import { afterEach, expect, test } from "vitest";
import { mutate, predictSchedule } from "../../../src/api/index.ts";
import { spaceOf, taskOf } from "../../../src/api/task.ts";
import { gemm } from "../../../src/compiler/ops/index.ts";
import type { Measurement } from "../../../src/tuner/data/measurement.ts";
import { taskKey } from "../../../src/tuner/data/task-key.ts";
import { createFleetBench } from "../../../src/tuner/fleet/fleet-bench.ts";
import { type FleetQueue, QueueLost } from "../../../src/tuner/fleet/queue.ts";
import { classHash } from "../../../src/tuner/fleet/worker-class.ts";
import type { NoTime } from "../../../src/tuner/support/time-limit.ts";
import type { Workbench } from "../../../src/tuner/workbench/workbench.ts";
import { memoryQueue } from "../../support/fleet/memory-queue.ts";
import { coordinatorOf } from "../../support/fleet/run-all.ts";
import { fakeClass, simulatedOpener } from "../../support/fleet/simulated.ts";

const op = gemm({ M: 16, N: 16, K: 16 });
const options = { target: "wasm" } as const;
const task = taskOf(op, options);
const space = spaceOf(task, options);
const baseline = predictSchedule(op, options);
const candidates = [1, 2, 3, 4].map((seed) => mutate(op, baseline, { ...options, seed })!);
const of = fakeClass("a");
const forever = () => 60_000;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A workbench of this machine on which everything takes 500 ns. */
function localBench(): Workbench & { readonly built: () => number } {
  let built = 0;
  const timing = { medianNs: 500, minNs: 500, p20Ns: 500, repeats: 1 };
  return {
    built: () => built,
    toolchain: "local",
    compilerRuns: () => 0,
    close: async () => undefined,
    race: async () => ({ winner: 1, runnerUp: 0, timing }),
    async *measure(sources) {
      for (const _ of sources) {
        built += 1;
        yield { kind: "ok", timing };
      }
      return undefined;
    },
  };
}

function benchOn(queue: FleetQueue, local: Workbench | null) {
  const lines: string[] = [];
  const bench = createFleetBench({
    task,
    taskKey: taskKey(task),
    space: () => space,
    operator: { file: "src/a.op.ts", parameters: {}, digest: "a".repeat(64) },
    baseline,
    hash: classHash(of),
    toolchain: "there",
    cache: "hot",
    coordinator: coordinatorOf(queue),
    local,
    deadlineMs: 60_000,
    onLost: (reason) => lines.push(reason),
  });
  return { bench, lines };
}

async function timesOf(outcomes: AsyncIterator<Measurement | NoTime, undefined>): Promise<readonly unknown[]> {
  const times: unknown[] = [];
  for (let next = await outcomes.next(); !next.done; next = await outcomes.next())
    times.push(next.value.kind === "ok" ? next.value.timing.minNs : next.value);
  return times;
}

/** Serves with workers one after the other, each `scale` times as slow as it says. */
function serve(queue: ReturnType<typeof memoryQueue>, scale: number) {
  const { stop } = queue.serve({ id: `w${scale}`, of, open: (die) => simulatedOpener({ die, scale }) });
  stops.push(stop);
  return stop;
}

test("times of workers that are three times as slow are those of the first, by the baseline that both measured", async () => {
  const queue = memoryQueue();
  const { bench } = benchOn(queue, null);
  const first = serve(queue, 1);
  const times = [...(await timesOf(bench.measure(candidates.slice(0, 2), forever)))];
  first();
  serve(queue, 3);
  times.push(...(await timesOf(bench.measure(candidates.slice(2), forever))));
  expect(times).toEqual([1000, 1000, 1000, 1000]);
  expect(bench.toolchain()).toBe("wasm");
});

/** A queue that is lost after `calls` calls for results. */
function losing(queue: FleetQueue, calls: number): FleetQueue {
  let left = calls;
  return {
    ...queue,
    read(names) {
      left -= 1;
      return left < 0 ? Promise.reject(new QueueLost("it went away")) : queue.read(names);
    },
  };
}

test("a fleet that is lost in the middle is replaced by this machine, once and with one line", async () => {
  const queue = memoryQueue();
  serve(queue, 1);
  const local = localBench();
  const { bench, lines } = benchOn(queue, local);
  expect(await timesOf(bench.measure(candidates.slice(0, 1), forever))).toEqual([1000]);
  const { bench: unlucky, lines: said } = benchOn(losing(queue, 2), local);
  expect(await timesOf(unlucky.measure(candidates, forever))).toHaveLength(4);
  expect(await timesOf(unlucky.measure(candidates.slice(0, 2), forever))).toHaveLength(2);
  expect([lines, said, unlucky.toolchain()]).toEqual([[], ["it went away"], "local"]);
  expect(local.built()).toBeGreaterThan(4);
  const race = await unlucky.race(
    candidates,
    () => [],
    () => false,
    forever,
  );
  expect(race.winner).toBe(1);
});

test("times of this machine are made relative to the fleet's, too", async () => {
  const queue = memoryQueue();
  serve(queue, 1);
  let isLost = false;
  const fragile: FleetQueue = {
    ...queue,
    read: (names) => (isLost ? Promise.reject(new QueueLost("gone")) : queue.read(names)),
  };
  const { bench } = benchOn(fragile, localBench());
  expect(await timesOf(bench.measure(candidates.slice(0, 2), forever))).toEqual([1000, 1000]);
  isLost = true;
  expect(await timesOf(bench.measure(candidates.slice(2), forever))).toEqual([1000, 1000]);
});

test("where this machine cannot measure, the loss is an error", async () => {
  const { bench } = benchOn(losing(memoryQueue(), 0), null);
  await expect(timesOf(bench.measure(candidates, forever))).rejects.toThrow(QueueLost);
});

test("the finalists race on one worker", async () => {
  const queue = memoryQueue();
  serve(queue, 2);
  const { bench } = benchOn(queue, null);
  const race = await bench.race(
    candidates,
    () => [],
    () => false,
    forever,
  );
  expect([race.winner, race.timing?.medianNs]).toEqual([0, 2000]);
});
