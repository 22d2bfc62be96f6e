import { describe, expect, it } from "vitest";
import {
  calmRounds,
  defaultRaceOptions,
  judge,
  longestRelocatedNs,
  type RaceRound,
  race,
} from "../../../src/tuner/measure/race.ts";
import { noiseOf } from "../../../src/tuner/measure/statistics.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

/** Samplers of entrants with true times, each sample slowed by noise that only adds, and by the machine's state. */
function machine(trueNs: readonly number[], seed: number, noise = 0.02) {
  const rng = createRng(seed);
  const calls: number[] = [];
  const sample = async (entrant: number) => {
    calls.push(entrant);
    return trueNs[entrant]! * (1 + noise * rng.unit());
  };
  return { sample, calls };
}

const round = (timesNs: readonly (number | null)[], drift = 0): RaceRound => ({
  timesNs,
  incumbentNs: [timesNs[0]! * Math.exp(-drift / 2), timesNs[0]! * Math.exp(drift / 2)],
});

describe("a race", () => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed);
  const winners = async (times: readonly number[]) =>
    Promise.all(seeds.map(async (seed) => (await race(times.length, machine(times, seed).sample)).winner));

  it.each([0, 1, 4])("finds the fastest of five that differ by 5 %%, wherever it stands: at %i", async (fastest) => {
    const times = [100, 100, 100, 100, 100].map((time, index) => (index === fastest ? time / 1.05 : time));
    expect((await winners(times)).filter((winner) => winner !== fastest)).toEqual([]);
  });

  it("keeps the incumbent where nobody is better", async () => {
    const changes = (await winners([100, 100, 100.2])).filter((winner) => winner !== 0);
    expect(changes.length).toBeLessThanOrEqual(4);
  });

  it("drops a clear loser after three rounds", async () => {
    const { sample, calls } = machine([100, 97, 150], 1);
    const { ratios } = await race(3, sample);
    expect(calls.filter((entrant) => entrant === 2)).toHaveLength(3);
    expect(ratios[0]).toBe(1);
    expect(ratios[2]).toBeGreaterThan(1.4);
  });

  it("runs the incumbent first and last, and the others in an order that turns by one each round", async () => {
    const { sample, calls } = machine([100, 100, 100, 100], 3, 0.3);
    await race(4, sample, { ...defaultRaceOptions, maxRounds: 3, leastRounds: 3 });
    expect(calls).toEqual([0, 1, 2, 3, 0, 0, 2, 3, 1, 0, 0, 3, 1, 2, 0]);
  });

  it("puts the entrants elsewhere between two rounds, and not within one", async () => {
    const { sample, calls } = machine([100, 97, 150], 1);
    const before: number[] = [];
    const { rounds } = await race(3, sample, { ...defaultRaceOptions, relocate: () => before.push(calls.length) });
    const samples = rounds.map(({ timesNs }) => 1 + timesNs.filter((ns) => ns !== null).length);
    const begins = samples.map((_, at) => samples.slice(0, at).reduce((sum, count) => sum + count, 0));
    expect(before).toEqual(begins.slice(1));
    expect(before.length).toBeGreaterThan(2);
  });

  it("leaves entrants where they are if all of them are long", async () => {
    const moves = async (others: number): Promise<number> => {
      let count = 0;
      const { sample } = machine([longestRelocatedNs, others], 1);
      await race(2, sample, { ...defaultRaceOptions, relocate: () => void count++ });
      return count;
    };
    expect(await moves(1.02 * longestRelocatedNs)).toBe(0);
    expect(await moves(0.95 * longestRelocatedNs)).toBeGreaterThan(2);
  });

  it("is over at once with one entrant, without running it", async () => {
    const { sample, calls } = machine([100], 1);
    expect(await race(1, sample)).toMatchObject({ winner: 0, rounds: [] });
    expect(calls).toEqual([]);
  });

  it("puts out who fails, and ends if the incumbent does", async () => {
    const { sample } = machine([100, 50, 90], 1);
    expect((await race(3, async (entrant) => (entrant === 1 ? null : sample(entrant)))).winner).toBe(2);
    const ended = await race(2, async (entrant) => (entrant === 0 ? null : 50));
    expect(ended).toMatchObject({ winner: 0, ratios: [null, null], rounds: [] });
  });

  it("never runs longer than it may", async () => {
    const noisy = () => machine([100, 100, 100, 100], 3, 0.3).sample;
    const options = { ...defaultRaceOptions, tie: 0.0001 };
    expect((await race(4, noisy(), { ...options, maxRounds: 7 })).rounds).toHaveLength(7);
    expect((await race(4, noisy(), { ...options, leastRounds: 5, budgetNs: 3 * 5 * 500_000 })).rounds).toHaveLength(5);
    expect((await race(4, noisy(), options)).rounds).toHaveLength(64);
    expect((await race(4, noisy(), { ...options, isOver: () => true })).rounds).toHaveLength(4);
  });

  it("says who came second, and how noisy the times were", async () => {
    const { winner, runnerUp, timings } = await race(3, machine([100, 90, 95], 4).sample);
    expect([winner, runnerUp]).toEqual([1, 2]);
    expect(timings[1]!.minNs).toBeGreaterThanOrEqual(90);
    expect(noiseOf(timings[1]!)).toBeLessThan(0.02);
    expect(await race(1, machine([100], 4).sample)).toMatchObject({ runnerUp: null, timings: [null] });
  });

  it("is not misled by runs that the system interrupted", async () => {
    const rng = createRng(9);
    const interrupted = (sample: (entrant: number) => Promise<number>) => async (entrant: number) =>
      (await sample(entrant)) * (rng.unit() < 0.15 ? 3 : 1);
    const wrong = [];
    for (const seed of seeds.slice(0, 50)) {
      const { winner } = await race(4, interrupted(machine([100, 97, 99, 100], seed, 0.01).sample));
      if (winner !== 1) wrong.push(seed);
    }
    expect(wrong).toEqual([]);
  });

  it("is not misled by a machine that slows down half-way", async () => {
    const { sample } = machine([100, 103, 101], 5, 0.01);
    let calls = 0;
    const { winner } = await race(3, async (entrant) => {
      calls += 1;
      return (await sample(entrant)) * (calls > 9 ? 1.7 : 1);
    });
    expect(winner).toBe(0);
  });
});

describe("the judge", () => {
  it("ignores rounds in which the incumbent drifted", () => {
    const calm = [round([100, 90], 0.01), round([100, 91], 0.02), round([100, 90], 0.01)];
    const rounds = [...calm, round([100, 300], 0.6)];
    expect(calmRounds(rounds)).toEqual(calm);
    expect(judge(rounds, [0, 1], defaultRaceOptions)).toMatchObject({ leader: 1 });
  });

  it("does not decide from one round", () => {
    expect(judge([round([100, 50, 300])], [0, 1, 2], defaultRaceOptions)).toEqual({
      active: [0, 1, 2],
      leader: 1,
      done: false,
    });
  });

  it("goes on, and keeps the incumbent, where the minimum does not say what the median says", async () => {
    const incumbent = [100, 100, 100, 100, 80, 100, 100, 100];
    const rounds = incumbent.map((ns) => round([ns, 95]));
    expect(judge(rounds, [0, 1], defaultRaceOptions)).toMatchObject({ leader: 1, active: [1], done: false });
    expect(
      judge(
        rounds.map(({ incumbentNs }) => ({ timesNs: [100, 79], incumbentNs })),
        [0, 1],
        defaultRaceOptions,
      ).done,
    ).toBe(true);
    const calls = [0, 0];
    const sample = async (entrant: number) => {
      const call = calls[entrant]!++;
      return entrant === 1 ? 95 : call % 16 < 2 ? 80 : 100;
    };
    expect(await race(2, sample)).toMatchObject({ winner: 0, runnerUp: 1, rounds: { length: 64 } });
  });

  it("stops when the last ones are equal", () => {
    const rounds = Array.from({ length: 4 }, () => round([100, 100.1]));
    expect(judge(rounds, [0, 1], defaultRaceOptions).done).toBe(true);
  });
});
