// One schedule of an operator → an artifact: a WASM module or a GPU's code in memory, or an addon on disk.

import { mkdir } from "node:fs/promises";
import {
  DiagnosticError,
  type GeneratedKernel,
  isCudaSource,
  isWgslSource,
  malformed,
  needsToolchain,
  type Op,
  printTrace,
  refuse,
} from "../compiler/index.ts";
import type {
  Artifact,
  ArtifactInfo,
  CpuArtifact,
  CudaArtifact,
  GpuArtifact,
  WasmArtifact,
  WebgpuArtifact,
} from "../native/addon/artifact.ts";
import { makeArtifact } from "../native/backend/artifact.ts";
import { compileFunctions } from "../native/cuda/compile-functions.ts";
import { cudaTools } from "../native/cuda/compiler.ts";
import { toolchainFor, withoutCompiler } from "../native/toolchain/detect.ts";
import type { Candidate } from "../tuner/data/space.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import { candidateKernel } from "../tuner/kernel/candidate-kernel.ts";
import { predict } from "../tuner/search/predict.ts";
import { boundsOf } from "../tuner/workbench/measurable.ts";
import { checkArtifact } from "./check-artifact.ts";
import { type KernelOptions, spaceOf, taskOf } from "./task.ts";

export interface BuildOptions extends KernelOptions {
  /** Folder for the addon of a native target, which is the only one that has files. */
  readonly outDir?: string;
  /** Whether the addon can time itself. */
  readonly bench?: boolean;
  readonly relaxed?: boolean;
  /**
   * Whether a kernel for CPUs is run once against the reference, in a process of its own, where this machine runs its target and the right
   * answers take no more than five seconds; default: true.
   */
  readonly check?: boolean;
  /** Twin of a kernel for a GPU, which answers calls that are not `async`; default: `"wasm"`, with the schedule that is predicted. */
  readonly fallback?: "wasm" | "none";
}

/** The type of artifact that `build` returns for a target. */
export type ArtifactFor<Target> = Target extends "webgpu"
  ? WebgpuArtifact
  : Target extends `cuda-${string}`
    ? CudaArtifact
    : Target extends "wasm"
      ? WasmArtifact
      : Artifact;

/**
 * Builds one schedule, every pass verified.
 *
 * @throws DiagnosticError if there is no compiler, or it refuses; `verify.wrong` if what it makes computes something else
 * @example const artifact = await build(gemm, schedule, { target: "cuda-sm90" });
 */
export async function build<const Target extends KernelOptions["target"]>(
  op: Op,
  schedule: Candidate,
  options: BuildOptions & { readonly target: Target },
): Promise<ArtifactFor<Target>> {
  const task = taskOf(op, options);
  const kernel = candidateKernel(task, spaceOf(task, options), schedule, { verify: true });
  if (kernel.kind === "illegal") throw new DiagnosticError(kernel.diagnostic);
  const info: ArtifactInfo = {
    op: task.op.name,
    parameters: task.op.parameters,
    target: task.target.own ?? task.target.name,
    numerics: task.numerics,
    schedule: printTrace(kernel.trace),
  };
  const artifact =
    (await gpuArtifact(op, task, kernel, options)) ?? (await cpuArtifact(task, { schedule, kernel }, options));
  return { ...artifact, info } as unknown as ArtifactFor<Target>;
}

type Ready = Extract<ReturnType<typeof candidateKernel>, { readonly kind: "ok" }>;

async function cpuArtifact(
  task: TuningTask,
  { schedule, kernel }: { readonly schedule: Candidate; readonly kernel: Ready },
  options: BuildOptions,
): Promise<CpuArtifact> {
  const { relaxed = false, bench = false, outDir = "" } = options;
  const source = relaxed ? kernel.relaxed() : kernel.source;
  const toolchain = await toolchainFor(task.target);
  if (needsToolchain(task.target)) {
    if (outDir === "") throw malformed("outDir is missing", "name the folder for the addon");
    if (!toolchain) throw withoutCompiler(task.target);
    await mkdir(outDir, { recursive: true });
  }
  const parts = { source, prepare: kernel.prepare, constants: task.constants ?? null };
  const artifact = await makeArtifact(parts, { outDir, toolchain, bench });
  if (artifact.kind === "build-failed")
    throw refuse("build.failed", artifact.reason, "name another compiler: UNPLUGIN_KERNEL_COMPILER");
  if (options.check === false) return artifact;
  const bounds = boundsOf(task, spaceOf(task, options), schedule);
  await checkArtifact(task, { ...source, prepare: kernel.prepare, bounds }, artifact);
  return artifact;
}

/** Null: the target is no GPU. */
async function gpuArtifact(
  op: Op,
  task: TuningTask,
  kernel: GeneratedKernel,
  options: BuildOptions,
): Promise<GpuArtifact | null> {
  const { source, prepare } = kernel;
  const { constants } = task;
  if (isWgslSource(source)) {
    const packing = constants && { constants, prepare: prepare && isWgslSource(prepare) ? prepare : null };
    return { kind: "webgpu", source, twin: await twinOf(op, options), ...(packing && { packing }) };
  }
  if (!isCudaSource(source)) return null;
  const tools = await cudaTools();
  const sources = [source, ...(prepare && isCudaSource(prepare) ? [prepare] : [])];
  const { architecture, functions } = await compileFunctions(sources, tools).catch((error: Error) => {
    const why = `${tools.identity} refused the kernel: ${error.message}`;
    throw refuse("build.failed", why, "name another NVRTC: UNPLUGIN_KERNEL_NVRTC");
  });
  return {
    kind: "cuda",
    architecture,
    kernels: functions.map((code, at) => ({ ...code, parameters: sources[at]!.parameters })),
    twin: await twinOf(op, options),
    ...(constants && { packing: { constants, prepare: sources.length > 1 ? 1 : null } }),
  };
}

/** The same operator for the CPU, by the schedule that is predicted; the GPU's rules and templates are none for it. */
async function twinOf(
  op: Op,
  { parameters, numerics, constants, check, fallback = "wasm" }: BuildOptions,
): Promise<WasmArtifact | null> {
  if (fallback === "none") return null;
  const options = {
    target: "wasm",
    ...(parameters && { parameters }),
    ...(numerics && { numerics }),
    ...(constants && { constants }),
    ...(check === false && { check }),
  } as const;
  const task = taskOf(op, options);
  const schedule = predict(spaceOf(task, options));
  return schedule && build(op, schedule, options);
}
