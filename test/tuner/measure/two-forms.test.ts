// A race of kernels that have a second form: both count, and the time that is told is that of the kernel itself.

import { expect, test } from "vitest";
import { instantiate, opLibrary, targets } from "../../../src/compiler/index.ts";
import type { Runner } from "../../../src/native/runner/client.ts";
import type { Runnable } from "../../../src/native/runner/protocol.ts";
import { raceCandidates } from "../../../src/tuner/measure/measure.ts";
import { predict } from "../../../src/tuner/search/predict.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { forever } from "../../../src/tuner/support/time-limit.ts";
import { finalist } from "../../../src/tuner/workbench/measurable.ts";

/** Nanoseconds of each kernel by its name; it fails where there are none. */
const runnerOf = (times: Readonly<Record<string, number>>): Runner =>
  ({
    sample: async (kernel: Runnable) => {
      const ns = times[kernel as unknown as string];
      return ns === undefined ? { kind: "crashed", reason: "planted" } : { kind: "ok", samplesNs: [ns, ns, ns] };
    },
    forget: () => undefined,
  }) as unknown as Runner;
const kernels = (...names: readonly string[]): readonly Runnable[] => names as unknown as readonly Runnable[];

test("the winner is the one whose two forms are fastest together, and its time is that of its own form", async () => {
  const runner = runnerOf({ quick: 1e6, "quick twin": 2e6, even: 1.1e6, "even twin": 1.1e6, alone: 1.3e6 });
  const twins = [...kernels("quick twin", "even twin"), null];
  const { winner, timings } = await raceCandidates(runner, kernels("quick", "even", "alone"), { twins, maxRounds: 8 });
  expect(winner).toBe(1);
  expect(timings.map((timing) => timing?.medianNs)).toEqual([1e6, 1.1e6, 1.3e6]);
  expect((await raceCandidates(runner, kernels("quick", "even", "alone"), { maxRounds: 8 })).winner).toBe(0);
});

test("a kernel whose twin fails is out of the race", async () => {
  const runner = runnerOf({ quick: 1e6, even: 1.1e6, "even twin": 1.1e6 });
  const twins = kernels("even twin", "gone");
  const { winner, ratios } = await raceCandidates(runner, kernels("even", "quick"), { twins, maxRounds: 8 });
  expect([winner, ratios[1]]).toEqual([0, null]);
});

test("finalists for WASM come with the form of relaxed SIMD, where there is one", () => {
  const op = instantiate(opLibrary.gemm({ M: 16, N: 16, K: 16 }), {}, "gemm");
  const twinFor = (name: keyof typeof targets, numerics: "fast" | "strict" = "fast") => {
    const task = { op, target: targets[name], numerics, threads: 1 };
    const space = generateSpace(task);
    const source = finalist(task, space, predict(space)!, forever);
    return "twin" in source ? source.twin : null;
  };
  expect(twinFor("wasm")).toMatchObject({ kind: "wasm", relaxed: true });
  expect([twinFor("wasm", "strict"), twinFor("wasm-x86-relaxed"), twinFor("avx2")]).toEqual([null, null, null]);
});
