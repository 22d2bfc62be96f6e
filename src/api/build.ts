// One schedule of an operator → an artifact: a WASM module in memory, or an addon on disk.

import { mkdir } from "node:fs/promises";
import { DiagnosticError, needsToolchain, type Op, printTrace, refuse } from "../compiler/index.ts";
import type { Artifact, ArtifactInfo } from "../native/addon/artifact.ts";
import { makeArtifact } from "../native/backend/artifact.ts";
import { toolchainFor, withoutCompiler } from "../native/toolchain/detect.ts";
import type { Candidate } from "../tuner/data/space.ts";
import { candidateKernel } from "../tuner/kernel/candidate-kernel.ts";
import { type KernelOptions, spaceOf, taskOf } from "./task.ts";

export interface BuildOptions extends KernelOptions {
  /** Folder for the addon of a native target. */
  readonly outDir: string;
  /** Whether the addon can time itself. */
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
  const kernel = candidateKernel(task, spaceOf(task, options), schedule, { verify: true });
  if (kernel.kind === "illegal") throw new DiagnosticError(kernel.diagnostic);
  const { prepare, trace } = kernel;
  const source = relaxed ? kernel.relaxed() : kernel.source;
  const { constants } = task;
  const info: ArtifactInfo = {
    op: task.op.name,
    parameters: task.op.parameters,
    target: task.target.own ?? task.target.name,
    numerics: task.numerics,
    schedule: printTrace(trace),
  };
  const toolchain = await toolchainFor(task.target);
  if (needsToolchain(task.target)) {
    if (!toolchain) throw withoutCompiler(task.target);
    await mkdir(outDir, { recursive: true });
  }
  const artifact = await makeArtifact({ source, prepare, constants: constants ?? null }, { outDir, toolchain, bench });
  if (artifact.kind !== "build-failed") return { ...artifact, info };
  const hint = "name another compiler: UNPLUGIN_KERNEL_COMPILER";
  throw refuse("build.failed", artifact.reason, hint);
}
