// What is timed how often, with kernels that take the time they are told.

import { describe, expect, it } from "vitest";
import { flushBytes } from "../../../src/native/harness/flush-caches.ts";
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
  return { kernel, events, flush: () => void events.push("flush") };
}

const plan: TimingPlan = { cache: "hot", incumbentNs: null, samples: 3, sampleNs: 200_000, budgetNs: 1e9 };

describe("a kernel", () => {
  it("with hot caches runs as often as fills a sample, and nothing is flushed", () => {
    const { kernel, events, flush } = machine(50_000);
    expect(timeKernel(kernel, 50_000, plan, flush)).toEqual([50_000, 50_000, 50_000]);
    expect(events).toEqual(["4", "4", "4"]);
  });

  it("with cold caches runs once after each flush", () => {
    const { kernel, events, flush } = machine(10, 900);
    expect(timeKernel(kernel, 900, { ...plan, cache: "cold" }, flush)).toEqual([900, 900, 900]);
    expect(events).toEqual(["flush", "1", "flush", "1", "flush", "1"]);
  });

  it("that is a loser with cold caches is given up too", () => {
    const { kernel, flush } = machine(10, 900);
    expect(timeKernel(kernel, 900, { ...plan, cache: "cold", incumbentNs: 500 }, flush)).toEqual([900]);
  });
});

describe("one sample", () => {
  it("is of a kernel that ran just before, or of one that finds nothing", () => {
    const { kernel, events, flush } = machine(100_000, 300_000);
    expect(timeSample(kernel, 100_000, 200_000, "hot", flush)).toBe(100_000);
    expect(timeSample(kernel, 100_000, 200_000, "cold", flush)).toBe(300_000);
    expect(events).toEqual(["1", "2", "flush", "1"]);
    timeSample(kernel, 100_000, 1_600_000, "hot", flush);
    expect(events.slice(4)).toEqual(["2", "16"]);
  });

  it("of a long kernel needs no run before it", () => {
    const { kernel, events, flush } = machine(5e6);
    timeSample(kernel, 5e6, 200_000, "hot", flush);
    expect(events).toEqual(["1"]);
  });
});

it("what is read to empty the caches is twice the largest, within bounds", () => {
  expect(flushBytes(["32K\n", "512K\n", "33792K\n"])).toBe(66 * 1024 ** 2);
  expect(flushBytes(["48K"])).toBe(32 * 1024 ** 2);
  expect(flushBytes(["266240K"])).toBe(256 * 1024 ** 2);
  expect(flushBytes(["64M"])).toBe(128 * 1024 ** 2);
  expect(flushBytes([])).toBe(32 * 1024 ** 2);
});
