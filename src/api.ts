// `unplugin-kernel/api`: the parts of the plugin for programs of your own. Search an operator's schedules, build one,
// load and call it, or look at what there is to search.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type ComputeDef,
  DiagnosticError,
  digestOf,
  factsOf,
  instantiate,
  type Numerics,
  type Op,
  type Parameters,
  printComputeDef,
  printTrace,
  type TargetName,
} from "./compiler/index.ts";
import type { Artifact } from "./native/artifact.ts";
import { buildNative } from "./native/build.ts";
import { nowMs } from "./native/clock.ts";
import { loadNative } from "./native/load/load-native.ts";
import { loadWasm } from "./native/load/load-wasm.ts";
import { withPrivateDirectory } from "./native/private-directory.ts";
import { noCompiler } from "./native/toolchain/compilers.ts";
import { detectToolchains, wantedFamilies } from "./native/toolchain/detect.ts";
import { detectMachine, hostTarget } from "./native/toolchain/machine.ts";
import { candidateKernel, candidateTrace } from "./tuner/candidate-kernel.ts";
import { type DumpedStage, dumpStages } from "./tuner/dump-stages.ts";
import { predict } from "./tuner/predict.ts";
import { openDatabase } from "./tuner/record/database.ts";
import { referenceTask } from "./tuner/reference.ts";
import { strategies } from "./tuner/search/strategies.ts";
import type { Strategy, StrategyName } from "./tuner/search/strategy.ts";
import { explainSpace } from "./tuner/space/explain-space.ts";
import { type GeneratedSpace, generateSpace } from "./tuner/space/generate.ts";
import { defaultRules } from "./tuner/space/rule/index.ts";
import type { SpaceRule } from "./tuner/space/rule/space-rule.ts";
import type { Candidate, Space } from "./tuner/space/space.ts";
import type { Budget, TuningTask } from "./tuner/task.ts";
import { tune as runTuning, type TuneProgress } from "./tuner/tune.ts";
import { createWorkbench } from "./tuner/workbench.ts";

export { DiagnosticError } from "./compiler/index.ts";
export type { Artifact } from "./native/artifact.ts";
export type { Strategy } from "./tuner/search/strategy.ts";
export * as rules from "./tuner/space/rule-authoring.ts";
export type { Candidate as Schedule } from "./tuner/space/space.ts";

export interface KernelOptions {
  readonly target: TargetName | "native";
  /** Values for the operator's parameters; its defaults for the others. */
  readonly parameters?: Parameters;
  readonly numerics?: Numerics;
  /** Rules of your own for generating the space, asked before ours: docs/rules.md. A schedule belongs to its rules. */
  readonly rules?: readonly SpaceRule[];
}

export interface TuneOptions extends KernelOptions {
  readonly budget?: Partial<Budget>;
  /** The same seed and the same records give the same sequence of candidates. */
  readonly seed?: number;
  /** One of ours by name, or one of your own. */
  readonly strategy?: StrategyName | Strategy;
  /** Keep and use records here; by default nothing is kept. */
  readonly records?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TuneProgress) => void;
}

export interface Tuned {
  readonly schedule: Candidate;
  readonly medianNs: number;
  readonly gflops: number;
  readonly measured: number;
  readonly elapsedMs: number;
  /** Candidates that did not run or computed wrong results. */
  readonly failed: number;
}

/**
 * Finds a schedule by measuring on this machine.
 *
 * @throws DiagnosticError `space.empty`, `tune.nothing-ran`
 * @example const { schedule, gflops } = await tune(gemm, { target: "native", budget: { seconds: 10 } });
 */
export function tune(op: Op, options: TuneOptions): Promise<Tuned> {
  return withPrivateDirectory((directory) => tuneIn(directory, taskOf(op, options), options));
}

async function tuneIn(directory: string, task: TuningTask, options: TuneOptions): Promise<Tuned> {
  const { budget, seed = 1, strategy = "default", records, signal, onProgress } = options;
  const space = spaceOf(task, options);
  const toolchain = task.target.codegen === "c" ? ((await detectToolchains())[0] ?? null) : null;
  const workbench = createWorkbench({
    task: referenceTask(task),
    toolchain,
    directory,
    signal,
    jobs: detectMachine().cores,
  });
  try {
    const { winner, measured, elapsedMs, failures } = await runTuning(task, space, {
      budget: { seconds: 30, trials: 512, ...budget },
      strategy: typeof strategy === "string" ? strategies[strategy] : strategy,
      seed,
      taskKey: digestOf(task.op),
      database: openDatabase(records ?? join(directory, "records.jsonl")),
      workbench,
      clock: nowMs,
      signal,
      onProgress,
    });
    if (!winner && failures.length === 0) throw emptySpace(space);
    if (!winner) throw refusal("tune.nothing-ran", `no candidate of ${task.op.name} could be built and measured`, null);
    const gflops = factsOf(task.op).flops / winner.medianNs;
    return {
      schedule: winner.candidate,
      medianNs: winner.medianNs,
      gflops,
      measured,
      elapsedMs,
      failed: failures.length,
    };
  } finally {
    await workbench.close();
  }
}

/** The schedule that the analytic prior likes best. Measures nothing. */
export function predictSchedule(op: Op, options: KernelOptions): Candidate {
  const space = spaceOf(taskOf(op, options), options);
  const schedule = predict(space);
  if (schedule) return schedule;
  throw emptySpace(space);
}

function emptySpace(space: Space): DiagnosticError {
  const { message, detail } = explainSpace(space);
  return refusal("space.empty", message, detail);
}

export interface BuildOptions extends KernelOptions {
  /** Where a native target's addon is put. */
  readonly outDir: string;
  /** The addon can time itself. */
  readonly bench?: boolean;
  readonly relaxed?: boolean;
}

/**
 * Builds one schedule, every pass verified.
 *
 * @throws DiagnosticError if there is no compiler, or it refuses
 */
export async function build(op: Op, schedule: Candidate, options: BuildOptions): Promise<Artifact> {
  const task = taskOf(op, options);
  const { relaxed = false, bench = false, outDir } = options;
  const kernel = candidateKernel(task, spaceOf(task, options), schedule, { verify: true, relaxed });
  if (kernel.kind === "illegal") throw new DiagnosticError(kernel.diagnostic);
  if (kernel.source.kind === "wasm") return { kind: "wasm", source: kernel.source };
  const [toolchain] = await detectToolchains();
  if (!toolchain) throw withoutCompiler();
  await mkdir(outDir, { recursive: true });
  const artifact = await buildNative([kernel.source], { outDir, toolchain, bench });
  if (artifact.kind === "native") return artifact;
  throw refusal("build.failed", artifact.reason, null);
}

/** A kernel that can be called: inputs, then outputs, in the order of the operator. */
export interface LoadedKernel {
  call(...arrays: Arrays): void;
  /** Nanoseconds of one run, one number a sample; only of addons built with `bench`. */
  bench?(arrays: Arrays, samples: number, maxNs: number, inner?: number): Float64Array;
}
type Arrays = readonly Float32Array<ArrayBuffer>[];

export function load(artifact: Artifact): LoadedKernel {
  if (artifact.kind === "wasm") {
    const kernel = loadWasm(artifact.source);
    return { call: (...arrays) => kernel.call(arrays) };
  }
  const loaded = loadNative(artifact.path, { features: artifact.kernels[0]!.features });
  if (loaded.kind === "unavailable") throw refusal("target.unavailable", loaded.reason, null);
  const { kernels } = loaded;
  return {
    call: (...arrays) => void kernels.call(0, ...arrays),
    ...(kernels.bench && {
      bench: (arrays, samples, maxNs, inner) => kernels.bench!(0, arrays, samples, maxNs, inner),
    }),
  };
}

/** Every stage of one schedule as numbered texts: `for (const { name, text } of dump(…)) writeFileSync(name, text)`. */
export function dump(op: Op, schedule: Candidate, options: KernelOptions): readonly DumpedStage[] {
  const task = taskOf(op, options);
  return dumpStages(task, spaceOf(task, options), schedule);
}

/** The expression, the templates with the sizes of their models, and the predicted schedule, as text. */
export function explain(op: Op, options: KernelOptions): string {
  const task = taskOf(op, options);
  const space = spaceOf(task, options);
  const candidate = predict(space);
  const templates = space.templates.map(({ name, model }) => {
    const keys = model.variables.filter(({ key }) => key).length;
    return `  ${name}: ${keys} tunables, ${model.constraints.length} constraints`;
  });
  const schedule = candidate ? printTrace(candidateTrace(space, candidate)!) : explainSpace(space).message;
  return [printComputeDef(task.op), "", "templates", ...templates, "", "predicted schedule", schedule].join("\n");
}

const spaceOf = (task: TuningTask, { rules = [] }: KernelOptions): GeneratedSpace =>
  generateSpace(task, [...rules, ...defaultRules]);

function taskOf(op: Op, { target, parameters = {}, numerics = "fast" }: KernelOptions): TuningTask {
  const def: ComputeDef = instantiate(op, parameters, "kernel");
  return { op: def, target: { ...hostTarget(target), threads: 1 }, numerics, threads: 1 };
}

function withoutCompiler(): DiagnosticError {
  const { message, hint } = noCompiler(wantedFamilies());
  return new DiagnosticError({ code: "target.no-compiler", message, loc: null, hint, detail: null });
}

const refusal = (code: string, message: string, detail: string | null): DiagnosticError =>
  new DiagnosticError({ code, message, loc: null, hint: null, detail });
