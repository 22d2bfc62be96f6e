// What is timed how often, with kernels that take the time they are told.

import { describe, expect, it } from "vitest";
import { flushBytes } from "../../../src/native/harness/flush-caches.ts";
import { createProbe } from "../../../src/native/harness/probe.ts";
import type { TimingPlan } from "../../../src/native/runner/protocol.ts";
import { timeKernel, timeSample } from "../../../src/native/runner/time-kernel.ts";

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
  return { kernel, events, around: { flush, isCalm: () => true, yardstick: null } };
}

const plan: TimingPlan = { cache: "hot", incumbentNs: null, samples: 3, sampleNs: 200_000, budgetNs: 1e9 };
const contest = (incumbentNs: number): TimingPlan => ({ ...plan, incumbentNs });

describe("a kernel", () => {
  it("with hot caches runs as often as fills a sample, and nothing is flushed", () => {
    const { kernel, events, around } = machine(50_000);
    expect(timeKernel(kernel, 50_000, plan, around).samplesNs).toEqual([50_000, 50_000, 50_000]);
    expect(events).toEqual(["4", "4", "4"]);
  });

  it("with cold caches runs once after each flush", () => {
    const { kernel, events, around } = machine(10, 900);
    expect(timeKernel(kernel, 900, { ...plan, cache: "cold" }, around).samplesNs).toEqual([900, 900, 900]);
    expect(events).toEqual(["flush", "1", "flush", "1", "flush", "1"]);
  });

  it("that is a loser with cold caches is given up too", () => {
    const { kernel, around } = machine(10, 900);
    expect(timeKernel(kernel, 900, { ...plan, cache: "cold", incumbentNs: 500 }, around).samplesNs).toEqual([900]);
  });
});

describe("a disturbed core", () => {
  /** Everything takes twice as long while it is not calm. */
  function disturbed(runNs: number, calm: () => boolean) {
    return { arrays: [], time: (count: number) => count * runNs * (calm() ? 1 : 2) };
  }

  it("shows in the yardstick, and what is timed beside it is given as on a calm one", () => {
    const isCalm = (): boolean => false;
    const yardstick = { kernel: disturbed(50_000, isCalm), ns: 50_000 };
    const around = { flush: () => {}, isCalm, yardstick };
    const samples = timeKernel(disturbed(60_000, isCalm), 120_000, contest(50_000), around);
    expect(samples).toEqual({ samplesNs: Array(3).fill(60_000), calmNs: [] });
    // Where there is none to be worse than, the clock's word is all there is.
    expect(timeKernel(disturbed(60_000, isCalm), 120_000, plan, around).samplesNs).toEqual(Array(3).fill(120_000));
  });

  it("makes nobody the best on the yardstick's word alone, though it is looked at longer", () => {
    const factors = Array<number>(50).fill(2);
    const around = {
      flush: () => {},
      isCalm: () => false,
      yardstick: { kernel: disturbed(50_000, () => false), ns: 50_000 },
    };
    const candidate = { arrays: [], time: (count: number) => count * 40_000 * factors.shift()! };
    expect(timeKernel(candidate, 80_000, contest(50_000), around).samplesNs).toEqual(Array(3).fill(50_000));
    expect(50 - factors.length).toBe(2 * 3 + 6);
    // The clock has seen it at 44 µs: so fast it is, and not faster.
    const once = [2, 2, 1.1, ...Array<number>(50).fill(2)];
    const seen = { arrays: [], time: (count: number) => count * 40_000 * once.shift()! };
    expect(timeKernel(seen, 80_000, contest(50_000), around).samplesNs).toEqual(Array(3).fill(44_000));
  });

  it("is waited out for some milliseconds", () => {
    let probes = 0;
    const isCalm = (): boolean => ++probes > 150;
    const { kernel, around } = machine(60_000);
    const samples = timeKernel(kernel, 60_000, plan, { ...around, isCalm });
    expect(samples).toEqual({ samplesNs: Array(3).fill(60_000), calmNs: Array(3).fill(60_000) });
    expect(probes).toBeLessThan(165);
  });

  it("makes no loser of a candidate whose check run it slowed down", () => {
    const isCalm = (): boolean => false;
    const yardstick = { kernel: disturbed(500_000, isCalm), ns: 500_000 };
    const around = { flush: () => {}, isCalm, yardstick };
    const times = (runNs: number, yard: typeof yardstick | null): readonly number[] =>
      timeKernel(disturbed(runNs, isCalm), 2 * runNs, contest(500_000), { ...around, yardstick: yard }).samplesNs;
    expect(times(550_000, yardstick)).toEqual(Array(3).fill(550_000));
    expect(times(550_000, null)).toEqual([1_100_000]);
  });

  it("is told by twice as many samples, of which the middle ones are kept", () => {
    const factors = [1, 4, 1, 0.5, 1, 1];
    const candidate = { arrays: [], time: (count: number) => count * 60_000 * 2 * factors.shift()! };
    const yardstick = { kernel: disturbed(50_000, () => false), ns: 50_000 };
    const around = { flush: () => {}, isCalm: () => false, yardstick };
    expect(timeKernel(candidate, 120_000, contest(50_000), around).samplesNs).toEqual([60_000, 60_000, 60_000]);
    expect(factors).toEqual([]);
  });

  it("is not looked for while the probe says that there is none", () => {
    const yardstick = { kernel: disturbed(1, () => false), ns: 1 };
    const around = { flush: () => {}, isCalm: () => true, yardstick };
    const sixty = [60_000, 60_000, 60_000];
    const kernel = disturbed(60_000, () => true);
    expect(timeKernel(kernel, 60_000, plan, around)).toEqual({ samplesNs: sixty, calmNs: sixty });
  });

  it("that changes during a sample makes another, for a while", () => {
    const calm = [true, false, false, false, false, false, false, false, false, false, false];
    let isQuiet = true;
    const isCalm = (): boolean => {
      isQuiet = calm.shift() ?? false;
      return isQuiet;
    };
    const yardstick = { kernel: disturbed(50_000, () => isQuiet), ns: 50_000 };
    const events: string[] = [];
    const candidate = disturbed(60_000, () => isQuiet);
    const counted = {
      ...candidate,
      time(count: number) {
        events.push(`${count}`);
        return candidate.time(count);
      },
    };
    // Calm after the check run and disturbed from then on: every sample is told by the yardstick.
    const { samplesNs } = timeKernel(counted, 60_000, contest(50_000), { flush: () => {}, isCalm, yardstick });
    expect(samplesNs).toEqual(Array(3).fill(60_000));
    // From calm to disturbed and back: what was timed between says nothing.
    const turns = [true, true, false, false, false, true, true, true, true, true, true];
    const turning = { flush: () => {}, isCalm: () => (isQuiet = turns.shift() ?? true), yardstick };
    events.length = 0;
    expect(new Set(timeKernel(counted, 60_000, plan, turning).samplesNs)).toEqual(new Set([60_000]));
    expect(events.length).toBeGreaterThan(3);
  });
});

describe("the probe", () => {
  it("is calm near the least time that it has seen", () => {
    const times = [120, ...Array<number>(299).fill(100), 110, 130, 90, 110];
    const isCalm = createProbe(() => times.shift()!);
    expect([isCalm(), isCalm(), isCalm(), isCalm()]).toEqual([true, false, true, false]);
  });

  it("computes for some microseconds", () => {
    expect(typeof createProbe()()).toBe("boolean");
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
      return [timeSample(kernel, estimateNs, 1, "hot", { ...around, isCalm: probe }), times.length];
    };
    // Disturbed while it ran, then calm before and after.
    expect(timed(5e6, [9e6, 5e6, 7e6], [true, false, false, true, true])).toEqual([5e6, 1]);
    // It waits for a calm moment, and goes without.
    expect(timed(5e6, [9e6, 7e6, 8e6, 5e6], [])).toEqual([7e6, 1]);
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
