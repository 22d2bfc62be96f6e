// Load of groups of threads on the machine, as far as it is the same for sums, rows and maps: how many run at a time, how much of the
// machine is idle, and how long a thread waits that nothing hides.

import { type AcceleratorTarget, type Assignment, byteSize } from "../../../compiler/index.ts";
import { type GpuMachine, gpuMachineOf } from "../../prior/gpu-machines.ts";
import type { RankingFacts } from "../../prior/ranker.ts";
import { functionOperations } from "../../prior/thread-sizes.ts";
import type { SchedulableStage } from "../draft/schedulable-stage.ts";

export interface GroupLoad {
  readonly groups: number;
  readonly threads: number;
  /** Registers of a thread, about, and bytes of memory of a group: what they take, further groups lack. */
  readonly registers: number;
  readonly groupBytes: number;
  /** Operations that are written out one after another. */
  readonly written: number;
  /** Things that a thread has to do beside each other. */
  readonly atOnce: number;
  /** Loads, one after the other, that a thread waits for in all. */
  readonly waits: number;
  /** Times that the threads of a group meet. */
  readonly barriers: number;
  /** Work done for each that is asked for: tiles that overshoot. */
  readonly surplus: number;
}

type LoadFacts = Pick<
  RankingFacts,
  "waste" | "loopIterations" | "parallelTasks" | "bodyInstructions" | "accumulators" | "walksBegun"
>;

export function loadOfGroups(load: GroupLoad, target: AcceleratorTarget): LoadFacts {
  const { groups, threads, atOnce, waits, barriers, surplus } = load;
  const machine = gpuMachineOf(target);
  const processors = target.limits.processors ?? 1;
  const each = Math.ceil(groups / processors);
  const beside = Math.min(each, groupsBeside(load, machine));
  const idle = Math.max(1, machine.busyThreads / (beside * threads * Math.min(atOnce, machine.mostAtOnce)));
  const together = Math.ceil(threads / machine.lanes);
  // Threads that go together need not meet.
  const meetings = together > 1 ? barriers : 0;
  const hidden = waits * machine.latency + meetings * machine.barrierLatency;
  const steps = Math.max(1, barriers);
  return {
    waste: surplus * ((each * processors) / groups) * idle * ((together * machine.lanes) / threads),
    loopIterations: groups * steps,
    parallelTasks: groups,
    bodyInstructions: hidden / steps,
    accumulators: beside,
    walksBegun:
      groups * (meetings * together * machine.cyclesPerMeeting + machine.cyclesPerGroup) +
      processors * load.written * machine.cyclesPerFetch,
  };
}

/** Groups that a processor has room for at a time. */
function groupsBeside({ threads, registers, groupBytes }: GroupLoad, machine: GpuMachine): number {
  const { threadsPerProcessor, groupsPerProcessor, registersPerProcessor, groupBytesPerProcessor } = machine;
  const most = Math.min(
    groupsPerProcessor,
    threadsPerProcessor / threads,
    registersPerProcessor / (threads * registers),
    groupBytesPerProcessor / Math.max(1, groupBytes),
  );
  return Math.max(1, Math.floor(most));
}

/** Facts that say nothing: what a GPU without tensor cores has no use for. */
export const otherFacts = {
  lanes: 1,
  multiplyAddShare: 0,
  liveRegisters: 0,
  loadsPerOperation: 0,
  packedBytes: 0,
} as const;

/** Elements of a stage, and of all that it adds up for one. */
export const elementsOf = ({ spatial }: SchedulableStage): number =>
  spatial.reduce((count, { extent }) => count * extent, 1);
export const depthOf = ({ reduce }: SchedulableStage): number =>
  reduce.reduce((count, { extent }) => count * extent, 1);

/** Operations of a stage, with those inside of functions. */
export const operationsIn = (stage: SchedulableStage): number =>
  (stage.operations + (stage.callsFunctions ? functionOperations : 0)) * elementsOf(stage) * depthOf(stage);

/** Bytes of the elements that a stage reads, each once, without its own. */
export const bytesReadBy = ({ spatial, reduce, reads }: SchedulableStage): number => {
  const extents = new Map([...spatial, ...reduce].map(({ name, extent }) => [name, extent]));
  return reads.reduce((bytes, { axes, dtype }) => {
    const walked = new Set(axes.flatMap((names) => [...names]));
    return bytes + [...walked].reduce((count, axis) => count * (extents.get(axis) ?? 1), byteSize[dtype]);
  }, 0);
};

export const bytesOf = (stage: SchedulableStage): number => byteSize[stage.dtype] * elementsOf(stage);

/** Reads a variable of an assignment; one that a template lacks is 1. */
export const valueIn =
  (assignment: Assignment) =>
  (name: string): number =>
    assignment[name] ?? 1;
