// Candidates that are left after heats, with given or drawn samples.

import { describe, expect, test } from "vitest";
import { heats, samplesInHeats } from "../../../src/tuner/measure/heats.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";

describe("heats", () => {
  test("leave the fastest, best first, and take the samples that they say", async () => {
    let samples = 0;
    const field = await heats(
      32,
      async (entrant) => {
        samples += 1;
        return 1000 - entrant;
      },
      { keep: 8 },
    );
    expect(field).toEqual([31, 30, 29, 28, 27, 26, 25, 24]);
    expect(samples).toBe(2 * 32 + 2 * 16);
    expect(samplesInHeats(32, 8)).toBe(samples);
  });

  test("are none where few enough came: they stay as they were", async () => {
    const never = async (): Promise<number> => {
      throw new Error("it is not sampled");
    };
    expect(await heats(8, never, { keep: 8 })).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(samplesInHeats(8, 8)).toBe(0);
  });

  test("put who fails last, and keep the order of those that are equal", async () => {
    const field = await heats(10, async (entrant) => (entrant === 2 ? null : 5), { keep: 8 });
    expect(field).toEqual([0, 1, 3, 4, 5, 6, 7, 8]);
  });

  test("end when the time is over: who was sampled comes first", async () => {
    let left = 6;
    const isOver = (): boolean => left <= 0;
    const field = await heats(
      32,
      async (entrant) => {
        left -= 1;
        return 100 - entrant;
      },
      { keep: 8, isOver },
    );
    expect(field).toEqual([5, 4, 3, 2, 1, 0, 6, 7]);
  });

  test("find the fastest, or one as good within 3 %, where others slow samples down by 10 % and it is thirtieth of the search", async () => {
    const { unit } = createRng(1);
    /** Noise only adds: half a normal distribution, 10 % on average. */
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
    let good = 0;
    for (let trial = 0; trial < 200; trial++) {
      const truth = Array.from({ length: 32 }, (_, entrant) => (entrant === 29 ? 1 : 1.03 + unit() * 0.15));
      const sample = async (entrant: number) => truth[entrant]! * Math.exp(0.12 * Math.abs(normal()));
      const field = await heats(32, sample, { keep: 8 });
      if (Math.min(...field.map((entrant) => truth[entrant]!)) <= 1.03) good += 1;
    }
    expect(good).toBeGreaterThan(170);
  });
});
