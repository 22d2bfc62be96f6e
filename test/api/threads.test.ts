// Kernels whose loops threads share: the same bits for every number of threads.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { build, load, predictSchedule, tune } from "../../src/api/index.ts";
import { type Op, opLibrary } from "../../src/compiler/index.ts";
import type { Artifact } from "../../src/native/addon/artifact.ts";
import { skipReason } from "../native/compiled.ts";
import { inTurn } from "../support/long.ts";

const turn = inTurn(7);

const { conv2d, gemm, layerNorm, softmax } = opLibrary;

const why = skipReason ? ` (${skipReason})` : "";
const outDir = mkdtempSync(join(tmpdir(), "threads-"));
afterAll(() => rmSync(outDir, { recursive: true }));

const reals = (length: number) => Float32Array.from({ length }, (_, at) => Math.sin(at * 1.37));

interface Case {
  readonly title: string;
  readonly op: Op;
  /** Numbers of elements: of the inputs, then of the output. */
  readonly lengths: readonly number[];
}

const cases: readonly Case[] = [
  { title: "gemm", op: gemm({ M: 131, N: 257, K: 67 }), lengths: [131 * 67, 67 * 257, 131 * 257] },
  {
    title: "gemm with an epilogue",
    op: gemm({ M: 67, N: 129, K: 33 }, { bias: true, activation: "gelu" }),
    lengths: [67 * 33, 33 * 129, 129, 67 * 129],
  },
  {
    title: "conv2d",
    op: conv2d({ H: 14, W: 13, C: 16, F: 32, padding: 1 }),
    lengths: [14 * 13 * 16, 9 * 16 * 32, 14 * 13 * 32],
  },
  { title: "softmax", op: softmax({ M: 63, N: 129 }), lengths: [63 * 129, 63 * 129] },
  { title: "layerNorm", op: layerNorm({ M: 31, N: 100 }), lengths: [3100, 100, 100, 3100] },
];

const threadsOf = (artifact: Artifact): number =>
  artifact.kind === "native"
    ? artifact.kernels[0]!.threads
    : (artifact.kind === "wasm" && artifact.source.sharing?.threads) || 1;

describe.each([
  { title: `threads of native kernels${why}`, target: "avx2" as const, isSkipped: skipReason !== null },
  { title: "threads of WASM kernels", target: "wasm" as const, isSkipped: false },
])("$title", ({ target, isSkipped }) => {
  turn.skipIf(isSkipped).each(cases)("$title: no bit depends on their number", async ({ op, lengths }) => {
    const schedule = predictSchedule(op, { target, threads: 3 });
    const results: ReturnType<typeof reals>[] = [];
    for (const threads of [1, 2, 3, 8]) {
      const artifact = await build(op, schedule, { target, threads, outDir });
      expect(threadsOf(artifact)).toBe(threads);
      const arrays = lengths.map(reals);
      load(artifact)(...arrays);
      results.push(arrays.at(-1)!);
    }
    for (const result of results) expect(result).toEqual(results[0]);
    expect(results[0]!.some((value, at) => value !== reals(lengths.at(-1)!)[at])).toBe(true);
  });

  turn.skipIf(isSkipped)("are searched for", async () => {
    const options = { target, threads: 2, budget: { seconds: 600, trials: 6 } } as const;
    const { measured, failed } = await tune(gemm({ M: 64, N: 64, K: 64 }), options);
    expect(measured).toBeGreaterThan(0);
    expect(failed).toBe(0);
  });
});

test.each([0, 1.5, -1, 257, Number.NaN])("%d threads are refused", (threads) => {
  expect(() => predictSchedule(gemm({ M: 8, N: 8, K: 8 }), { target: "wasm", threads })).toThrow(
    `threads is ${threads}, a whole number from 1 to 256 is wanted`,
  );
});
