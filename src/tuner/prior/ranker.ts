// The analytic prior: how long a candidate would take if the machine were as simple as its numbers. It orders
// candidates before anything is measured. Facts of one candidate, the Target and its machine's numbers → nanoseconds,
// good to a factor, used for their order only. After the roofline and the ECM model (Stengel et al., ICS 2015), with
// packing and loop costs.

import { addTo, type CpuTarget, invariant, type Target } from "../../compiler/index.ts";
import { type MachineModel, machineModels } from "./machine-model.ts";

/** Amounts of a candidate that its template computes from the constraint variables. Whole kernel, all threads together. */
export interface RankingFacts {
  /** Arithmetic operations of the elements that are asked for; a multiply-add is 2. */
  readonly flops: number;
  /** Operations executed / operations asked for, ≥ 1: padded tails, recomputed producers. */
  readonly waste: number;
  /** Elements that one arithmetic instruction handles; 1: scalar code. */
  readonly lanes: number;
  /** Share of the operations that are multiply-adds, 0 … 1: a fused instruction halves their steps. */
  readonly multiplyAddShare: number;
  /** Independent vectors that the innermost loop accumulates into; 0: no reduction there, nothing waits for a sum. */
  readonly accumulators: number;
  /** Vector registers that are live in the innermost loop, the accumulators included. */
  readonly liveRegisters: number;
  /** Loads, stores excluded, for each multiply-add or other lone operation of the innermost body. */
  readonly loadsPerOperation: number;
  /** Bytes that cross into L1 from L2, into L2 from L3, and into L3 from memory. */
  readonly bytesFromL2: number;
  readonly bytesFromL3: number;
  readonly bytesFromMemory: number;
  /** Bytes written and read again by packing; 0 without. */
  readonly packedBytes: number;
  /** Executions of bodies of loops that are not unrolled. */
  readonly loopIterations: number;
  /** Iterations of the parallel loop; 1: serial. */
  readonly parallelTasks: number;
  /** Instructions of the innermost straight-line body: unrolled copies count. */
  readonly bodyInstructions: number;
}

/** What is known of a back end's machines before anything is measured. */
export interface AnalyticModel<On extends Target = Target> {
  /** Name of the back end. */
  readonly name: string;
  readonly machine: MachineModel;
  /** Registers that `liveRegisters` of the facts are held against; 1: the machine has none that a schedule fills. */
  registersOf(target: On): number;
  /** Predicts the nanoseconds of one run of a stage. */
  predictNs(facts: RankingFacts, target: On, machine: MachineModel): number;
}

const cpuModel = (name: CpuTarget["backend"]): AnalyticModel<CpuTarget> => ({
  name,
  machine: machineModels[name],
  registersOf: ({ vectorRegisters }) => vectorRegisters,
  predictNs: predictCpuNs,
});

const models = new Map<string, AnalyticModel>([
  ["c", cpuModel("c")],
  ["wasm", cpuModel("wasm")],
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
export const machineModelOf = (target: Target): MachineModel => analyticModelOf(target).machine;

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
  const compute = computeCycles(facts, target, machine) + facts.loopIterations * machine.cyclesPerIteration;
  const caches = facts.bytesFromL2 / machine.l2BytesPerCycle + facts.bytesFromL3 / machine.l3BytesPerCycle;
  // Memory is one for all threads.
  const traffic = caches / (threads * balance) + facts.bytesFromMemory / machine.memoryBytesPerCycle;
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
  const loads = facts.loadsPerOperation + (machine.loadsPerSpill * spilled) / Math.max(1, facts.liveRegisters);
  const bounds = [
    arithmetic / machine.arithmeticPerCycle,
    loads / machine.loadsPerCycle,
    (arithmetic + loads) / machine.instructionsPerCycle,
    waitForSum(facts, machine),
  ];
  const { shortBody, growth } = machine;
  return steps * Math.max(...bounds) * Math.max(1, (facts.bodyInstructions / shortBody) ** growth);
}

/** Returns the cycles between two steps where too few sums run side by side. */
function waitForSum({ accumulators }: RankingFacts, machine: MachineModel): number {
  return accumulators > 0 ? machine.arithmeticLatency / accumulators : 0;
}
