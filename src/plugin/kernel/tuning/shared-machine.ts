// The machine that measures, for all kernels of a build: who has the next round, and one process for all.

import { createRunner } from "../../../native/runner/client.ts";
import type { MeasuringPlace } from "../../../native/runner/host.ts";
import { createSharedRunner } from "../../../native/runner/shared-runner.ts";
import { policies } from "../../../tuner/scheduler/policies.ts";
import { createTuningGroup, type TuningGroupOptions } from "../../../tuner/scheduler/tuning-group.ts";
import type { SharedMachine } from "../compile-services.ts";

export interface MachineOptions extends Omit<TuningGroupOptions, "policy"> {
  readonly measuring: MeasuringPlace;
}

/** Makes the kernels of a build take turns: one after the other where each has its own seconds; a total is spent where it pays. */
export function createSharedMachine({ totalMs, clock, signal, measuring }: MachineOptions): SharedMachine {
  const policy = totalMs === null ? policies["in-order"] : policies.gradient;
  return {
    group: createTuningGroup({ policy, totalMs, clock, signal }),
    runner: createSharedRunner(() => createRunner({ signal, relaxedSimd: true, measuring })),
  };
}
