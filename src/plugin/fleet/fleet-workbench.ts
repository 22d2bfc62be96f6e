// A workbench whose candidates a fleet measures, by their decisions. All that needs their code, such as the check of twins, is done here.

import type { CacheState } from "../../native/runner/protocol.ts";
import type { TuningTask } from "../../tuner/data/task.ts";
import { taskKey } from "../../tuner/data/task-key.ts";
import { createFleetBench } from "../../tuner/fleet/fleet-bench.ts";
import type { JobOperator } from "../../tuner/fleet/job.ts";
import { predict } from "../../tuner/search/predict.ts";
import { type GeneratedSpace, generateSpace } from "../../tuner/space/generate.ts";
import type { Workbench } from "../../tuner/workbench/workbench.ts";
import type { Fleet, FleetClass } from "./open-fleet.ts";

export interface FleetWorkbenchOptions {
  readonly fleet: Fleet;
  readonly of: FleetClass;
  readonly task: TuningTask;
  readonly operator: JobOperator;
  readonly local: Workbench;
  /** Whether this machine can measure the task, if the fleet is lost. */
  readonly isMeasurableHere: boolean;
  readonly cache?: CacheState;
  /** Receives the milliseconds that each job waited for a worker: they are not the kernel's. */
  readonly onWait?: (ms: number) => void;
}

export function fleetWorkbench(options: FleetWorkbenchOptions): Workbench {
  const { fleet, of, task, operator, local, isMeasurableHere, cache, onWait = () => {} } = options;
  let made: GeneratedSpace | null = null;
  const space = (): GeneratedSpace => {
    made ??= generateSpace(task);
    return made;
  };
  const bench = createFleetBench({
    task,
    taskKey: taskKey(task),
    space,
    operator,
    baseline: predict(space()),
    hash: of.hash,
    toolchain: of.of.toolchain ?? "wasm",
    cache: cache ?? "hot",
    coordinator: fleet.coordinator(onWait),
    local: isMeasurableHere ? local : null,
    deadlineMs: fleet.deadlineMs,
    onLost: fleet.lost,
  });
  return {
    measure: local.measure,
    race: local.race,
    compilerRuns: local.compilerRuns,
    close: local.close,
    byDecisions: bench,
    get toolchain() {
      return bench.toolchain();
    },
  };
}
