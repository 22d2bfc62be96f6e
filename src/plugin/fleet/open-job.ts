// A job → what measures it on this worker: the operator of the worker's own checkout, its task and space, and a workbench. The job
// names the operator's file and digest; code that it could bring is never asked for.

import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import {
  codegenVersion,
  DiagnosticError,
  instantiate,
  parameterDefaults,
  type TargetName,
} from "../../compiler/index.ts";
import { withPrivateDirectory } from "../../native/file/private-directory.ts";
import { toolchainFor } from "../../native/toolchain/detect.ts";
import { canonicalJson, targetClass } from "../../tuner/data/key.ts";
import type { Candidate } from "../../tuner/data/space.ts";
import { encodeTarget } from "../../tuner/data/target-json.ts";
import type { TuningTask } from "../../tuner/data/task.ts";
import { taskKey } from "../../tuner/data/task-key.ts";
import { type JobOperator, type MeasureJob, operatorDigest } from "../../tuner/fleet/job.ts";
import type { OpenedJob, OpenJob } from "../../tuner/fleet/run-job.ts";
import { targetOfClass, type WorkerClass } from "../../tuner/fleet/worker-class.ts";
import { batchSourcesOf } from "../../tuner/remote/run-batch.ts";
import { type GeneratedSpace, generateSpace } from "../../tuner/space/generate.ts";
import { openStore } from "../../tuner/store/store.ts";
import { referenceOf } from "../../tuner/workbench/reference.ts";
import { createWorkbench, type Workbench, type WorkbenchOptions } from "../../tuner/workbench/workbench.ts";
import { loadOp } from "../operator/load-op.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { checkParameters } from "../request/request.ts";
import { isBelow } from "../support/shown-path.ts";

export interface JobPlace {
  /** The worker's checkout: its root, store, and which files are operators. */
  readonly options: Pick<ResolvedOptions, "root" | "cacheDir" | "accepts">;
  readonly of: WorkerClass;
  readonly cores: number;
}

/** A task that is ready to be measured, kept for the next job, which is often of the same task. */
interface Prepared {
  readonly id: string;
  readonly task: TuningTask;
  readonly space: GeneratedSpace;
  readonly reference: Pick<WorkbenchOptions, "task" | "conditioned">;
}

export function jobOpener(place: JobPlace): OpenJob {
  let last: Prepared | null = null;
  return async (job, signal) => {
    try {
      const found = await taskOfJob(job, place);
      if (typeof found === "string") return { kind: "refused", reason: found };
      const { cache, target } = job.batch;
      const id = canonicalJson({ task: job.batch.task, target, operator: job.operator });
      if (last?.id !== id) last = { id, task: found, space: generateSpace(found), reference: referenceOf(found) };
      return await openMeasurer(last, cache, place, signal);
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      return { kind: "refused", reason: `${error.diagnostic.code}: ${error.diagnostic.message}` };
    }
  };
}

/** Returns the task, or why this worker does not measure the job. */
async function taskOfJob({ operator, batch }: MeasureJob, place: JobPlace): Promise<TuningTask | string> {
  if (batch.codegen !== codegenVersion) return `it is of version ${batch.codegen}, this is ${codegenVersion}`;
  if (batch.threads > place.cores) return `it wants ${batch.threads} threads, this machine has ${place.cores} cores`;
  const target = targetOfClass(place.of, batch.target.name as TargetName, batch.threads);
  if (target === null || canonicalJson(encodeTarget(target)) !== canonicalJson(batch.target))
    return "its target is not that of this class of machines";
  const op = await operatorOf(operator, place);
  if (typeof op === "string") return op;
  const { numerics, threads } = batch;
  if (canonicalJson(op.constants ?? null) !== canonicalJson(batch.constants)) return "its constants are others";
  const task: TuningTask = { op, target, numerics, threads, ...(op.constants && { constants: op.constants }) };
  return taskKey(task) === batch.task ? task : "it is of another operator, shape, type or space";
}

/** Loads the operator of this checkout, or says why not. */
async function operatorOf({ file, parameters, digest }: JobOperator, { options }: JobPlace) {
  const { root, cacheDir, accepts } = options;
  const path = resolve(root, file);
  const real = await realpath(path).catch(() => null);
  if (real === null) return `this checkout has no ${file}`;
  if (!isBelow(real, await realpath(root)) || !accepts(path)) return `${file} is no operator file of this checkout`;
  const { op: loaded } = await loadOp(path, { root, store: openStore(cacheDir) });
  const op = instantiate(loaded, checkParameters(file, parameterDefaults(loaded), parameters), "kernel");
  if (operatorDigest(op) === digest) return op;
  return `${file} of this checkout is another operator: bring it to the commit of who tunes`;
}

/** Opens a workbench in a directory that goes when the measurer is closed. */
function openMeasurer(
  { task, space, reference }: Prepared,
  cache: MeasureJob["batch"]["cache"],
  { cores, options }: JobPlace,
  signal: AbortSignal,
): Promise<OpenedJob> {
  return new Promise((resolveOpened, reject) => {
    withPrivateDirectory(async (directory) => {
      const toolchain = await toolchainFor(task.target, { project: options.root });
      const settings = { threads: task.threads, cores, cache };
      const workbench = createWorkbench({ ...reference, toolchain, directory, signal, ...settings });
      await new Promise<void>((close) => {
        const measurer = {
          targetClass: targetClass(task.target),
          toolchain: workbench.toolchain,
          measure: (candidates: readonly Candidate[]) => measurements(workbench, candidates, task, space),
          race: (candidates: readonly Candidate[]) => workbench.race([...batchSourcesOf(candidates, task, space)]),
          close: async () => close(),
        };
        resolveOpened({ kind: "open", measurer });
      });
      await workbench.close();
    }).catch(reject);
  });
}

async function* measurements(
  workbench: Workbench,
  candidates: readonly Candidate[],
  task: TuningTask,
  space: GeneratedSpace,
) {
  const outcomes = workbench.measure(batchSourcesOf(candidates, task, space), null);
  for (let next = await outcomes.next(); !next.done; next = await outcomes.next())
    if (next.value.kind !== "no-time") yield next.value;
}

/** Name of the folder separator in jobs, which are read on other systems. */
export const jobPath = (root: string, path: string): string => relative(root, path).split(sep).join("/");
