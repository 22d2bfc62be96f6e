import { describe, expect, test } from "vitest";
import type { CpuTarget } from "../../../src/compiler/index.ts";
import { predictNs, type RankingFacts } from "../../../src/tuner/prior/ranker.ts";

const target: CpuTarget = {
  name: "avx2",
  kind: "cpu",
  backend: "c",
  features: ["avx2", "fma"],
  vectorBytes: 32,
  vectorRegisters: 16,
  hasFma: true,
  hasMaskedStore: true,
  l1Bytes: 32_768,
  l2Bytes: 524_288,
  l3Bytes: 4_194_304,
  threads: 2,
};

/** GEMM 512³ f32, well tiled. */
const good: RankingFacts = {
  flops: 2 * 512 ** 3,
  waste: 1,
  lanes: 8,
  multiplyAddShare: 1,
  accumulators: 12,
  liveRegisters: 15,
  loadsPerOperation: 0.75,
  bytesFromL2: 2 ** 24,
  bytesFromL3: 2 ** 22,
  bytesFromMemory: 3 * 2 ** 20,
  packedBytes: 2 ** 21,
  loopIterations: 2 ** 18,
  parallelTasks: 1,
  bodyInstructions: 60,
};

describe("the analytic prior", () => {
  test("bounds a compute-bound kernel by the machine's peak", () => {
    const gflops = good.flops / predictNs(good, target);
    // 2 ports × 8 lanes × 2 operations × 3 GHz = 96.
    expect(gflops).toBeLessThan(96);
    expect(gflops).toBeGreaterThan(60);
  });

  test.each<[string, Partial<RankingFacts>, number]>([
    ["scalar code", { lanes: 1 }, 5],
    ["a single accumulator", { accumulators: 1 }, 4],
    ["spilled accumulators", { liveRegisters: 40 }, 3],
    ["two loads for each operation", { loadsPerOperation: 2 }, 1.5],
    ["tails that waste half the work", { waste: 2 }, 1.6],
    ["operands streamed from memory", { bytesFromMemory: 2 ** 30 }, 3],
    ["operands streamed from L2", { bytesFromL2: 2 ** 30 }, 1.3],
    ["a body beyond the instruction cache", { bodyInstructions: 20_000 }, 2],
    ["a short innermost loop", { loopIterations: 2 ** 24 }, 2.5],
  ])("finds %s slower", (_, change, factor) => {
    expect(predictNs({ ...good, ...change }, target)).toBeGreaterThan(factor * predictNs(good, target));
  });

  test("halves the time of work that two threads share evenly", () => {
    const serial = predictNs(good, target);
    expect(predictNs({ ...good, parallelTasks: 16 }, target) / serial).toBeLessThan(0.6);
    // Three tasks on two threads: one thread runs two of them.
    expect(predictNs({ ...good, parallelTasks: 3 }, target)).toBeGreaterThan(
      predictNs({ ...good, parallelTasks: 16 }, target),
    );
  });

  test("gives no thread more than the target has", () => {
    const one = { ...target, threads: 1 };
    expect(predictNs({ ...good, parallelTasks: 16 }, one)).toBe(predictNs(good, one));
  });
});
