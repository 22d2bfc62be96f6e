// Schedules tuned for plain SIMD against schedules tuned for relaxed SIMD: each form of a WASM module is searched alone, from several seeds,
// then all winners run in both forms, in turns. Prints what one schedule for both forms costs each of them.
//
//     npm run bench:relaxed -- --seconds 40 --seeds 3
//     npm run bench:relaxed -- --node 24 --only conv2d       in another version of the engine; --show: the winners' decisions, too

import { parseArgs } from "node:util";
import { type ComputeDef, digestOf, factsOf, instantiate, opLibrary } from "../../src/compiler/index.ts";
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
import {
  createWorkbench,
  type MeasurableSource,
  type Refusal,
  type Workbench,
} from "../../src/tuner/workbench/workbench.ts";
import { cpuName } from "./cpu-name.ts";
import { settledQuantile } from "./sample-in-rounds.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "40" },
    seeds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    show: { type: "boolean", default: false },
  },
});
const { gemm, conv2d } = opLibrary;
const operators: Readonly<Record<string, ComputeDef>> = {
  "gemm 512x512x512": instantiate(gemm({ M: 512, N: 512, K: 512 }), {}, "gemm"),
  "conv2d 28x28x64 3x3 64": instantiate(conv2d({ H: 28, W: 28, C: 64, F: 64, padding: 1 }), {}, "conv2d"),
};
const forms = ["plain", "relaxed"] as const;
type Form = (typeof forms)[number];

interface Searched {
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
}

const deadlineMs = 60_000;
/** Rounds in which each kernel is measured in each form, and nanoseconds of one measurement. */
const [rounds, sampleNs] = [80, 5e6];

/** A candidate's module in a form. */
function sourceOf({ task, space }: Searched, candidate: Candidate, form: Form): MeasurableSource | Refusal {
  const plain = measurable(task, space, candidate);
  if (form === "plain" || plain.kind === "build-failed") return plain;
  const kernel = candidateKernel(task, space, candidate);
  if (kernel.kind !== "ok") throw new Error(kernel.diagnostic.message);
  return { ...plain, ...kernel.relaxed() } as MeasurableSource;
}

/** A workbench that measures one form of each candidate. */
function workbenchFor(searched: Searched, form: Form): Workbench {
  const local = createWorkbench({ task: referenceTask(searched.task), toolchain: null, directory: "" });
  const sources = (candidates: readonly Candidate[]) => candidates.map((it) => sourceOf(searched, it, form));
  return {
    ...local,
    byDecisions: {
      measure: (candidates, leftMs) => local.measure(sources(candidates), null, undefined, leftMs),
      race: (candidates, _, isOver, leftMs) => local.race(sources(candidates), isOver, leftMs),
    },
  };
}

async function winnerOf(searched: Searched, form: Form, seed: number): Promise<Candidate> {
  const workbench = workbenchFor(searched, form);
  try {
    const { winner, measured } = await tune(searched.task, searched.space, {
      budget: { seconds: Number(values.seconds), trials: 4096 },
      strategy: strategies.default,
      seed,
      taskKey: digestOf(searched.task.op),
      database: memoryDatabase(),
      workbench,
      clock: nowMs,
      convergence: null,
    });
    if (!winner) throw new Error("nothing ran");
    console.log(`  searched ${form}, seed ${seed}: ${measured} measured, ${(winner.medianNs / 1e6).toFixed(3)} ms`);
    return winner.candidate;
  } finally {
    await workbench.close();
  }
}

async function runnableOf(searched: Searched, candidate: Candidate, form: Form): Promise<Runnable> {
  const built = await withoutCompiler(sourceOf(searched, candidate, form), { directory: "" });
  if (built.kind !== "ready") throw new Error(built.reason);
  return built.candidate;
}

type Times = Readonly<Record<Form, readonly number[]>>;

/**
 * Nanoseconds of each candidate in both forms, all in turns in each of many rounds: what else the machine does falls on all alike, and nobody
 * is given up early, as a kernel that met a busy moment alone would seem slow.
 */
async function timesOf(searched: Searched, candidates: readonly Candidate[]): Promise<Times> {
  const runner = createRunner({ relaxedSimd: true, deadlineMs });
  try {
    runner.setTask(referenceTask(searched.task));
    const entrants = forms.flatMap((form) => candidates.map((candidate) => ({ form, candidate })));
    const runnables = await Promise.all(entrants.map(({ form, candidate }) => runnableOf(searched, candidate, form)));
    const samples = runnables.map((): number[] => []);
    const rng = createRng(1);
    for (let round = 0; round < rounds; round++) {
      for (const at of rng.shuffle([...runnables.keys()])) {
        const outcome = await runner.sample(runnables[at]!, sampleNs);
        if (outcome.kind !== "ok") throw new Error(`it ran before: ${outcome.kind}`);
        samples[at]!.push(Math.min(...outcome.samplesNs));
      }
    }
    const settled = samples.map((own) => quantile(own, settledQuantile));
    return { plain: settled.slice(0, candidates.length), relaxed: settled.slice(candidates.length) };
  } finally {
    await runner.close();
  }
}

const least = (times: readonly number[]): number => times.indexOf(Math.min(...times));

async function compare(name: string, op: ComputeDef): Promise<void> {
  console.log(name);
  const task: TuningTask = { op, target: { ...hostTarget("wasm"), threads: 1 }, numerics: "fast", threads: 1 };
  const searched = { task, space: generateSpace(task) };
  const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => at + 1);
  const found: { readonly form: Form; readonly candidate: Candidate }[] = [];
  for (const seed of seeds)
    for (const form of forms) found.push({ form, candidate: await winnerOf(searched, form, seed) });
  const candidates = found.map(({ candidate }) => candidate);
  const times = await timesOf(searched, candidates);
  /** The best that a form's own searches found, as it runs in that form. */
  const best = (form: Form): number => {
    const own = [...found.keys()].filter((at) => found[at]!.form === form);
    return own[least(own.map((at) => times[form][at]!))]!;
  };
  for (const [at, { form, candidate }] of found.entries()) {
    const [plain, relaxed] = forms.map((it) => times[it][at]!);
    console.log(`  of a search for ${form.padEnd(7)} ${speed(op, plain!)} plain, ${speed(op, relaxed!)} relaxed`);
    if (values.show) console.log(`    ${JSON.stringify(candidate)}`);
  }
  const [plain, relaxed] = forms.map(best);
  for (const form of forms) {
    const losses = [plain!, relaxed!].map((at) => times[form][at]! / Math.min(...times[form]) - 1);
    console.log(
      `  run ${form}: the best of plain loses ${percent(losses[0]!)}, the best of relaxed ${percent(losses[1]!)}`,
    );
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const speed = (op: ComputeDef, ns: number): string => `${(factsOf(op).flops / ns).toFixed(1)} GFLOP/s`;

console.log(`${cpuName()}, Node ${process.version}`);
for (const [name, op] of Object.entries(operators)) if (name.includes(values.only)) await compare(name, op);
