import { expect, test } from "vitest";
import { createProfiler, noProfiler, sharesOf } from "../../../src/tuner/support/profile.ts";

test("each moment counts for the innermost part, and the parts add up", async () => {
  let now = 0;
  const profiler = createProfiler(() => now);
  const take = (ms: number): void => {
    now += ms;
  };
  profiler.time("search", () => {
    take(3);
    profiler.time("sampling", () => take(5));
    take(2);
  });
  take(100);
  await profiler.timeAsync("run", async () => {
    take(20);
    profiler.time("lowering", () => take(10));
    await Promise.resolve();
    take(20);
  });
  expect(() => profiler.time("training", () => throwAfter(() => take(40)))).toThrow("on purpose");
  const profile = profiler.profile();
  expect(profile).toMatchObject({ search: 5, sampling: 5, run: 40, lowering: 10, training: 40, build: 0 });
  expect(sharesOf(profile)).toMatchObject({ run: 0.4, training: 0.4, lowering: 0.1, search: 0.05 });
});

test("without a clock nothing is timed, and work is done all the same", async () => {
  expect(noProfiler.time("search", () => 7)).toBe(7);
  expect(await noProfiler.timeAsync("run", async () => 8)).toBe(8);
  expect(Object.values(sharesOf(noProfiler.profile()))).toEqual(Array(8).fill(0));
});

function throwAfter(work: () => void): never {
  work();
  throw new Error("on purpose");
}
