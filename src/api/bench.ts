// The part of `unplugin-kernel/api` that makes what measures candidates: this machine's compiler and measuring process, or a
// builder and a runner that a user brings.

import { detectMachine } from "../native/machine/machine.ts";
import type { CacheState } from "../native/runner/protocol.ts";
import type { Toolchain } from "../native/toolchain/toolchain.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import { createArtifactBuilder, type OwnBuilder } from "../tuner/workbench/own-builder.ts";
import { type OwnRunner, ownRunner } from "../tuner/workbench/own-runner.ts";
import { referenceOf } from "../tuner/workbench/reference.ts";
import { createWorkbench, type Workbench, type WorkbenchOptions } from "../tuner/workbench/workbench.ts";

export interface BenchOptions {
  /** Builder of your own in place of the compiler that is found here: docs/extending.md. */
  readonly builder?: OwnBuilder | undefined;
  readonly runner?: OwnRunner | undefined;
  readonly toolchain: Toolchain | null;
  /** Identity of the compiler that the back end brings; null: it is not here, undefined: it brings none. */
  readonly compiler: string | null | undefined;
  readonly directory: string;
  readonly cache?: CacheState | undefined;
  readonly samples?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws DiagnosticError `extension.malformed` of the builder or the runner */
export function workbenchFor(task: TuningTask, options: BenchOptions): Workbench {
  const { toolchain, compiler, directory, cache, samples, signal } = options;
  const settings: WorkbenchOptions = {
    ...referenceOf(task),
    toolchain,
    compiler,
    directory,
    signal,
    cores: detectMachine().cores,
    threads: task.threads,
    ...(cache && { cache }),
    ...(samples && { samples }),
  };
  return createWorkbench({ ...settings, ...ownParts(task, options) });
}

/** Returns builder and runner, where one of them is a user's. */
function ownParts(
  { constants = [] }: TuningTask,
  { builder, runner, toolchain, directory, signal }: BenchOptions,
): Pick<WorkbenchOptions, "builder" | "runner" | "measuredBy"> {
  if (!builder && !runner) return {};
  const artifacts = createArtifactBuilder({ builder, toolchain, directory, constants, signal });
  const names = [...(builder ? [`built by ${builder.name}`] : []), ...(runner ? [`run by ${runner.name}`] : [])];
  const parts = { builder: artifacts, measuredBy: names.join(", ") };
  return runner ? { ...parts, runner: ownRunner(runner, artifacts.artifactOf) } : parts;
}
