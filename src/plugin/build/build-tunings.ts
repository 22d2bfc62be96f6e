// State that the kernels of one build share: the tunings that were started, so that equal tasks are tuned once, and the
// machine, on which they take turns. The scheduler is loaded by the first kernel that is tuned.

import { nowMs } from "../../native/machine/clock.ts";
import type { MeasuringPlace } from "../../native/runner/host.ts";
import type { BuildTunings, SharedMachine } from "../kernel/compile-services.ts";
import type { Topic } from "../support/say-once.ts";
import { createBuildChecks } from "./build-checks.ts";

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
