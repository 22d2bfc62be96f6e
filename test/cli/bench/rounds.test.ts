// Order in which calls take turns, on a clock that the calls themselves move on.

import { expect, test } from "vitest";
import { type Call, timeInRounds } from "../../../src/cli/bench/rounds.ts";

const timed = (calls: readonly Call[]) => calls.map((call) => ({ call }));

/** Calls that take so many milliseconds each, and the order in which they were made. */
function simulated(durations: readonly number[]) {
  let now = 0;
  const order: number[] = [];
  const calls = durations.map((ms, at) => () => {
    order.push(at);
    now += ms;
  });
  return { calls, clock: () => now, order };
}

test("each has its share of the time; short calls fill a sample together", async () => {
  const { calls, clock } = simulated([0.001, 5, 40]);
  const [short, middle, long] = await timeInRounds(timed(calls), { seconds: 0.3, clock });
  expect(short!.medianNs).toBeCloseTo(1e3, 3);
  expect(middle).toEqual({ medianNs: 5e6, p20Ns: 5e6, p80Ns: 5e6, samples: 20 });
  expect(long!.samples).toBe(3);
  expect(short!.samples).toBeGreaterThan(40);
});

test("rounds begin with another each time", async () => {
  const { calls, clock, order } = simulated([10, 10, 10]);
  await timeInRounds(timed(calls), { seconds: 0.09, clock });
  expect(order.slice(-9)).toEqual([0, 1, 2, 1, 2, 0, 2, 0, 1]);
});

test("what takes longer than its share runs once, and promises are waited for", async () => {
  const { calls, clock, order } = simulated([5000, 1]);
  const soon = async () => {
    await null;
    calls[1]!();
  };
  const [slow, quick] = await timeInRounds(timed([calls[0]!, soon]), { seconds: 0.2, clock });
  expect(slow).toEqual({ medianNs: 5e9, p20Ns: 5e9, p80Ns: 5e9, samples: 1 });
  expect(order.filter((it) => it === 0)).toHaveLength(1);
  expect(quick!.medianNs).toBeCloseTo(1e6, 3);
});

test("samples that differ show in the spread", async () => {
  let now = 0;
  let call = 0;
  const clock = () => now;
  const uneven = () => {
    call += 1;
    now += call % 2 === 0 ? 30 : 10;
  };
  const [times] = await timeInRounds(timed([uneven]), { seconds: 2, clock });
  expect(times).toMatchObject({ p20Ns: 10e6, p80Ns: 30e6 });
});

test("a call that was held up while its runs were counted has enough of them all the same", async () => {
  let now = 0;
  // Coarse steps, as a browser's clock has them, and a core that another program has for the whole of the first run.
  const clock = () => Math.floor(now);
  let isFirst = true;
  const work = () => {
    now += isFirst ? 150 : 0.001;
    isFirst = false;
  };
  const [times] = await timeInRounds(timed([work]), { seconds: 0.5, clock, sampleMs: 20 });
  expect(times!.p20Ns).toBeGreaterThan(900);
  expect(times!.p80Ns).toBeLessThan(1100);
});

test("calls that only begin something are timed with the wait for all of them", async () => {
  let [now, begun] = [0, 0];
  const call = () => {
    begun += 1;
  };
  const settle = async () => {
    now += 0.25 * begun;
    begun = 0;
  };
  const [times] = await timeInRounds([{ call, settle }], { seconds: 0.3, clock: () => now });
  expect(times!.medianNs).toBeCloseTo(250_000, 3);
  expect(begun).toBe(0);
});

test("a sample lasts as long as a coarse clock needs, and it is told how far things are", async () => {
  let now = 0;
  let runs = 0;
  const work = () => {
    now += 1;
    runs += 1;
  };
  const shares: number[] = [];
  const onRound = (share: number) => void shares.push(share);
  // A clock that shows tens of milliseconds alone.
  const clock = () => Math.floor(now / 10) * 10;
  const [times] = await timeInRounds(timed([work]), { seconds: 2, clock, sampleMs: 200, onRound });
  expect(times!.medianNs / 1e6).toBeCloseTo(1, 1);
  expect(runs / times!.samples).toBeGreaterThan(200);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares).toHaveLength(times!.samples);
  expect(shares.at(-1)).toBe(1);
});
