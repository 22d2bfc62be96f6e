// The kernels of a program, tuned within one total of seconds.

import { expect, it } from "vitest";
import gemm from "../../fixtures/ops/gemm.op.ts";
import softmax from "../../fixtures/ops/softmax.op.ts";
import { type KernelToTune, TuneAllError, type TunedTask, tuneAll } from "../../src/api/index.ts";
import { InvariantError } from "../../src/compiler/index.ts";

const small = { M: 12, N: 16, K: 8 };
const kernels: readonly KernelToTune[] = [
  { op: gemm, target: "wasm", parameters: small },
  { op: softmax, target: "wasm" },
  { op: gemm, target: "wasm", parameters: { K: 8, N: 16, M: 12 }, weight: 5 },
  { op: gemm, target: "wasm", parameters: small, numerics: "strict" },
];

it("tunes equal kernels once, and tells what each task took", async () => {
  const told = new Set<number>();
  const tasks = await tuneAll(kernels, {
    seconds: 600,
    budget: { trials: 10 },
    onProgress: (kernel) => told.add(kernel),
  });
  expect(tasks.map(({ kernels, weight }) => ({ kernels, weight }))).toEqual([
    { kernels: [0, 2], weight: 6 },
    { kernels: [1], weight: 1 },
    { kernels: [3], weight: 1 },
  ]);
  for (const { measured, medianNs, elapsedMs, failed } of tasks) {
    expect(measured).toBeGreaterThan(0);
    expect(measured).toBeLessThanOrEqual(10);
    expect(medianNs).toBeGreaterThan(0);
    expect(elapsedMs).toBeGreaterThan(0);
    expect(failed).toBe(0);
  }
  expect([...told]).toEqual([0, 1, 3]);
});

it("gives each a first round, however short the total is", async () => {
  const tasks = await tuneAll(kernels, { seconds: 0.001, policy: "round-robin" });
  for (const { measured } of tasks) {
    expect(measured).toBeGreaterThan(0);
    expect(measured).toBeLessThanOrEqual(8);
  }
});

it("tells of a mistake in a kernel", async () => {
  await expect(tuneAll([{ ...kernels[0]!, constants: ["X"] }], { seconds: 1 })).rejects.toThrow(
    "task.unknown-constant: X is no input of the operator",
  );
});

it("goes on with the others where some fail, and has the mistake of a user and the bug of ours in the error", async () => {
  const throwing = (error: Error, M: number): KernelToTune => ({
    op: gemm,
    target: "wasm",
    parameters: { M, N: 8, K: 8 },
    postprocessors: [
      {
        name: "throwing",
        apply: () => {
          throw error;
        },
      },
    ],
  });
  const mistaken = throwing(new TypeError("planted"), 8);
  // Assertions of ours go through a user's object as they are.
  const broken = throwing(new InvariantError("invariant violated: planted"), 9);
  const options = { seconds: 600, budget: { trials: 4 } };
  const error = await tuneAll([kernels[0]!, mistaken, broken, kernels[1]!], options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TuneAllError);
  const { tuned, failures, message } = error as TuneAllError<TunedTask>;
  const [ofUser, ofOurs] = failures.map((failure) => failure.error.message);
  expect(failures.map(({ kernels: places }) => places)).toEqual([[1], [2]]);
  expect(ofUser).toMatch(/^extension\.threw: apply of postprocessor "throwing" has thrown TypeError: planted\n/);
  expect(ofUser).toMatch(/\n {4}at .*tune-all\.test\.ts:/);
  expect(ofOurs).toMatch(
    /^kernel\.bug: kernel 2: invariant violated: planted; that is a bug of unplugin-kernel: please report it\n {4}at /,
  );
  expect(message).toBe(ofUser);
  expect(tuned.map(({ kernels: places, measured }) => [places, measured > 0])).toEqual([
    [[0], true],
    [[3], true],
  ]);
});
