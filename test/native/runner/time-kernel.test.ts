// Number of samples that each kernel gets, with kernels that take a given time.

import { describe, expect, it } from "vitest";
import { flushBytes } from "../../../src/native/harness/flush-caches.ts";
import { type Core, createProbe } from "../../../src/native/harness/probe.ts";
import type { TimingPlan } from "../../../src/native/runner/protocol.ts";
import { timeKernel, timeSample } from "../../../src/native/runner/time-kernel.ts";
import { createYardstick, type Yardstick } from "../../../src/native/runner/yardstick.ts";

const coreThat = (isCalm: () => boolean): Core => ({ isCalm, isQuiet: () => true });

/** A run takes `hotNs`, after a flush `coldNs`. */
function machine(hotNs: number, coldNs = hotNs) {
  const events: string[] = [];
  const kernel = {
    arrays: [],
    time(count: number) {
      const first = events.at(-1) === "flush" ? coldNs : hotNs;
      events.push(`${count}`);
      return first + (count - 1) * hotNs;
    },
  };
  const flush = (): void => void events.push("flush");
  return { kernel, events, around: { flush, core: coreThat(() => true), yardstick: null } };
}

const plan: TimingPlan = {
  cache: "hot",
  incumbentNs: null,
  samples: 3,
  agreement: 0,
  sampleNs: 200_000,
  budgetNs: 1e9,
};
const contest = (incumbentNs: number): TimingPlan => ({ ...plan, incumbentNs });

describe("a kernel", () => {
  it("with hot caches runs as often as fills a sample, and nothing is flushed", () => {
    const { kernel, events, around } = machine(50_000);
    expect(timeKernel(kernel, 50_000, plan, around)).toEqual([50_000, 50_000, 50_000]);
    expect(events).toEqual(["4", "4", "4"]);
  });

  it("is sampled until the two least agree", () => {
    const timesNs = [9e6, 7e6, 8e6, 7.1e6, 7e6];
    const taken = (agreement: number): number => {
      const left = timesNs.slice(1);
      const kernel = { arrays: [], time: () => left.shift()! };
      return timeKernel(kernel, timesNs[0]!, { ...plan, samples: 5, agreement }, machine(1).around).length;
    };
    expect([taken(0.03), taken(0.01), taken(0.2), taken(0)]).toEqual([4, 5, 3, 5]);
  });

  it("with cold caches runs once after each flush", () => {
    const { kernel, events, around } = machine(10, 900);
    expect(timeKernel(kernel, 900, { ...plan, cache: "cold" }, around)).toEqual([900, 900, 900]);
    expect(events).toEqual(["flush", "1", "flush", "1", "flush", "1"]);
  });

  it("that is a loser with cold caches is given up too", () => {
    const { kernel, around } = machine(10, 900);
    expect(timeKernel(kernel, 900, { ...plan, cache: "cold", incumbentNs: 500 }, around)).toEqual([900]);
  });
});

describe("a disturbed core", () => {
  /** Everything takes `slowdown` times as long. */
  const slowed = (runNs: number, slowdown: () => number) => ({
    arrays: [],
    time: (count: number) => count * runNs * slowdown(),
  });
  const yardstickOf = (slowdown: () => number, recent: number | null = null): Yardstick => {
    return { ns: () => 50_000, slowdown, recent: () => recent };
  };
  const steady = (slowdown: number): Yardstick => yardstickOf(() => slowdown);
  const noisy = (yardstick: Yardstick | null) => ({ flush: () => {}, core: coreThat(() => false), yardstick });
  /** Factor by which a neighbour slows a kernel when the yardstick shows twofold. */
  const shared = 2 ** 0.8;

  it("shows in the yardstick, and what is timed beside it is given as on a calm one", () => {
    const kernel = slowed(60_000, () => shared);
    const samples = timeKernel(kernel, 60_000 * shared, contest(50_000), noisy(steady(2)));
    expect(samples.map(Math.round)).toEqual([60_000, 60_000, 60_000]);
    // Without a yardstick the clock's word is all there is.
    expect(timeKernel(kernel, 60_000 * shared, plan, noisy(null))).toEqual(Array(3).fill(60_000 * shared));
  });

  it("counts for what it lasts: the least slowdown is taken off, of the yardstick as of the samples", () => {
    const slowdowns = [3, 2, 4, 2.5];
    const yardstick = yardstickOf(() => slowdowns.shift()!);
    const bursts = [shared, 2 * shared, shared];
    const candidate = slowed(60_000, () => bursts.shift()!);
    const samples = timeKernel(candidate, 60_000 * shared, contest(50_000), noisy(yardstick));
    expect(samples.map(Math.round)).toEqual([60_000, 120_000, 60_000]);
    expect(slowdowns).toEqual([]);
  });

  it("is not asked for again once the yardstick is hardly slower", () => {
    const slowdowns = [2, 1.03, 9];
    const yardstick = yardstickOf(() => slowdowns.shift()!);
    const kernel = slowed(60_000, () => 1);
    timeKernel(kernel, 60_000, plan, noisy(yardstick));
    expect(slowdowns).toEqual([9]);
  });

  it("is at first what it was a moment ago", () => {
    const slowdowns = [1.03, 9];
    const kernel = slowed(60_000 * shared, () => 1);
    const samples = timeKernel(kernel, 60_000, contest(100_000), noisy(yardstickOf(() => slowdowns.shift()!, 2)));
    // The first reading is for the second sample, and says that the core was ours.
    expect(samples.map(Math.round)).toEqual(Array(3).fill(Math.round(60_000 * (shared / 1.03 ** 0.8))));
    expect(slowdowns).toEqual([9]);
    timeKernel(kernel, 60_000, plan, noisy(yardstickOf(() => slowdowns.shift()!, 1.04)));
    expect(slowdowns).toEqual([9]);
  });

  it("makes nobody the best on the yardstick's word alone, though it is looked at longer", () => {
    let runs = 0;
    const candidate = slowed(10e6 / shared, () => {
      runs += 1;
      return shared;
    });
    const long = { ...contest(8e6), budgetNs: 30e6 };
    expect(timeKernel(candidate, 9e6, long, noisy(steady(2)))).toEqual(Array(9).fill(8e6));
    expect(runs).toBe(8);
    // The clock has seen it at 7 ms: so fast it is, and not faster.
    const once = [10e6, 10e6, 7e6, ...Array<number>(50).fill(10e6)];
    const seen = { arrays: [], time: (count: number) => count * once.shift()! };
    expect(timeKernel(seen, 9e6, long, noisy(steady(2)))).toEqual(Array(4).fill(7e6));
  });

  it("is waited out for some milliseconds", () => {
    let probes = 0;
    const core = coreThat(() => ++probes > 150);
    const { kernel, around } = machine(60_000);
    expect(timeKernel(kernel, 60_000, plan, { ...around, core })).toEqual(Array(3).fill(60_000));
    expect(probes).toBeLessThan(165);
  });

  it("makes no loser of a candidate whose check run it slowed down, or that was cold in it", () => {
    const long = { ...contest(10e6), budgetNs: 1e9 };
    const count = (firstNs: number, yardstick: Yardstick | null): number =>
      timeKernel(
        slowed(10e6, () => 1),
        firstNs,
        long,
        noisy(yardstick),
      ).length;
    expect(count(22e6, steady(2))).toBeGreaterThan(1);
    expect(count(22e6, null)).toBe(1);
    expect([count(13.9e6, null), count(14.1e6, null)]).toEqual([3, 1]);
    const short = (firstNs: number) =>
      timeKernel(
        slowed(1e6, () => 1),
        firstNs,
        contest(1e6),
        machine(1).around,
      ).length;
    expect([short(2.7e6), short(2.8e6)]).toEqual([3, 1]);
  });

  it("has two samples of a long run, its check run the first of them", () => {
    const { kernel, events } = machine(20e6);
    const hurried = { ...contest(20e6), budgetNs: 12e6 };
    expect(timeKernel(kernel, 21e6, hurried, noisy(steady(1)))).toEqual([21e6, 20e6]);
    expect(events).toEqual(["1"]);
    expect(timeKernel(kernel, 21e6, hurried, machine(1).around)).toEqual([21e6]);
    // Within a run of 31 ms bursts come and go.
    expect(timeKernel(kernel, 31e6, hurried, noisy(steady(1)))).toEqual([31e6]);
  });

  it("is looked for unless all has been quiet: one probe that is calm says too little", () => {
    let readings = 0;
    const slowdown = (): number => {
      readings += 1;
      return 1;
    };
    const yardstick = yardstickOf(slowdown);
    const kernel = slowed(60_000, () => 1);
    const quiet = coreThat(() => true);
    const around = { flush: () => {}, core: quiet, yardstick };
    expect(timeKernel(kernel, 60_000, plan, around)).toEqual([60_000, 60_000, 60_000]);
    expect(readings).toBe(0);
    const nervous = { ...around, core: { ...quiet, isQuiet: () => false } };
    timeKernel(kernel, 60_000, plan, { ...nervous, yardstick: { ...yardstick, slowdown: () => slowdown() + 1 } });
    expect(readings).toBe(1 + 3);
  });
});

describe("the yardstick", () => {
  it("tells how many times longer it takes than when the core was ours", () => {
    const times = [13, 12, 11, 10, 20, 10, 10, 10, 10, 10, 10, 10, 15, 5, 12].map((it) => it * 1000);
    const counts: number[] = [];
    const time = (count: number): number => {
      counts.push(count);
      return count * times.shift()!;
    };
    const kernel = { arrays: [], time };
    const yardstick = createYardstick(
      kernel,
      10_000,
      95_000,
      coreThat(() => true),
    );
    expect(yardstick.ns()).toBe(10_000);
    expect(yardstick.recent()).toBeNull();
    expect([yardstick.slowdown(), yardstick.slowdown(), yardstick.slowdown()]).toEqual([1.5, 1, 1.2]);
    expect(yardstick.recent()).toBe(1.2);
    expect(new Set(counts)).toEqual(new Set([10]));
  });

  it("of a slow kernel is read less often at first", () => {
    const { kernel, events } = machine(60e6);
    createYardstick(
      kernel,
      60e6,
      1,
      coreThat(() => true),
    );
    expect(events).toEqual(["1", "1"]);
  });
});

describe("the probe", () => {
  it("is calm near the least time that it has seen", () => {
    const times = [120, ...Array<number>(299).fill(100), 110, 130, 90, 110];
    const { isCalm } = createProbe(() => times.shift()!);
    expect([isCalm(), isCalm(), isCalm(), isCalm()]).toEqual([true, false, true, false]);
  });

  it("is quiet where nearly all were calm lately", () => {
    const times = [...Array<number>(300).fill(100), 130, 130, 130, 130, ...Array<number>(60).fill(100)];
    const core = createProbe(() => times.shift()!);
    const quiet = Array.from({ length: 64 }, () => {
      core.isCalm();
      return core.isQuiet();
    });
    expect(quiet.slice(0, 4)).toEqual([true, true, true, false]);
    expect(quiet.at(-1)).toBe(true);
  });

  it("computes for some microseconds", () => {
    expect(typeof createProbe().isCalm()).toBe("boolean");
  });
});

describe("one sample", () => {
  it("is of a kernel that ran just before, or of one that finds nothing", () => {
    const { kernel, events, around } = machine(100_000, 300_000);
    expect(timeSample(kernel, 100_000, 200_000, "hot", around)).toBe(100_000);
    expect(timeSample(kernel, 100_000, 200_000, "cold", around)).toBe(300_000);
    expect(events).toEqual(["1", "2", "flush", "1"]);
    timeSample(kernel, 100_000, 1_600_000, "hot", around);
    expect(events.slice(4)).toEqual(["2", "16"]);
  });

  it("of a long kernel needs no run before it", () => {
    const { kernel, events, around } = machine(5e6);
    timeSample(kernel, 5e6, 200_000, "hot", around);
    expect(events).toEqual(["1"]);
  });

  it("is taken again where the core was not calm, up to three times; the least counts", () => {
    const timed = (estimateNs: number, times: number[], calm: boolean[]): number[] => {
      const { around } = machine(1);
      const kernel = { arrays: [], time: () => times.shift()! };
      const probe = (): boolean => calm.shift() ?? false;
      return [timeSample(kernel, estimateNs, 1, "hot", { ...around, core: coreThat(probe) }), times.length];
    };
    // Disturbed while it ran, then calm before and after. Each has a run before it that is not timed.
    expect(timed(1e6, [0, 9e6, 0, 5e6, 7e6], [true, false, false, true, true])).toEqual([5e6, 1]);
    // The timing waits for a calm moment, then goes on without one.
    expect(timed(1e6, [0, 9e6, 0, 7e6, 0, 8e6, 5e6], [])).toEqual([7e6, 1]);
    // Longer ones are taken twice at most, and wait for nothing.
    const probes = [false, false, false, true];
    expect(timed(5e6, [9e6, 7e6, 5e6], probes)).toEqual([7e6, 1]);
    expect(probes).toEqual([]);
    // One that sees calm and disturbed times alike is not repeated.
    expect(timed(50e6, [90e6, 50e6], [])).toEqual([90e6, 1]);
  });
});

it("what is read to empty the caches is twice the largest, within bounds", () => {
  expect(flushBytes(["32K\n", "512K\n", "33792K\n"])).toBe(66 * 1024 ** 2);
  expect(flushBytes(["48K"])).toBe(32 * 1024 ** 2);
  expect(flushBytes(["266240K"])).toBe(256 * 1024 ** 2);
  expect(flushBytes(["64M"])).toBe(128 * 1024 ** 2);
  expect(flushBytes([])).toBe(32 * 1024 ** 2);
});
