// Kernels of this checkout beside those of another one: both build an operator's predicted schedule with their own compiler and loader,
// and one process calls them in turns, so that what else the machine does falls on both. For each operator and target: the median ratio
// of two calls that follow each other, whether the schedules are the same, and whether the results are.
//
//     npm run bench:kernels -- --against ../before      the other checkout has been built: node build.js --no-types

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KernelOptions } from "../../src/api/task.ts";
import type { TypedArray } from "../../src/compiler/index.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { median } from "./lowering-pairs.ts";
import { type Make, type Side, twoCheckouts } from "./two-checkouts.ts";

interface Kernel {
  /** The schedule as text. */
  readonly schedule: string;
  readonly outputs: readonly TypedArray[];
  call(): void;
}

const operators: Readonly<Record<string, Make>> = {
  "gemm 512x512x512": ({ gemm }) => gemm({ M: 512, N: 512, K: 512 }),
  "gemm 8x32x32": ({ gemm }) => gemm({ M: 8, N: 32, K: 32 }),
  "gemm i8 256x256x256": ({ gemm }) => gemm({ M: 256, N: 256, K: 256, dtype: "i8" }),
  "gemv 1024x1024": ({ gemv }) => gemv({ M: 1024, K: 1024 }),
  "conv2d 28x28x64 3x3 64": ({ conv2d }) => conv2d({ H: 28, W: 28, C: 64, F: 64, padding: 1 }),
  "depthwiseConv2d 28x28x64": ({ depthwiseConv2d }) => depthwiseConv2d({ H: 28, W: 28, C: 64, padding: 1 }),
  "softmax 64x1024": ({ softmax }) => softmax({ M: 64, N: 1024 }),
  "layerNorm 64x1024": ({ layerNorm }) => layerNorm({ M: 64, N: 1024 }),
  "attention 128x64": ({ attention }) => attention({ M: 128, N: 128, D: 64 }),
  "maxPool2d 56x56x64": ({ maxPool2d }) => maxPool2d({ H: 56, W: 56, C: 64 }),
};
const targets = ["avx2", "avx512", "wasm"] as const;
/** Pairs of a row, and milliseconds that each half of a pair takes at the least. */
const [pairs, sampleMs] = [101, 1];

/** Values from -4 to 4 in quarters; integers have the whole ones. */
function fill(array: TypedArray, seed: number): void {
  for (let at = 0; at < array.length; at++) array[at] = (((at * 2654435761 + seed * 40503) >>> 8) % 33) / 4 - 4;
}

async function kernelOf(side: Side, make: Make, target: string, outDir: string): Promise<Kernel> {
  const op = make(side.library);
  const options = { target } as const as KernelOptions;
  const schedule = side.api.predictSchedule(op, options);
  const artifact = await side.api.build(op, schedule, { ...options, outDir: join(outDir, target) });
  const kernel = side.api.load(artifact);
  const arrays = Object.values(kernel.buffers()) as TypedArray[];
  const { tensors } = kernel.info;
  for (const [at, { role }] of tensors.entries()) if (role === "input") fill(arrays[at]!, at);
  const call = kernel as unknown as (...arrays: TypedArray[]) => void;
  return {
    schedule: side.api.saveSchedule(op, schedule, options),
    outputs: arrays.filter((_, at) => tensors[at]!.role === "output"),
    call: () => call(...arrays),
  };
}

/** Milliseconds of a number of calls. */
function timeOf({ call }: Kernel, times: number): number {
  const start = nowMs();
  for (let at = 0; at < times; at++) call();
  return nowMs() - start;
}

/** Time of the first kernel to that of the second, in pairs of which each begins every other one. */
function ratiosOf(ours: Kernel, theirs: Kernel): readonly number[] {
  let times = 1;
  while (Math.min(timeOf(ours, times), timeOf(theirs, times)) < sampleMs) times *= 2;
  return Array.from({ length: pairs }, (_, at) => {
    const [first, second] = at % 2 === 0 ? [ours, theirs] : [theirs, ours];
    const [early, late] = [timeOf(first, times), timeOf(second, times)];
    return at % 2 === 0 ? early / late : late / early;
  });
}

const bytesOf = ({ outputs }: Kernel): string => outputs.map(({ buffer }) => Buffer.from(buffer)).join();

async function measureRow(sides: readonly [Side, Side], name: string, target: string): Promise<readonly number[]> {
  const make = operators[name]!;
  const ours = await kernelOf(sides[0], make, target, join(folder, "this"));
  const theirs = await kernelOf(sides[1], make, target, join(folder, "other"));
  const ratios = ratiosOf(ours, theirs);
  const notes = [
    ...(ours.schedule === theirs.schedule ? [] : ["other schedules"]),
    ...(bytesOf(ours) === bytesOf(theirs) ? [] : ["other results"]),
  ];
  console.log(`${name.padEnd(26)} ${target.padEnd(7)} ${median(ratios).toFixed(3)} ${notes.join(", ")}`);
  return ratios;
}

const { sides, against } = await twoCheckouts();
const folder = mkdtempSync(join(tmpdir(), "kernels-"));
try {
  console.log(`time of this checkout's kernels to those of ${against}: medians of ${pairs} pairs`);
  const all: number[] = [];
  for (const name of Object.keys(operators))
    for (const target of targets) all.push(...(await measureRow(sides, name, target)));
  console.log(`all ${median(all).toFixed(3)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
