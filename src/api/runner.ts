// The part of `unplugin-kernel/api` that has the candidates of a tuning measured on a fleet: option `runner` → a workbench.

import { DiagnosticError } from "../compiler/index.ts";
import { detectMachine, whyNotMeasuredHere } from "../native/machine/machine.ts";
import type { CacheState } from "../native/runner/protocol.ts";
import type { Fleet } from "../plugin/fleet/open-fleet.ts";
import { fleetKey } from "../plugin/options/options.ts";
import type { TuningTask } from "../tuner/data/task.ts";
import type { OwnRunner } from "../tuner/workbench/own-runner.ts";
import type { Workbench } from "../tuner/workbench/workbench.ts";
import type { KernelOptions } from "./task.ts";

/** Workers that take jobs from Redis measure, in place of this machine: `npx unplugin-kernel worker`. docs/fleet.md */
export interface QueueRunner {
  readonly kind: "queue";
  /** URL of the Redis: "redis://127.0.0.1:6379". */
  readonly redis: string;
  /**
   * File of the operator, below the root of the workers' checkouts, with slashes: its default export with `parameters` has to be
   * the operator that is tuned. Workers never run code that a job brings.
   */
  readonly file: string;
  /** Secret that signs jobs and results; default: the environment's UNPLUGIN_KERNEL_QUEUE_KEY, or none. */
  readonly key?: string;
  /** Milliseconds that a server which went away is waited for; default: 10,000. */
  readonly patienceMs?: number;
}

export interface RunnerOptions extends KernelOptions {
  /** Machines that measure the candidates; default: this one. */
  readonly runner?: QueueRunner | OwnRunner;
  readonly cache?: CacheState;
  readonly signal?: AbortSignal;
  readonly onWarning?: (warning: string) => void;
}

export interface ChosenBench {
  readonly workbench: Workbench;
  close(): Promise<void>;
}

/** Says whether the option names a fleet, and not a runner of the user's. */
export const isQueue = (runner: QueueRunner | OwnRunner | undefined): runner is QueueRunner =>
  typeof runner === "object" && runner !== null && "kind" in runner;

/** Puts the fleet of option `runner` before the workbench of this machine, if there is one that serves the target. */
export async function benchOf(options: RunnerOptions, task: TuningTask, local: Workbench): Promise<ChosenBench> {
  const { runner, rules = [], templates, postprocessors = [], cache = "hot", signal, onWarning = () => {} } = options;
  const here: ChosenBench = { workbench: local, close: async () => undefined };
  if (!isQueue(runner)) return here;
  if (rules.length > 0 || templates || postprocessors.length > 0) {
    onWarning("rules, templates and postprocessors of one's own are not sent to a fleet; this machine measures itself");
    return here;
  }
  if (task.target.own !== undefined || task.target.intrinsics) {
    onWarning("targets and intrinsics of one's own are not known to a fleet; this machine measures itself");
    return here;
  }
  const fleet = await fleetOf(runner, signal, onWarning);
  if (!fleet) return here;
  const of = fleet.classFor(task.target);
  if (!of) {
    await fleet.close();
    onWarning(
      `no worker of the fleet is of this machine's class for ${task.target.name}; this machine measures itself`,
    );
    return here;
  }
  const [{ fleetWorkbench }, { operatorDigest }] = await Promise.all([
    import("../plugin/fleet/fleet-workbench.ts"),
    import("../tuner/fleet/job.ts"),
  ]);
  const operator = { file: runner.file, parameters: options.parameters ?? {}, digest: operatorDigest(task.op) };
  const isMeasurableHere = whyNotMeasuredHere(task.target, detectMachine()) === null;
  const workbench = fleetWorkbench({ fleet, of, task, operator, local, isMeasurableHere, cache });
  return { workbench, close: () => fleet.close() };
}

async function fleetOf(
  { redis, key, patienceMs }: QueueRunner,
  signal: AbortSignal | undefined,
  warn: (line: string) => void,
): Promise<Fleet | null> {
  if (!URL.canParse(redis) || !/^rediss?:$/.test(new URL(redis).protocol)) {
    throw badRunner(`runner.redis is ${JSON.stringify(redis)}`, "a URL such as redis://127.0.0.1:6379");
  }
  if (key === "")
    throw badRunner("runner.key is empty", "a secret, or no key: then UNPLUGIN_KERNEL_QUEUE_KEY, if it is set");
  const [{ openFleet }, { openRedisQueue }] = await Promise.all([
    import("../plugin/fleet/open-fleet.ts"),
    import("../plugin/fleet/redis-queue.ts"),
  ]);
  const open = () => openRedisQueue({ url: redis, ...(patienceMs !== undefined && { patienceMs }) });
  return openFleet({ open, key: key ?? fleetKey(), signal, warn });
}

const badRunner = (message: string, wanted: string): DiagnosticError =>
  new DiagnosticError({ code: "options.bad-value", message, loc: null, hint: `wanted: ${wanted}`, detail: null });
