// State that the kernels of one build share: the tunings that were started, so that equal tasks are tuned once, and the
// machine, on which they take turns. The scheduler is loaded by the first kernel that is tuned.

import { nowMs } from "../../native/machine/clock.ts";
import type { MeasuringPlace } from "../../native/runner/host.ts";
import type { SharedRunner } from "../../native/runner/shared-runner.ts";
import type { TuningGroup } from "../../tuner/scheduler/tuning-group.ts";
import type { Decision } from "../kernel/decision/decide-schedule.ts";
import type { OpenPack } from "../kernel/outside/pack-decision.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import type { Topic } from "../support/say-once.ts";
import { type BuildChecks, createBuildChecks } from "./build-checks.ts";

/** The tuning of a task, and who waits for it. */
export interface StartedTuning {
  /** Kernels that share it: how much it counts. */
  kernels: number;
  readonly decision: Promise<Decision>;
}

export interface BuildTunings {
  /** Most tunings that run at once; null: as many as the machine has cores. */
  readonly compilers: number | null;
  /** Tunings by `taskIdentity`. One that failed is not kept. */
  readonly started: Map<string, StartedTuning>;
  /** Topics that concern all kernels of the build, and of which something was said already (`say-once.ts`). */
  readonly told: Set<Topic>;
  /** Opens the machine. The place is that of the kernel that asks first: those of a build have the same. */
  machine(place: MeasuringPlace): Promise<SharedMachine>;
  /** Runs what the build has just built against its reference. */
  readonly checks: BuildChecks;
  /** Shared store, opened by the first kernel that asks it. */
  remote: RemoteStore | null;
  /** Packs, read by the first kernel that asks them. */
  packs: readonly OpenPack[] | null;
}

export interface SharedMachine {
  readonly group: TuningGroup;
  readonly runner: SharedRunner;
}

export interface BuildTuningsOptions {
  /** Seconds for all kernels of the build together; null: each has its own budget alone. */
  readonly totalSeconds: number | null;
  readonly signal: AbortSignal;
  readonly compilers?: number;
  /** Topics of a build that this one is a part of. */
  readonly told?: Set<Topic>;
}

export function createBuildTunings({
  totalSeconds,
  signal,
  compilers,
  told = new Set(),
}: BuildTuningsOptions): BuildTunings {
  const totalMs = totalSeconds === null ? null : totalSeconds * 1000;
  let machine: Promise<SharedMachine> | null = null;
  const open = async (measuring: MeasuringPlace): Promise<SharedMachine> => {
    const { createSharedMachine } = await import("../kernel/tuning/shared-machine.ts");
    return createSharedMachine({ totalMs, clock: nowMs, signal, measuring });
  };
  return {
    compilers: compilers ?? null,
    started: new Map(),
    told,
    remote: null,
    packs: null,
    checks: createBuildChecks(signal),
    machine(place) {
      machine ??= open(place);
      return machine;
    },
  };
}
