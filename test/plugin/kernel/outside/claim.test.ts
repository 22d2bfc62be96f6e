// Claimed measurements: what a machine can do passes, what none can do or what contradicts itself does not.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { cpuTarget, factsOf, instantiate, type TargetName, targets } from "../../../../src/compiler/index.ts";
import { gemm } from "../../../../src/compiler/ops/index.ts";
import { isPossible, leastPossibleNs, problemOfClaim } from "../../../../src/plugin/kernel/outside/claim.ts";
import { targetClass } from "../../../../src/tuner/data/key.ts";
import type { TuningTask } from "../../../../src/tuner/data/task.ts";
import type { Measured } from "../../../../src/tuner/store/store-entry.ts";

const size = 512;
const flops = 2 * size ** 3;
type Types = Pick<Parameters<typeof gemm>[0], "dtype" | "dtypeB">;

function taskOf(name: TargetName, types: Types = {}, threads = 1): TuningTask {
  const op = instantiate(gemm({ M: size, N: size, K: size, ...types }), {}, "gemm");
  return { op, target: { ...targets[name], threads }, numerics: "fast", threads };
}

const compilers = { wasm: "wasm", c: "gcc 12.2.0 x86_64-linux-gnu 3f2a9c01" } as const;

const claimOf = ({ target }: TuningTask, gflops: number): Measured => ({
  medianNs: flops / gflops,
  gflops,
  machine: targetClass(target),
  toolchain: compilers[cpuTarget(target).backend],
  trials: 100,
});

const problemAt = (task: TuningTask, change: Partial<Measured> = {}, gflops = 20): string | null =>
  problemOfClaim({ ...claimOf(task, gflops), ...change }, task, task.op);

describe("speeds", () => {
  /** Peaks of one core of machines of today in G operations a second, and what is beyond any: see docs/peers.md. */
  const speeds: readonly [TargetName, Types, threads: number, real: number, impossible: number][] = [
    ["wasm", {}, 1, 90, 600],
    ["avx2", {}, 1, 190, 600],
    ["avx512", {}, 1, 390, 1100],
    ["avx512", {}, 8, 3000, 8400],
    ["avx512-vnni", { dtype: "u8", dtypeB: "i8" }, 1, 1500, 4200],
    ["amx", { dtype: "bf16" }, 1, 4500, 17_000],
  ];

  test.each(speeds)("%s %o, %i threads: %i is believed, %i is not", (name, types, threads, real, impossible) => {
    const task = taskOf(name, types, threads);
    expect(factsOf(task.op).flops).toBe(flops);
    expect(problemAt(task, {}, real)).toBeNull();
    expect(problemAt(task, {}, impossible)).toMatch(
      /^no machine is so fast: it claims [\d.e+]+ ns, and [\d.e+]+ ns are the least$/,
    );
    expect(isPossible(claimOf(task, real), claimOf(task, real / 2))).toBe(true);
    expect(isPossible(claimOf(task, 1e9), claimOf(task, real))).toBe(false);
  });

  test("no time is shorter than a cycle, and reading takes time too", () => {
    const tiny = instantiate(gemm({ M: 1, N: 1, K: 1 }), {}, "gemm");
    expect(leastPossibleNs({ ...taskOf("avx2"), op: tiny }, tiny)).toBe(0.125);
    expect(
      problemOfClaim({ ...claimOf(taskOf("avx2"), 20), medianNs: 0, gflops: 0 }, taskOf("avx2"), tiny),
    ).not.toBeNull();
    const row = instantiate(gemm({ M: 1, N: 4096, K: 4096 }), {}, "gemm");
    // 64 MB at 1024 GB/s.
    expect(leastPossibleNs({ ...taskOf("avx2"), op: row }, row)).toBeGreaterThan(65_000);
  });

  test("another algorithm needs fewer operations", () => {
    const task = taskOf("avx2");
    const half = instantiate(gemm({ M: size, N: size, K: size / 4 }), {}, "gemm");
    expect(problemOfClaim(claimOf(task, 1500), task, task.op)).toMatch(/^no machine is so fast/);
    expect(problemOfClaim(claimOf(task, 1500), task, half)).toBeNull();
  });
});

describe("a claim that contradicts itself or its kernel", () => {
  const task = taskOf("avx2");

  test.each<[string, Partial<Measured>, RegExp]>([
    [
      "speed and time",
      { gflops: 40 },
      /^it contradicts itself: 40 GFLOP\/s for 13421772.8 ns are not the 268435456 operations of gemm$/,
    ],
    ["no machine", { machine: "a fast one" }, /^"a fast one" is no machine$/],
    ["a target that does not exist", { machine: targetClass(task.target).replace("avx2 ", "avx3 ") }, /is no machine$/],
    [
      "a name of every object",
      { machine: targetClass(task.target).replace("avx2 ", "constructor ") },
      /is no machine$/,
    ],
    [
      "another target",
      { machine: targetClass(targets.avx512) },
      /^it was measured on "avx512 .*", and is for avx2 with 1 threads$/,
    ],
    ["other threads", { machine: targetClass({ ...task.target, threads: 2 }) }, /and is for avx2 with 1 threads$/],
    ["an engine in place of a compiler", { toolchain: "wasm" }, /^"wasm" measures nothing for avx2$/],
    ["a compiler of another form", { toolchain: "gcc" }, /^"gcc" measures nothing for avx2$/],
  ])("%s", (_, change, why) => {
    expect(problemAt(task, change)).toMatch(why);
  });

  test("numbers as a lock rounds them are no contradiction, nor are cold caches", () => {
    expect(problemAt(task, { gflops: 19.99, medianNs: 13_420_000 })).toBeNull();
    expect(problemAt(task, { toolchain: `${compilers.c}, cold caches` })).toBeNull();
  });

  test("without the operator: by the operations that a measurement of ours has counted", () => {
    const ours = claimOf(task, 20);
    expect(isPossible({ ...ours, gflops: 40 }, ours)).toBe(false);
    expect(isPossible({ ...ours, machine: "wasm" }, ours)).toBe(false);
    expect(isPossible({ ...ours, medianNs: 0, gflops: 0 }, ours)).toBe(false);
  });
});

test("what the locks of this repository have is possible", () => {
  const root = resolve(import.meta.dirname, "../../../..");
  const apps = readdirSync(resolve(root, "fixtures/apps")).map((app) => `fixtures/apps/${app}`);
  const locks = ["docs", ...apps]
    .map((folder) => `${folder}/kernels.lock.json`)
    .filter((name) => existsSync(resolve(root, name)));
  const measured = locks.flatMap((name) => {
    const { kernels } = JSON.parse(readFileSync(resolve(root, name), "utf8")) as {
      kernels: Record<string, { measured: Measured | null }>;
    };
    return Object.values(kernels).flatMap(({ measured }) => measured ?? []);
  });
  expect(measured.length).toBeGreaterThan(5);
  expect(measured.filter((it) => !isPossible(it, it))).toEqual([]);
});
