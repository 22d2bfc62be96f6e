import { describe, expect, it } from "vitest";
import { calmRounds, defaultRaceOptions, judge, type Round, race } from "../../../src/tuner/measure/race.ts";
import { createRng } from "../../../src/tuner/rng.ts";

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

const round = (timesNs: readonly (number | null)[], drift = 0): Round => ({ timesNs, drift });

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

  it("drops a clear loser after two rounds", async () => {
    const { sample, calls } = machine([100, 97, 150], 1);
    const { ratios } = await race(3, sample);
    expect(calls.filter((entrant) => entrant === 2)).toHaveLength(2);
    expect(ratios[0]).toBe(1);
    expect(ratios[2]).toBeGreaterThan(1.4);
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
    expect(ended).toEqual({ winner: 0, ratios: [null, null], rounds: [] });
  });

  it("never runs longer than it may", async () => {
    const { rounds } = await race(4, machine([100, 100, 100, 100], 3, 0.3).sample, { maxRounds: 7, tie: 0.0001 });
    expect(rounds.length).toBeLessThanOrEqual(7);
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

  it("stops when the last ones are equal", () => {
    const rounds = Array.from({ length: 4 }, () => round([100, 100.1]));
    expect(judge(rounds, [0, 1], defaultRaceOptions).done).toBe(true);
  });
});
