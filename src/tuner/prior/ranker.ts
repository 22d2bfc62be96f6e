// The analytic prior: how long a candidate would take if the machine were as simple as its numbers. It orders
// candidates before anything is measured. Facts of one candidate, the Target and its machine's numbers → nanoseconds,
// good to a factor, used for their order only. After the roofline and the ECM model (Stengel et al., ICS 2015), with
// packing and loop costs.

import { addTo, type CpuTarget, invariant, type Target } from "../../compiler/index.ts";
import { cpuModelOf } from "./cpu-model.ts";
import { cudaModel, webgpuModel } from "./gpu-model.ts";
import type { MachineModel } from "./machine-model.ts";

/** Amounts of a candidate that its template computes from the constraint variables. Whole kernel, all threads together. */
export interface RankingFacts {
  /** Arithmetic operations of the elements that are asked for; a multiply-add is 2. */
  readonly flops: number;
  /**
   * Operations executed / operations asked for, ≥ 1, where a vector works on all of its lanes: tails, padding, recomputed producers,
   * and adding up the vectors and lanes of a sum, of which taking a lane out of its vector is an operation.
   */
  readonly waste: number;
  /** Elements that one arithmetic instruction handles; 1: scalar code. */
  readonly lanes: number;
  /** Share of the operations that are multiply-adds, 0 … 1: a fused instruction halves their steps. */
  readonly multiplyAddShare: number;
  /** Independent vectors that the innermost loop accumulates into; 0: no reduction there, nothing waits for a sum. */
  readonly accumulators: number;
  /** Vector registers that are live in the innermost loop, the accumulators included. */
  readonly liveRegisters: number;
  /**
   * Vectors, or single elements for all lanes, that are loaded for each step of the innermost body: a multiply-add, or another
   * lone operation. Stores excluded.
   */
  readonly loadsPerOperation: number;
  /** Bytes that cross into L1 from L2, into L2 from L3, and into L3 from memory. */
  readonly bytesFromL2: number;
  readonly bytesFromL3: number;
  readonly bytesFromMemory: number;
  /** Bytes written and read again by packing; 0 without. */
  readonly packedBytes: number;
  /** Iterations of the innermost loops that are not unrolled. A last iteration with fewer steps than the others is a whole one. */
  readonly loopIterations: number;
  /** Iterations of the parallel loop; 1: serial. */
  readonly parallelTasks: number;
  /** Instructions of the innermost straight-line body: unrolled copies count. */
  readonly bodyInstructions: number;
  // Amounts that estimates of earlier versions, and most of those of users, lack: 0 then.
  /** Number of register tiles whose sums are begun, and ended, in all. */
  readonly tilesBegun?: number;
  /**
   * Number of walks along the innermost axis of a reduction that are begun, where no register tile is. Rows that are summed up side
   * by side are one walk; each element of a further reduce axis is another.
   */
  readonly walksBegun?: number;
  /** Pages that are not at hand in the TLB, for each step of the innermost body. */
  readonly pageWalksPerOperation?: number;
  /** Those of `bytesFromMemory` that no prefetcher follows. */
  readonly unfollowedBytes?: number;
  /** Stores, and conversions of elements to others, for each step of the innermost body. */
  readonly movesPerOperation?: number;
}

/** Iterations with what it costs to begin loops, as so many more of them. */
export function weightedIterations(facts: RankingFacts, target: Target, machine: MachineModel): number {
  const { iterationsPerTile, iterationsPerWalk } = machineModelOf(target);
  return (
    facts.loopIterations +
    (facts.tilesBegun ?? 0) * (machine.iterationsPerTile ?? iterationsPerTile) +
    (facts.walksBegun ?? 0) * (machine.iterationsPerWalk ?? iterationsPerWalk)
  );
}

/** Loads for each step, with page walks as so many more of them. */
export const weightedLoads = (facts: RankingFacts, target: Target, machine: MachineModel): number =>
  facts.loadsPerOperation +
  (facts.pageWalksPerOperation ?? 0) * (machine.loadsPerPageWalk ?? machineModelOf(target).loadsPerPageWalk);

/** Bytes from memory, with those that no prefetcher follows as so many more of them. */
export const weightedBytes = (facts: RankingFacts, target: Target, machine: MachineModel): number =>
  facts.bytesFromMemory +
  (facts.unfollowedBytes ?? 0) * ((machine.bytesPerUnfollowed ?? machineModelOf(target).bytesPerUnfollowed) - 1);

/** Knowledge of a back end's machines before anything is measured. */
export interface AnalyticModel<On extends Target = Target> {
  /** Name of the back end. */
  readonly name: string;
  /** Numbers of a target's machine before anything was measured on it. */
  machineOf(target: On): Required<MachineModel>;
  /** Registers that `liveRegisters` of the facts are held against; 1: the machine has none that a schedule fills. */
  registersOf(target: On): number;
  /**
   * Whether a prediction goes on from the best schedule that a few draws find to better neighbours; default: no, so that predictions stay
   * what they were in earlier versions.
   */
  readonly descends?: boolean;
  /** Predicts the nanoseconds of one run of a stage. */
  predictNs(facts: RankingFacts, target: On, machine: MachineModel): number;
}

const cpuModel = (name: CpuTarget["backend"]): AnalyticModel<CpuTarget> => ({
  name,
  machineOf: cpuModelOf,
  registersOf: ({ vectorRegisters }) => vectorRegisters,
  predictNs: predictCpuNs,
});

const models = new Map<string, AnalyticModel>([
  ["c", cpuModel("c")],
  ["wasm", cpuModel("wasm")],
  ["wgsl", webgpuModel],
  ["cuda", cudaModel],
]);

/**
 * Adds the model of a foreign back end.
 *
 * @throws DiagnosticError `backend.taken`
 */
export const useAnalyticModel = (model: AnalyticModel): void => addTo(models, model);

function analyticModelOf({ backend, name }: Target): AnalyticModel {
  const model = models.get(backend);
  invariant(model, `the back end of ${name} was given to useBackend`);
  return model;
}

/** Numbers of a target's machine before anything was measured on it. */
export const machineModelOf = (target: Target): Required<MachineModel> => analyticModelOf(target).machineOf(target);

/** Whether predictions for the target go on to better neighbours. */
export const descendsFor = (target: Target): boolean => analyticModelOf(target).descends ?? false;

export const registersOf = (target: Target): number => analyticModelOf(target).registersOf(target);

/** Predicts the nanoseconds of one run of stages, one after the other. */
export const predictTotalNs = (
  stages: readonly RankingFacts[],
  target: Target,
  machine: MachineModel = machineModelOf(target),
): number => stages.reduce((ns, facts) => ns + predictNs(facts, target, machine), 0);

/** Predicts the nanoseconds of one run. */
export const predictNs = (
  facts: RankingFacts,
  target: Target,
  machine: MachineModel = machineModelOf(target),
): number => analyticModelOf(target).predictNs(facts, target, machine);

function predictCpuNs(facts: RankingFacts, target: CpuTarget, machine: MachineModel): number {
  const threads = Math.min(target.threads, facts.parallelTasks);
  // The last round of tasks may leave threads idle.
  const balance = facts.parallelTasks / (threads * Math.ceil(facts.parallelTasks / threads));
  const compute =
    computeCycles(facts, target, machine) + weightedIterations(facts, target, machine) * machine.cyclesPerIteration;
  const caches = facts.bytesFromL2 / machine.l2BytesPerCycle + facts.bytesFromL3 / machine.l3BytesPerCycle;
  // Memory is one for all threads.
  const traffic = caches / (threads * balance) + weightedBytes(facts, target, machine) / machine.memoryBytesPerCycle;
  const computing = compute / (threads * balance);
  const visible = Math.max(computing, traffic) + Math.min(computing, traffic) * machine.visibleShare;
  const spawning = threads > 1 ? facts.parallelTasks * machine.cyclesPerParallelTask : 0;
  return (visible + facts.packedBytes / machine.packBytesPerCycle / threads + spawning) / machine.clockGhz;
}

function computeCycles(facts: RankingFacts, target: CpuTarget, machine: MachineModel): number {
  const operations = (facts.flops * facts.waste) / facts.lanes;
  // A multiply-add is one step, whether or not the machine has an instruction for it.
  const steps = operations * (1 - facts.multiplyAddShare / 2);
  const arithmetic = target.hasFma ? 1 : operations / steps;
  const spilled = Math.max(0, facts.liveRegisters - target.vectorRegisters);
  const spills = (machine.loadsPerSpill * spilled) / Math.max(1, facts.liveRegisters);
  const loads = weightedLoads(facts, target, machine) + spills;
  const bounds = [
    arithmetic / machine.arithmeticPerCycle,
    loads / machine.loadsPerCycle,
    (arithmetic + loads + (facts.movesPerOperation ?? 0)) / machine.instructionsPerCycle,
    waitForSum(facts, machine),
  ];
  const { shortBody, growth } = machine;
  return steps * Math.max(...bounds) * Math.max(1, (facts.bodyInstructions / shortBody) ** growth);
}

/** Returns the cycles between two steps where too few sums run side by side. */
function waitForSum({ accumulators }: RankingFacts, machine: MachineModel): number {
  return accumulators > 0 ? machine.arithmeticLatency / accumulators : 0;
}
