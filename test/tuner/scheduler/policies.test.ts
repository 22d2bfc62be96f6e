// Policies on curves such as searches have: who is ahead when the same seconds are spent.

import { describe, expect, it } from "vitest";
import { expectedGain } from "../../../src/tuner/scheduler/gradient.ts";
import { policies } from "../../../src/tuner/scheduler/policies.ts";
import type { SchedulingPolicy, TaskHistory } from "../../../src/tuner/scheduler/policy.ts";
import { scheduleTunings } from "../../../src/tuner/scheduler/schedule-tunings.ts";
import { createTuningGroup } from "../../../src/tuner/scheduler/tuning-group.ts";
import { createRng } from "../../../src/tuner/support/rng.ts";
import { type Curve, fakeClock, syntheticTask } from "../../support/synthetic-tuning.ts";

const { gradient, "round-robin": roundRobin, "in-order": inOrder } = policies;

/** The weighted time of all kernels at the end, and the rounds of each. */
async function run(policy: SchedulingPolicy, curves: readonly Curve[], seconds: number) {
  const clock = fakeClock();
  const tasks = curves.map((curve) => syntheticTask(curve, clock));
  const results = await scheduleTunings(tasks, { policy, totalMs: seconds * 1000, clock: clock.now });
  const times = results.map((result) => (result.status === "fulfilled" ? result.value! : Number.NaN));
  return {
    total: times.reduce((sum, ns, at) => sum + ns * (curves[at]!.weight ?? 1), 0),
    rounds: tasks.map(({ log }) => log.rounds),
  };
}

/** Falls in steps by luck, to a floor, as the best of a search does: sizes, room and costs differ by a lot. */
function randomCurves(seed: number, count: number): readonly Curve[] {
  const rng = createRng(seed);
  return Array.from({ length: count }, (): Curve => {
    const floor = 10 ** (4 + 2.5 * rng.unit());
    const room = 0.1 + 1.5 * rng.unit();
    const pace = 20 + 150 * rng.unit();
    const luck = Array.from({ length: 200 }, () => rng.unit());
    return {
      bestNs: (candidates) => {
        const steps = luck.slice(0, Math.ceil(candidates / 8)).map((unit, at) => unit * Math.exp((-8 * at) / pace));
        return floor * (1 + room * Math.min(...steps, 1));
      },
      msPerCandidate: 10 + 60 * rng.unit(),
      weight: 1 + rng.below(4),
      flops: floor * (10 + 30 * rng.unit()),
      family: `f${rng.below(4)}`,
    };
  });
}

describe("gradient", () => {
  it("ends ahead of round robin for the same seconds, of twenty bundles in all but one or two", async () => {
    const ratios = [];
    for (let seed = 1; seed <= 20; seed++) {
      const curves = randomCurves(seed, 20);
      const floor = curves.reduce((sum, { bestNs, weight = 1 }) => sum + weight * bestNs(2000)!, 0);
      const [ours, theirs] = [await run(gradient, curves, 45), await run(roundRobin, curves, 45)];
      expect(Math.min(...ours.rounds)).toBeGreaterThan(0);
      ratios.push((ours.total - floor) / (theirs.total - floor));
    }
    expect(ratios.filter((ratio) => ratio < 1).length).toBeGreaterThanOrEqual(18);
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThan(0.7);
  });

  it("is round robin where all curves are equal", async () => {
    const curve: Curve = { bestNs: (candidates) => 1e5 * (1 + Math.exp(-candidates / 100)), msPerCandidate: 20 };
    const curves = Array.from({ length: 6 }, () => curve);
    expect(await run(gradient, curves, 40)).toEqual(await run(roundRobin, curves, 40));
  });

  it("gives the most to what weighs most", async () => {
    const bestNs = (candidates: number): number => 1e5 * (1 + Math.exp(-candidates / 100));
    const curves: readonly Curve[] = [1, 8, 1].map((weight) => ({ bestNs, msPerCandidate: 20, weight }));
    const { rounds } = await run(gradient, curves, 20);
    expect(rounds[1]).toBeGreaterThan(2 * Math.max(rounds[0]!, rounds[2]!));
  });

  it("spends the seconds of those that have converged on the others", async () => {
    const bestNs = (): number => 1e5;
    const curves: readonly Curve[] = [
      { bestNs, msPerCandidate: 20, converged: 2 },
      { bestNs, msPerCandidate: 20 },
    ];
    const { rounds } = await run(gradient, curves, 10);
    expect(rounds[0]).toBe(2);
    expect(rounds[1]).toBeGreaterThan(10);
  });

  it("chooses the same for the same histories", () => {
    const tasks = historiesOf([3e5, 2e5, 9e5]);
    expect(gradient.choose(tasks)).toBe(gradient.choose(historiesOf([3e5, 2e5, 9e5])));
    expect(gradient.choose(tasks)).toBe(2);
  });

  it("expects more of a kernel that is far behind its family", () => {
    const [ahead, behind] = [history(1e5, 4e6), history(1e5, 1e6)];
    expect(expectedGain(behind, [ahead, behind])).toBeGreaterThan(expectedGain(ahead, [ahead, behind]));
  });

  it("expects no more of a kernel because one of another family is ahead", () => {
    const [own, other] = [history(1e5, 1e6), { ...history(1e5, 4e6), family: "g" }];
    expect(expectedGain(own, [own, other])).toBe(expectedGain(own, [own]));
  });

  it("can do with kernels of no operations, and with such of which nothing has run", () => {
    const copy = history(1e4, 0);
    const broken: TaskHistory = { ...history(1e4, 1e6), rounds: [{ ms: 400, measured: 24, bestNs: null }] };
    for (const task of [copy, broken]) expect(expectedGain(task, [copy, broken])).toBeGreaterThan(0);
    expect(expectedGain(broken, [broken])).toBeGreaterThan(0);
    expect(expectedGain({ ...copy, rounds: [{ ms: 0, measured: 1, bestNs: 1 }] }, [copy])).toBeLessThan(Infinity);
  });
});

const history = (bestNs: number, flops: number): TaskHistory => ({
  weight: 1,
  flops,
  family: "f",
  rounds: [
    { ms: 400, measured: 24, bestNs: bestNs * 1.2 },
    { ms: 400, measured: 24, bestNs },
  ],
});
const historiesOf = (times: readonly number[]): readonly TaskHistory[] => times.map((ns) => history(ns, 1e6));

describe("every policy but the one without a plan", () => {
  it.each([gradient, roundRobin])("gives each a first round before anybody has a second: $name", (policy) => {
    const fresh = { ...history(1, 1), rounds: [] };
    expect(policy.choose([history(9e9, 1e6), fresh, fresh])).toBe(1);
  });
});

it("in order: the first until it is over", async () => {
  const curve: Curve = { bestNs: () => 1, msPerCandidate: 1, converged: 3 };
  const clock = fakeClock();
  const tasks = [curve, curve].map((one) => syntheticTask(one, clock));
  const group = createTuningGroup({ policy: inOrder, totalMs: null, clock: clock.now });
  const order: string[] = [];
  await Promise.all(tasks.map((task, at) => group.tune(task).then(() => order.push(`${at} ${tasks[1]!.log.rounds}`))));
  expect(order).toEqual(["0 0", "1 3"]);
});
