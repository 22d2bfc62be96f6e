// Our kernel of a work: tuned once on this machine and kept, so that a bench goes on where it stopped.

import { codegenVersion, digestOf, isWasmSource } from "../../../src/compiler/index.ts";
import { wasmRunnable } from "../../../src/native/backend/wasm.ts";
import { nowMs } from "../../../src/native/machine/clock.ts";
import { detectMachine } from "../../../src/native/machine/machine.ts";
import type { Runnable } from "../../../src/native/runner/protocol.ts";
import { toolchainFor } from "../../../src/native/toolchain/detect.ts";
import { targetClass } from "../../../src/tuner/data/key.ts";
import type { Candidate } from "../../../src/tuner/data/space.ts";
import type { TuningTask } from "../../../src/tuner/data/task.ts";
import { candidateKernel } from "../../../src/tuner/kernel/candidate-kernel.ts";
import { memoryDatabase } from "../../../src/tuner/record/database.ts";
import { strategies } from "../../../src/tuner/search/strategy/strategies.ts";
import { generateSpace } from "../../../src/tuner/space/generate.ts";
import { tune } from "../../../src/tuner/tuning/tune.ts";
import { boundsOf } from "../../../src/tuner/workbench/measurable.ts";
import { referenceTask } from "../../../src/tuner/workbench/reference.ts";
import { createWorkbench } from "../../../src/tuner/workbench/workbench.ts";
import { appendLine, readLines } from "../json-lines.ts";
import { codeDigest, type Measured, type Provenance, provenance } from "../provenance.ts";
import { readyCandidates } from "../ready-candidates.ts";

export interface TuneSettings {
  readonly seconds: number;
  /** Most candidates of a search; default: 4096. */
  readonly trials?: number;
  readonly seed: number;
  /** Tunes again what was tuned. */
  readonly isFresh: boolean;
  /** File of the schedules that were tuned before. */
  readonly path: string;
  readonly directory: string;
}

interface Kept {
  readonly key: string;
  readonly candidate: Candidate;
  readonly trials: number;
  readonly tuneMs: number;
}

export interface Ours extends Omit<Kept, "key"> {
  readonly runnable: Runnable;
  /** Code, day and machine of the tuning, which may be those of an earlier run. */
  readonly tuned: Provenance;
}

/** Key of a tuning that is kept. Another state of the compiler or of the search finds other schedules, so a row of today never has an older one. */
const keyOf = ({ op, target, threads, constants = [] }: TuningTask, seed: number): string =>
  [
    digestOf(op),
    targetClass(target),
    threads,
    ...constants,
    `seed ${seed}`,
    `code ${codegenVersion} ${codeDigest()}`,
    // Engines compile the same module to other code.
    ...(target.backend === "wasm" ? [process.version.split(".")[0]] : []),
  ].join(" ");

export async function tunedKernel(task: TuningTask, settings: TuneSettings): Promise<Ours> {
  const { seed, path, directory } = settings;
  const key = keyOf(task, seed);
  const known = settings.isFresh ? null : readLines<Kept & Measured>(path).findLast((kept) => kept.key === key);
  const { candidate, trials, tuneMs } = known ?? (await tuned(task, settings));
  if (!known) appendLine(path, { key, candidate, trials, tuneMs });
  return {
    candidate,
    trials,
    tuneMs,
    tuned: known?.measured ?? provenance(),
    runnable: relaxedKernel(task, candidate) ?? (await builtKernel(task, candidate, directory)),
  };
}

async function builtKernel(task: TuningTask, candidate: Candidate, directory: string): Promise<Runnable> {
  const [runnable] = await readyCandidates(task, [candidate], directory);
  return runnable!;
}

/** The twin with fused products and sums, which imports come with. Null: this engine has no use for it. */
function relaxedKernel(task: TuningTask, candidate: Candidate): Runnable | null {
  if (task.target.backend !== "wasm") return null;
  const space = generateSpace(task);
  const kernel = candidateKernel(task, space, candidate);
  const source = kernel.kind === "ok" ? kernel.relaxed() : null;
  if (kernel.kind !== "ok" || !source || !isWasmSource(source) || !WebAssembly.validate(source.bytes)) return null;
  const { prepare } = kernel;
  const bounds = boundsOf(task, space, candidate);
  const preparation = prepare &&
    isWasmSource(prepare) && {
      kernel: wasmRunnable(prepare),
      parameters: prepare.parameters,
      used: source.parameters,
    };
  return { ...wasmRunnable(source), bounds, ...(preparation && { preparation }) };
}

async function tuned(
  task: TuningTask,
  { seconds, trials = 4096, seed, directory }: TuneSettings,
): Promise<Omit<Kept, "key">> {
  const toolchain = await toolchainFor(task.target);
  const { cores } = detectMachine();
  const { threads } = task;
  const workbench = createWorkbench({ task: referenceTask(task), toolchain, directory, cores, threads });
  try {
    const result = await tune(task, generateSpace(task), {
      budget: { seconds, trials },
      strategy: strategies.default,
      seed,
      taskKey: digestOf(task.op),
      database: memoryDatabase(),
      workbench,
      clock: nowMs,
    });
    if (!result.winner) throw new Error("nothing ran");
    return { candidate: result.winner.candidate, trials: result.measured, tuneMs: result.elapsedMs };
  } finally {
    await workbench.close();
  }
}
