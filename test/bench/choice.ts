// Checks the choices of tunings: 20 small tasks are tuned for some seconds each, and the final choice is then measured
// against the runner-up in two further runs, each in a fresh measuring process: A B, B A, A B, … with the ratio of each
// pair, each elsewhere in memory. A task passes if the choice is at most 2 % slower in both. Finished tasks are kept in
// out/choice.jsonl, so an interrupted run goes on where it stopped.
//
//     npm run bench:choice
//     npm run bench:choice -- --seconds 6 --rounds 60 --only wasm
//     npm run bench:choice -- --fresh

import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { digestOf, instantiate, type Op, opLibrary, type TargetName } from "../../src/compiler/index.ts";
import { withPrivateDirectory } from "../../src/native/file/private-directory.ts";
import { nowMs } from "../../src/native/machine/clock.ts";
import { bestTargetName, detectMachine, hostTarget } from "../../src/native/machine/machine.ts";
import { createRunner, type Runner } from "../../src/native/runner/client.ts";
import type { Runnable } from "../../src/native/runner/protocol.ts";
import { toolchainFor } from "../../src/native/toolchain/detect.ts";
import type { TuningTask } from "../../src/tuner/data/task.ts";
import { median, noiseOf, quantile } from "../../src/tuner/measure/statistics.ts";
import { memoryDatabase } from "../../src/tuner/record/database.ts";
import { strategies } from "../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../src/tuner/space/generate.ts";
import { tune } from "../../src/tuner/tuning/tune.ts";
import { referenceTask } from "../../src/tuner/workbench/reference.ts";
import { createWorkbench, type Workbench } from "../../src/tuner/workbench/workbench.ts";
import { readyCandidates } from "./ready-candidates.ts";

const { conv2d, depthwiseConv2d, gemm, layerNorm, map, softmax } = opLibrary;

const operators: Readonly<Record<string, Op>> = {
  "gemm 64x64x64": gemm({ M: 64, N: 64, K: 64 }),
  "gemm 37x53x71": gemm({ M: 37, N: 53, K: 71 }),
  "gemm 128x96x80 bias gelu": gemm({ M: 128, N: 96, K: 80 }, { bias: true, activation: "gelu" }),
  "gemm 16x256x256": gemm({ M: 16, N: 256, K: 256 }),
  "conv2d 14x14 32-32 3x3": conv2d({ H: 14, W: 14, C: 32, F: 32, padding: 1 }),
  "conv2d 14x14 64-64 1x1": conv2d({ H: 14, W: 14, C: 64, F: 64, KH: 1, KW: 1 }),
  "depthwise 28x28 32 3x3": depthwiseConv2d({ H: 28, W: 28, C: 32, padding: 1 }),
  "softmax 64x256": softmax({ M: 64, N: 256 }),
  "layerNorm 64x384": layerNorm({ M: 64, N: 384 }),
  "map 65536": map({ N: 65_536 }, (a, b) => a.mul(0.5).add(b)),
};

const { values: given } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "60" },
    only: { type: "string", default: "" },
    fresh: { type: "boolean", default: false },
    out: { type: "string", default: "out/choice.jsonl" },
  },
});
const seconds = Number(given.seconds);
const rounds = Number(given.rounds);

const sampleNs = 500_000;
const allowed = 1.02;
const wanted = 0.95;

interface Choice {
  readonly task: string;
  /** Changes with the operator and with what was asked for. */
  readonly key: string;
  readonly trials: number;
  readonly medianNs: number;
  readonly noise: number;
  /** Ratios of each run: the choice's times over the runner-up's. Empty: nothing else ran. */
  readonly runs: readonly Ratios[];
}

interface Ratios {
  readonly median: number;
  readonly p20: number;
  readonly p80: number;
}

/** A choice without a runner-up is none: too little was measured. */
const passes = ({ runs }: Choice): boolean => runs.length > 0 && runs.every((run) => run.median <= allowed);

interface Named {
  readonly name: string;
  readonly key: string;
  readonly task: TuningTask;
}

function taskOf(title: string, op: Op, target: TargetName): Named {
  const def = instantiate(op, {}, "choice");
  const task: TuningTask = { op: def, target: { ...hostTarget(target), threads: 1 }, numerics: "fast", threads: 1 };
  return { name: `${title} ${target}`, key: `${digestOf(def).slice(0, 12)} ${seconds} s ${rounds} rounds`, task };
}

async function choose({ name, key, task }: Named): Promise<Choice> {
  return withPrivateDirectory(async (directory) => {
    const toolchain = await toolchainFor(task.target);
    const open = (): Workbench => createWorkbench({ task: referenceTask(task), toolchain, directory });
    const { winner, measured } = await used(open(), (workbench) =>
      tune(task, generateSpace(task), {
        budget: { seconds, trials: 512 },
        strategy: strategies.default,
        seed: 1,
        taskKey: digestOf(task.op),
        database: memoryDatabase(),
        workbench,
        clock: nowMs,
      }),
    );
    if (!winner) throw new Error(`${name}: nothing ran`);
    const runs: Ratios[] = [];
    const { candidate, runnerUp, medianNs, timing } = winner;
    const pair = runnerUp ? await readyCandidates(task, [candidate, runnerUp], directory) : null;
    for (const turn of [0, 1]) if (pair) runs.push(await compare(task, pair, turn));
    return { task: name, key, trials: measured, medianNs, noise: noiseOf(timing), runs };
  });
}

async function used<T>(workbench: Workbench, work: (workbench: Workbench) => Promise<T>): Promise<T> {
  try {
    return await work(workbench);
  } finally {
    await workbench.close();
  }
}

/** Compares two candidates in a process of its own. They take turns at being first; the first pair, in which both are loaded, is left out. */
async function compare(task: TuningTask, pair: readonly Runnable[], turn: number): Promise<Ratios> {
  const runner = createRunner({ relaxedSimd: true });
  runner.setTask(referenceTask(task));
  const ratios: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const times = [0, 0];
      runner.forget();
      for (const at of (round + turn) % 2 === 0 ? [0, 1] : [1, 0]) times[at] = await sample(runner, pair[at]!);
      if (round > 0) ratios.push(times[0]! / times[1]!);
    }
  } finally {
    await runner.close();
  }
  return { median: median(ratios), p20: quantile(ratios, 0.2), p80: quantile(ratios, 0.8) };
}

async function sample(runner: Runner, candidate: Runnable): Promise<number> {
  const outcome = await runner.sample(candidate, sampleNs);
  if (outcome.kind !== "ok") throw new Error(`it ran before: ${outcome.kind}`);
  return outcome.samplesNs[0]!;
}

function finished(): ReadonlyMap<string, Choice> {
  if (given.fresh) rmSync(given.out, { force: true });
  if (!existsSync(given.out)) return new Map();
  const lines = readFileSync(given.out, "utf8").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => JSON.parse(line) as Choice).map((choice) => [`${choice.task} ${choice.key}`, choice]),
  );
}

function row(choice: Choice): string {
  const { task, trials, medianNs, noise, runs } = choice;
  const said = runs.map((run) => `${run.median.toFixed(3)} (${run.p20.toFixed(3)} … ${run.p80.toFixed(3)})`);
  const time = `${(medianNs / 1000).toFixed(1)} µs ±${(100 * noise).toFixed(0)} %`;
  const verdict = passes(choice) ? "ok" : "LOST";
  return `${task.padEnd(32)} ${String(trials).padStart(4)} trials ${time.padStart(16)}  ${said.join("  ") || "no runner-up"}  ${verdict}`;
}

const native = bestTargetName(detectMachine());
const targetNames: readonly TargetName[] = native === "wasm" ? ["wasm"] : ["wasm", native];
const tasks = Object.entries(operators)
  .flatMap(([title, op]) => targetNames.map((target) => taskOf(title, op, target)))
  .filter(({ name }) => name.includes(given.only));

mkdirSync(dirname(given.out), { recursive: true });
const known = finished();
const choices: Choice[] = [];
console.log("time of the choice over the runner-up's: median (p20 … p80) of each run\n");
for (const task of tasks) {
  const before = known.get(`${task.name} ${task.key}`);
  const choice = before ?? (await choose(task));
  if (!before) appendFileSync(given.out, `${JSON.stringify(choice)}\n`);
  choices.push(choice);
  console.log(row(choice));
}
const won = choices.filter(passes).length;
console.log(`\nthe choice wins or is within ${Math.round(100 * (allowed - 1))} % in ${won} of ${choices.length} tasks`);
process.exitCode = won >= Math.floor(wanted * choices.length) ? 0 : 1;
