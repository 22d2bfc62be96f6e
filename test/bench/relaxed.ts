// What a class of engines with relaxed SIMD is worth. Each operator is tuned for `wasm`, which measures the plain form, and for this machine's
// class with relaxed SIMD; then the two modules of the first schedule and the one of the second run in turns, as all three run in one engine.
//
//     npm run bench:relaxed -- --seconds 30 --record         appends a row an operator to relaxed.jsonl
//     npm run bench:relaxed -- --node 24 --only conv2d       in another version of the engine; --show: the schedules, too

import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type ComputeDef,
  digestOf,
  factsOf,
  instantiate,
  opLibrary,
  type TargetName,
} from "../../src/compiler/index.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { hostTarget } from "../../src/native/machine/machine.ts";
import { createRunner } from "../../src/native/runner/client.ts";
import type { Runnable } from "../../src/native/runner/protocol.ts";
import type { Candidate } from "../../src/tuner/data/space.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { candidateKernel } from "../../src/tuner/kernel/candidate-kernel.ts";
import { quantile } from "../../src/tuner/measure/statistics.ts";
import { memoryDatabase } from "../../src/tuner/record/database.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { type GeneratedSpace, generateSpace } from "../../src/tuner/space/generate.ts";
import { createRng } from "../../src/tuner/support/rng.ts";
import { tune } from "../../src/tuner/tuning/tune.ts";
import { measurable } from "../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../src/tuner/workbench/reference.ts";
import { withoutCompiler } from "../../src/tuner/workbench/runnable-builder.ts";
import { createWorkbench, type MeasurableSource } from "../../src/tuner/workbench/workbench.ts";
import { cpuName } from "./cpu-name.ts";
import { appendLine } from "./json-lines.ts";
import { settledQuantile } from "./sample-in-rounds.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    show: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const { attention, conv2d, depthwiseConv2d, gemm, gemv, layerNorm, softmax } = opLibrary;
const operators: Readonly<Record<string, ComputeDef>> = {
  "gemm 64x64x64": instantiate(gemm({ M: 64, N: 64, K: 64 }), {}, "gemm"),
  "gemm 512x512x512": instantiate(gemm({ M: 512, N: 512, K: 512 }), {}, "gemm"),
  "gemv 1024x1024": instantiate(gemv({ M: 1024, K: 1024 }), {}, "gemv"),
  "conv2d 28x28x64 3x3 64": instantiate(conv2d({ H: 28, W: 28, C: 64, F: 64, padding: 1 }), {}, "conv2d"),
  "depthwiseConv2d 56x56x64": instantiate(depthwiseConv2d({ H: 56, W: 56, C: 64, padding: 1 }), {}, "depthwise"),
  "softmax 256x1024": instantiate(softmax({ M: 256, N: 1024 }), {}, "softmax"),
  "layerNorm 256x768": instantiate(layerNorm({ M: 256, N: 768 }), {}, "layerNorm"),
  "attention 128x64": instantiate(attention({ M: 128, N: 128, D: 64 }), {}, "attention"),
};
const relaxedTarget: TargetName = process.arch === "arm64" ? "wasm-arm-relaxed" : "wasm-x86-relaxed";
const deadlineMs = 60_000;
/** Rounds in which each module is measured, and nanoseconds of one measurement. */
const [rounds, sampleNs] = [80, 5e6];
const rows = join(process.cwd(), "test/bench/relaxed.jsonl");

interface Tuned {
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
  readonly candidate: Candidate;
}

async function tunedFor(op: ComputeDef, name: TargetName): Promise<Tuned> {
  const task: TuningTask = { op, target: { ...hostTarget(name), threads: 1 }, numerics: "fast", threads: 1 };
  const space = generateSpace(task);
  const workbench = createWorkbench({ task: referenceTask(task), toolchain: null, directory: "" });
  try {
    const { winner } = await tune(task, space, {
      budget: { seconds: Number(values.seconds), trials: 4096 },
      strategy: strategies.default,
      seed: Number(values.seed),
      taskKey: digestOf(op),
      database: memoryDatabase(),
      workbench,
      clock: nowMs,
      convergence: null,
    });
    if (!winner) throw new Error(`nothing ran for ${name}`);
    if (values.show) console.log(`  ${name}: ${JSON.stringify(winner.candidate)}`);
    return { task, space, candidate: winner.candidate };
  } finally {
    await workbench.close();
  }
}

/** A candidate's module; `isFused`: that of the same schedule for engines with relaxed SIMD. */
async function moduleOf({ task, space, candidate }: Tuned, isFused: boolean): Promise<Runnable> {
  const own = measurable(task, space, candidate);
  const kernel = candidateKernel(task, space, candidate);
  if (own.kind === "build-failed" || kernel.kind !== "ok") throw new Error("it ran before");
  const source = isFused ? ({ ...own, ...kernel.relaxed() } as MeasurableSource) : own;
  const built = await withoutCompiler(source, { directory: "" });
  if (built.kind !== "ready") throw new Error(built.reason);
  return built.candidate;
}

/**
 * Nanoseconds of each module, all in turns in each of many rounds: what else the machine does falls on all alike, and nobody is given up
 * early, as a module that met a busy moment alone would seem slow.
 */
async function timesOf(op: ComputeDef, modules: readonly Runnable[]): Promise<readonly number[]> {
  const runner = createRunner({ relaxedSimd: true, deadlineMs });
  try {
    runner.setTask(referenceTask({ op, target: hostTarget("wasm"), numerics: "fast", threads: 1 }));
    const samples = modules.map((): number[] => []);
    const rng = createRng(1);
    for (let round = 0; round < rounds; round++) {
      for (const at of rng.shuffle([...modules.keys()])) {
        const outcome = await runner.sample(modules[at]!, sampleNs);
        if (outcome.kind !== "ok") throw new Error(`it ran before: ${outcome.kind}`);
        samples[at]!.push(Math.min(...outcome.samplesNs));
      }
    }
    return samples.map((own) => quantile(own, settledQuantile));
  } finally {
    await runner.close();
  }
}

async function compare(name: string, op: ComputeDef): Promise<void> {
  const [forAll, ofClass] = [await tunedFor(op, "wasm"), await tunedFor(op, relaxedTarget)];
  const modules = await Promise.all([moduleOf(forAll, false), moduleOf(forAll, true), moduleOf(ofClass, false)]);
  const [plainNs, relaxedNs, classNs] = (await timesOf(op, modules)) as [number, number, number];
  const speeds = [plainNs, relaxedNs, classNs].map((ns) => (factsOf(op).flops / ns).toFixed(1).padStart(7)).join("");
  const gains = [plainNs / relaxedNs, relaxedNs / classNs].map((it) => it.toFixed(2).padStart(8)).join("");
  console.log(`${name.padEnd(28)}${speeds}${gains}`);
  if (values.record) appendLine(rows, { operator: name, plainNs, relaxedNs, classNs, seconds: Number(values.seconds) });
}

console.log(`${cpuName()}, Node ${process.version}`);
console.log("GFLOP/s of the schedule for all, plain and relaxed, and of the class's; relaxed / plain, class / relaxed");
for (const [name, op] of Object.entries(operators)) if (name.includes(values.only)) await compare(name, op);
