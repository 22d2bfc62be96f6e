// Turns, newcomers, the total, errors and the end of it, on a clock of our own.

import { describe, expect, it } from "vitest";
import { policies } from "../../../src/tuner/scheduler/policies.ts";
import { createTuningGroup, type TuningGroupOptions } from "../../../src/tuner/scheduler/tuning-group.ts";
import { type Curve, type FakeClock, fakeClock, syntheticTask } from "../../support/synthetic-tuning.ts";

const curve: Curve = { bestNs: (candidates) => 1e5 * (1 + 1 / candidates), msPerCandidate: 20 };

const groupOn = (clock: FakeClock, more: Partial<TuningGroupOptions> = {}) =>
  createTuningGroup({ policy: policies.gradient, totalMs: 60_000, clock: clock.now, ...more });

describe("a total", () => {
  it("of 60 seconds for thirty kernels: each has a round, and it ends within a round of it", async () => {
    const clock = fakeClock();
    const group = groupOn(clock);
    const start = clock.now();
    const tasks = Array.from({ length: 30 }, (_, at) => syntheticTask({ ...curve, msPerCandidate: 5 + 2 * at }, clock));
    await Promise.all(tasks.map((task) => group.tune(task)));
    for (const { log } of tasks) expect(log.rounds).toBeGreaterThan(0);
    const longestRoundMs = 24 * (5 + 2 * 29);
    expect(clock.now() - start).toBe(group.spentMs());
    expect(group.spentMs()).toBeLessThanOrEqual(60_000 + longestRoundMs);
    expect(group.spentMs()).toBeGreaterThan(50_000);
  });

  it("sets aside what the last turns need", async () => {
    const clock = fakeClock();
    const group = groupOn(clock);
    const curves = Array.from({ length: 20 }, (_, at) => ({ ...curve, finishMs: 400, converged: at === 0 ? 3 : 1000 }));
    const tasks = curves.map((one) => syntheticTask(one, clock));
    await Promise.all(tasks.map((task) => group.tune(task)));
    expect(group.spentMs()).toBeLessThanOrEqual(60_000 + 24 * 20);
  });

  it("that is too short for whole rounds gives each a short one", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: 1650 });
    const tasks = Array.from({ length: 10 }, () => syntheticTask(curve, clock));
    await Promise.all(tasks.map((task) => group.tune(task)));
    expect(tasks.map(({ log }) => [log.rounds, log.ms])).toEqual(Array(10).fill([1, 8 * 20]));
  });

  it("is not spent while nobody is tuned; who comes when it is gone has a short round", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: 5000 });
    const [first, second, late] = [0, 1, 2].map(() => syntheticTask({ ...curve, converged: 4 }, clock));
    await group.tune(first!);
    expect(first!.log.rounds).toBe(4);
    clock.pass(60_000);
    await group.tune(second!);
    expect(second!.log.rounds).toBe(4);
    expect(group.spentMs()).toBe(first!.log.ms + second!.log.ms);
    const rest = syntheticTask(curve, clock);
    await group.tune(rest);
    expect(group.spentMs()).toBeLessThanOrEqual(5000);
    await group.tune(late!);
    expect([late!.log.rounds, late!.log.ms]).toEqual([1, 8 * 20]);
  });

  it("ends a round where it is", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: 3000 });
    // Each candidate takes longer than the one before.
    const slow = syntheticTask({ ...curve, msPerCandidate: 100 }, clock);
    await group.tune({
      ...slow,
      async start(turns) {
        const tuning = await slow.start(turns);
        return {
          ...tuning,
          advance(most) {
            clock.pass(slow.log.rounds * 1000);
            return tuning.advance(most);
          },
        };
      },
    });
    expect(group.spentMs()).toBeLessThanOrEqual(3200);
  });
});

describe("a group", () => {
  it("admits newcomers: they have a round before others go on", async () => {
    const clock = fakeClock();
    const group = groupOn(clock);
    const newcomer = syntheticTask(curve, clock);
    const first = syntheticTask({ ...curve, converged: 6 }, clock);
    let joined: Promise<unknown> | null = null;
    let before = 0;
    const watched = group.tune({
      ...first,
      async start(turns) {
        const tuning = await first.start(turns);
        return {
          ...tuning,
          async advance(most) {
            if (first.log.rounds === 2) joined = group.tune(newcomer);
            if (first.log.rounds === 3) before = newcomer.log.rounds;
            return tuning.advance(most);
          },
        };
      },
    });
    await watched;
    await joined;
    expect(before).toBeGreaterThan(0);
  });

  it("counts the seconds of each in its own turns", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: 10_000, policy: policies["round-robin"] });
    const tasks = [curve, { ...curve, msPerCandidate: 60 }].map((one) => syntheticTask(one, clock));
    await Promise.all(tasks.map((task) => group.tune(task)));
    expect(tasks.map(({ log }) => log.turns!.clock())).toEqual(tasks.map(({ log }) => log.ms));
  });

  it("goes on when one fails, in its first turn or later, and tells whom it concerns", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: 2000 });
    const fails = { ...syntheticTask(curve, clock), start: () => Promise.reject(new Error("no workbench")) };
    const ends = { ...syntheticTask(curve, clock), finish: () => Promise.reject(new Error("no winner")) };
    const works = syntheticTask(curve, clock);
    const results = await Promise.allSettled([group.tune(fails), group.tune(ends), group.tune(works)]);
    expect(results).toEqual([
      { status: "rejected", reason: new Error("no workbench") },
      { status: "rejected", reason: new Error("no winner") },
      { status: "fulfilled", value: expect.any(Number) },
    ]);
    expect(await group.tune(syntheticTask(curve, clock))).toBeGreaterThan(0);
  });

  it("lets all go when it is aborted, after the round that is being measured", async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const group = groupOn(clock, { signal: controller.signal });
    const tasks = Array.from({ length: 3 }, () => syntheticTask(curve, clock));
    const waiting = Promise.allSettled(tasks.map((task) => group.tune(task)));
    await Promise.resolve();
    controller.abort(new Error("Ctrl-C"));
    expect(await waiting).toEqual(Array(3).fill({ status: "rejected", reason: new Error("Ctrl-C") }));
  });

  it("without a total leaves each its own budget", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: null, policy: policies["in-order"] });
    const tasks = [0, 1].map(() => syntheticTask({ ...curve, converged: 400 }, clock));
    await Promise.all(tasks.map((task) => group.tune(task)));
    expect(tasks.map(({ log }) => log.rounds)).toEqual([400, 400]);
  });

  it("whose policy throws tells all of it, and goes on with those that come later", async () => {
    const clock = fakeClock();
    let calls = 0;
    const policy = {
      name: "broken",
      choose: () => {
        calls += 1;
        if (calls === 2) throw new Error("no choice");
        return 0;
      },
    };
    const group = groupOn(clock, { policy });
    const results = await Promise.allSettled([1, 2].map(() => group.tune(syntheticTask(curve, clock))));
    expect(results.map((result) => (result.status === "rejected" ? result.reason.message : null))).toEqual([
      "no choice",
      "no choice",
    ]);
    expect(await group.tune(syntheticTask({ ...curve, converged: 1 }, clock))).toBeGreaterThan(0);
  });

  it("says what is left of the total for what is killed then: a fair share in a first round, however late", async () => {
    const clock = fakeClock();
    const group = groupOn(clock, { totalMs: 30_000, policy: policies["round-robin"] });
    const left: number[] = [];
    const watched = (): ReturnType<typeof syntheticTask> => {
      const task = syntheticTask({ ...curve, msPerCandidate: 500, converged: 1 }, clock);
      return {
        ...task,
        start(turns) {
          left.push(turns.leftMs());
          return task.start(turns);
        },
      };
    };
    await Promise.all([1, 2, 3].map(() => group.tune(watched())));
    expect(left[0]).toBe(10_000);
    await group.tune(syntheticTask({ ...curve, msPerCandidate: 5000 }, clock));
    await group.tune(watched());
    expect(left.at(-1)).toBe(5000);
  });
});
