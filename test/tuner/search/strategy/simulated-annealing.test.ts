import { describe, expect, test } from "vitest";
import { acceptance, annealing, temperatureAt } from "../../../../src/tuner/search/strategy/simulated-annealing.ts";
import { createRng } from "../../../../src/tuner/support/rng.ts";

describe("the test of Metropolis", () => {
  test("takes every step upwards, and no step down at temperature 0", () => {
    for (const temperature of [0, 0.01, 1]) {
      expect(acceptance(0, temperature)).toBe(1);
      expect(acceptance(0.3, temperature)).toBe(1);
    }
    expect(acceptance(-1e-9, 0)).toBe(0);
  });

  test.each([
    [-0.1, 0.1],
    [-0.05, 0.2],
    [-0.3, 0.1],
  ])("takes a step of %d at temperature %d as often as e^(gain / temperature) says", (gain, temperature) => {
    const rng = createRng(7);
    const draws = 20_000;
    let taken = 0;
    for (let k = 0; k < draws; k++) if (rng.unit() < acceptance(gain, temperature)) taken++;
    const expected = Math.exp(gain / temperature);
    // Four standard deviations.
    expect(Math.abs(taken / draws - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / draws));
  });

  test("a chain of such steps visits states as Boltzmann's distribution has them", () => {
    const scores = [0, 0.1, 0.25, 0.05];
    const temperature = 0.1;
    const weights = scores.map((score) => Math.exp(score / temperature));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const rng = createRng(11);
    const visits = [0, 0, 0, 0];
    const steps = 200_000;
    for (let step = 0, at = 0; step < steps; step++) {
      const next = (at + rng.pick([1, 2, 3])) % 4;
      if (rng.unit() < acceptance(scores[next]! - scores[at]!, temperature)) at = next;
      visits[at]!++;
    }
    for (const [state, count] of visits.entries()) expect(count / steps).toBeCloseTo(weights[state]! / total, 2);
  });
});

test("the temperature falls in equal steps from the first to the last", () => {
  const temperatures = Array.from({ length: 5 }, (_, step) => temperatureAt(step, 5));
  expect(temperatures[0]).toBe(annealing.startTemperature);
  expect(temperatures[4]).toBe(annealing.endTemperature);
  for (const [step, temperature] of temperatures.slice(1).entries()) {
    expect(temperatures[step]! - temperature).toBeCloseTo(
      (annealing.startTemperature - annealing.endTemperature) / 4,
      12,
    );
  }
});
