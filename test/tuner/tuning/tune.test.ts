// The loop itself, on a workbench whose times follow from the source alone.

import { describe, expect, it } from "vitest";
import { generatorOf, instantiate, opLibrary, sha256, targets } from "../../../src/compiler/index.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import { killsItsWorker, type Measurement } from "../../../src/tuner/data/measurement.ts";
import type { TuningRecord } from "../../../src/tuner/data/record.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { memoryDatabase, type RecordDatabase } from "../../../src/tuner/record/database.ts";
import { candidateKey } from "../../../src/tuner/search/point/search-space.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import type { Strategy } from "../../../src/tuner/search/strategy/strategy.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { tune } from "../../../src/tuner/tuning/tune.ts";
import type { TuningOptions } from "../../../src/tuner/tuning/tuning.ts";
import type { MeasurableSource, Workbench } from "../../../src/tuner/workbench/workbench.ts";

const op = instantiate(opLibrary.gemm({ M: 12, N: 16, K: 10, dtype: "f32" }), {}, "gemm");
const task: TuningTask = { op, target: targets.wasm, numerics: "fast", threads: 1 };
const space = generateSpace(task);
const taskKey = sha256("task");

type Measure = (source: MeasurableSource, ns: number) => Measurement;

const timed: Measure = (_, ns) => ({ kind: "ok", timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 5 } });
/** One in eight does not run. */
const sometimes: Measure = (source, ns) => (ns % 8 < 1 ? { kind: "crashed", reason: "made to" } : timed(source, ns));

const textOf = (source: MeasurableSource): string | Uint8Array => generatorOf(source).code(source);
const timeOf = (source: MeasurableSource): number => Number.parseInt(sha256(textOf(source)).slice(0, 6), 16);

interface FakeWorkbench extends Workbench {
  readonly measured: string[];
}

function fakeWorkbench(measure: Measure = timed, toolchain = "wasm"): FakeWorkbench {
  const measured: string[] = [];
  return {
    measured,
    toolchain,
    compilerRuns: () => 0,
    async *measure(sources) {
      for (const source of sources) {
        if ("reason" in source) throw new Error(source.reason);
        measured.push(sha256(textOf(source)));
        yield measure(source, timeOf(source));
      }
      return undefined;
    },
    async race(sources) {
      const times = sources.map((source) => ("reason" in source ? Number.NaN : timeOf(source)));
      const [winner, runnerUp] = [...times.keys()].sort((left, right) => times[left]! - times[right]!);
      const ns = times[winner!]!;
      return { winner: winner!, runnerUp: runnerUp!, timing: { medianNs: ns, minNs: ns, p20Ns: ns, repeats: 16 } };
    },
    close: async () => undefined,
  };
}

const optionsWith = (workbench: Workbench, more: Partial<TuningOptions> = {}): TuningOptions => ({
  budget: { seconds: 1000, trials: 40 },
  strategy: strategies.default,
  seed: 7,
  taskKey,
  database: memoryDatabase(),
  workbench,
  clock: () => 0,
  ...more,
});

function databaseWith(records: readonly TuningRecord[]): RecordDatabase {
  const database = memoryDatabase();
  for (const record of records) database.append(record);
  return database;
}

const all = { task: null, targetClass: null };
const ours = { task: taskKey, targetClass: targetClass(task.target) };

describe("a tuning", () => {
  it("gives the same candidates for the same seed, and others for another", async () => {
    const runs = [fakeWorkbench(sometimes), fakeWorkbench(sometimes), fakeWorkbench(sometimes)];
    const [first, second] = [
      await tune(task, space, optionsWith(runs[0]!)),
      await tune(task, space, optionsWith(runs[1]!)),
    ];
    await tune(task, space, optionsWith(runs[2]!, { seed: 8 }));
    expect(runs[0]!.measured.length).toBeGreaterThan(20);
    expect(runs[1]!.measured).toEqual(runs[0]!.measured);
    expect(runs[2]!.measured).not.toEqual(runs[0]!.measured);
    expect(second).toEqual(first);
  });

  it("counts a candidate that killed its worker, and does not record it: no worker has signed that it died", async () => {
    const database = memoryDatabase();
    const deadly: Measure = (source, ns) =>
      ns % 8 < 1 ? { kind: "crashed", reason: killsItsWorker } : timed(source, ns);
    const result = await tune(task, space, optionsWith(fakeWorkbench(deadly), { database }));
    const recorded = database.records(all);
    expect(result.measured).toBe(40);
    expect(recorded.length).toBeLessThan(result.measured);
    expect(recorded.filter(({ measurement }) => measurement.kind !== "ok")).toEqual([]);
  });

  it("goes on from records, twice in the same way, and measures nothing again", async () => {
    const before = memoryDatabase();
    await tune(
      task,
      space,
      optionsWith(fakeWorkbench(sometimes), { database: before, budget: { seconds: 1, trials: 20 } }),
    );
    const records = before.records(all);
    const runs = [1, 2].map(() => ({ workbench: fakeWorkbench(sometimes), database: databaseWith(records) }));
    const results = [];
    for (const { workbench, database } of runs)
      results.push(await tune(task, space, optionsWith(workbench, { database })));
    expect(runs[1]!.workbench.measured).toEqual(runs[0]!.workbench.measured);
    expect(results[1]).toEqual(results[0]);
    expect(results[0]).toMatchObject({ recorded: 20, measured: 20 });
    const keys = runs[0]!.database.records(all).map(({ candidate }) => candidateKey(candidate));
    expect(new Set(keys).size).toBe(40);
  });

  it("decides a round while the last of the one before it are measured, and proposes none of them again", async () => {
    const workbench = fakeWorkbench();
    const [asked, seen]: [number[], number[]] = [[], []];
    const strategy: Strategy = {
      name: "watched",
      propose(state, count, rng) {
        asked.push(workbench.measured.length);
        seen.push(state.seen.size);
        return strategies.random.propose(state, count, rng);
      },
    };
    const { measured } = await tune(task, space, optionsWith(workbench, { strategy, convergence: null }));
    expect(measured).toBe(40);
    // Rounds of 24 and 16: five of the first are awaited.
    expect(asked).toEqual([0, 19]);
    expect(seen).toEqual([0, 24]);
    expect(new Set(workbench.measured).size).toBe(40);
  });

  it("measures nothing where the records have used up the trials, and chooses their fastest", async () => {
    const database = memoryDatabase();
    await tune(task, space, optionsWith(fakeWorkbench(), { database }));
    const workbench = fakeWorkbench();
    const again = await tune(task, space, optionsWith(workbench, { database }));
    expect(workbench.measured).toEqual([]);
    expect(again.winner?.candidate).toEqual(database.best(ours)?.candidate);
  });

  it("does not trust the records of another compiler", async () => {
    const database = memoryDatabase();
    const budget = { seconds: 1, trials: 8 };
    await tune(task, space, optionsWith(fakeWorkbench(timed, "gcc 12"), { database, budget }));
    const { recorded, measured } = await tune(
      task,
      space,
      optionsWith(fakeWorkbench(timed, "gcc 13"), { database, budget }),
    );
    expect([recorded, measured]).toEqual([0, 8]);
  });

  it("chooses the fastest, records every outcome, and tells the failures", async () => {
    const database = memoryDatabase();
    const { winner, failures, measured } = await tune(task, space, optionsWith(fakeWorkbench(sometimes), { database }));
    const records = database.records(all);
    const times = records.flatMap(({ measurement: it }) => (it.kind === "ok" ? [it.timing.medianNs] : []));
    expect(winner?.medianNs).toBe(Math.min(...times));
    expect(winner?.timing.repeats).toBe(16);
    expect(database.fastest(ours, 2).map(({ candidate }) => candidate)).toEqual([winner?.candidate, winner?.runnerUp]);
    expect(records).toHaveLength(measured);
    expect(records.map(({ trial }) => trial)).toEqual(records.map((_, at) => at));
    expect(failures.map(({ measurement }) => measurement)).toEqual(
      Array(measured - times.length).fill({ kind: "crashed", reason: "made to" }),
    );
    expect(failures.length).toBeGreaterThan(0);
  });

  it("has no winner where nothing runs", async () => {
    const broken: Measure = () => ({ kind: "build-failed", reason: "no" });
    const budget = { seconds: 1, trials: 5 };
    const { winner, failures } = await tune(task, space, optionsWith(fakeWorkbench(broken), { budget }));
    expect(winner).toBeNull();
    expect(failures).toHaveLength(5);
  });

  it("ends in the middle of a round when the time is over and something ran", async () => {
    let now = 0;
    const workbench = fakeWorkbench((source, ns) => {
      now += 400;
      return timed(source, ns);
    });
    const { measured } = await tune(
      task,
      space,
      optionsWith(workbench, { clock: () => now, budget: { seconds: 1, trials: 40 } }),
    );
    // A quarter of the second is the race's.
    expect(measured).toBe(2);
  });

  it("races within its seconds", async () => {
    let now = 0;
    const asked: boolean[] = [];
    const bench = fakeWorkbench((source, ns) => {
      now += 1000;
      return timed(source, ns);
    });
    const workbench: Workbench = {
      ...bench,
      async race(sources, isOver) {
        for (const ms of [0, 1000, 1000]) {
          now += ms;
          asked.push(isOver!());
        }
        return bench.race(sources);
      },
    };
    const budget = { seconds: 10, trials: 40 };
    const { measured } = await tune(task, space, optionsWith(workbench, { clock: () => now, budget }));
    // The race keeps one and a half of the ten seconds.
    expect(measured).toBe(9);
    expect(asked).toEqual([false, true, true]);
  });

  it("keeps what was measured before it is aborted", async () => {
    const database = memoryDatabase();
    const controller = new AbortController();
    const workbench = fakeWorkbench((source, ns) => {
      if (database.records(all).length === 5) controller.abort(new Error("enough"));
      controller.signal.throwIfAborted();
      return timed(source, ns);
    });
    await expect(tune(task, space, optionsWith(workbench, { database, signal: controller.signal }))).rejects.toThrow(
      "enough",
    );
    expect(database.records(all)).toHaveLength(5);
  });
});
