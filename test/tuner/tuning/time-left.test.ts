import { describe, expect, test } from "vitest";
import {
  finalistsIn,
  fittingIn,
  leastLastRound,
  longestRaceMs,
  raceMsOf,
} from "../../../src/tuner/tuning/time-left.ts";

const minute = { seconds: 60, trials: 100 };

describe("what is kept for the race", () => {
  test("is a second and a half where kernels are short, or nothing is known of them", () => {
    expect(raceMsOf(minute, 3e6)).toBe(1_500);
    expect(raceMsOf(minute, null)).toBe(1_500);
  });

  test("is the heats, and eight rounds of eight racers, the first of them twice, where they are long", () => {
    expect(raceMsOf(minute, 65e6)).toBe((2 * 32 + 2 * 16 + 8 * 9) * 65);
  });

  test("is that with the check of each, and every other sample taken twice, where they are shorter", () => {
    expect(raceMsOf(minute, 10e6)).toBe((32 + (2 * 32 + 2 * 16 + 8 * 9) * 1.5) * 10);
  });

  test("is no more than a quarter of the budget", () => {
    expect(raceMsOf(minute, 400e6)).toBe(15_000);
    expect(raceMsOf({ seconds: 2, trials: 100 }, 3e6)).toBe(500);
  });
});

test("a race takes half as long as the search before it at most, or three quarters of a second", () => {
  expect([longestRaceMs(10_000), longestRaceMs(1_000), longestRaceMs(10)]).toEqual([5_000, 750, 750]);
});

describe("those who take part", () => {
  test("are 32 where there is time for heats and four rounds", () => {
    expect(finalistsIn(1_500, 3e6)).toBe(32);
    expect(finalistsIn((2 * 32 + 2 * 16 + 4 * 9) * 65, 65e6)).toBe(32);
  });

  test("are fewer where there is less, two at least", () => {
    expect(finalistsIn(15_000, 400e6)).toBe(8);
    expect(finalistsIn(500, 5e6)).toBe(11);
    expect(finalistsIn(500, 10e6)).toBe(6);
    expect(finalistsIn(500, 22e6)).toBe(2);
    expect(finalistsIn(-10, 22e6)).toBe(2);
  });
});

describe("the candidates that fit into the time left", () => {
  test("are as many as take so long, at the pace of the last round", () => {
    expect(fittingIn(1_050, { measured: 24, ms: 1_200 })).toBe(21);
  });

  test("are none where too few do", () => {
    expect(fittingIn((leastLastRound - 1) * 100, { measured: 10, ms: 1_000 })).toBe(0);
    expect(fittingIn(-100, { measured: 10, ms: 1_000 })).toBe(0);
  });

  test("are any number where a round took no time", () => {
    expect(fittingIn(1, { measured: 10, ms: 0 })).toBe(Number.POSITIVE_INFINITY);
  });
});
