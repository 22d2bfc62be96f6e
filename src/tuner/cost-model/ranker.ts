// The analytic prior: how long a candidate would take if the machine were as simple as its numbers. It orders
// candidates before anything is measured. Facts of one candidate and the Target → nanoseconds, good to a factor, used
// for their order only. After the roofline and the ECM model (Stengel et al., ICS 2015), with packing and loop costs.

import type { Target } from "../../compiler/index.ts";

/** What a template knows of one of its candidates from the constraint variables. Whole kernel, all threads together. */
export interface RankingFacts {
  /** Arithmetic operations of the elements that are asked for; a multiply-add is 2. */
  readonly flops: number;
  /** Operations executed / operations asked for, ≥ 1: padded tails, recomputed producers. */
  readonly waste: number;
  /** Elements that one arithmetic instruction handles; 1: scalar code. */
  readonly lanes: number;
  /** Share of the operations that are multiply-adds, 0 … 1: what a fused instruction halves. */
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

// Cycles, and bytes a cycle, of x86 cores since 2017. Fitted by hand to the order of 400 measured candidates of GEMM and
// conv2d, native and WASM, on a Zen 3; from uops.info and the Intel optimization manual where the fit did not care.
const clockGhz = 3;
const arithmeticPerCycle = 2;
const loadsPerCycle = 2;
/** Arithmetic and loads together: what the front end keeps up, beside addresses and branches. */
const instructionsPerCycle = 3;
const arithmeticLatency = 4;
const l2BytesPerCycle = 32;
const l3BytesPerCycle = 12;
const memoryBytesPerCycle = 16;
const packBytesPerCycle = 32;
const cyclesPerParallelTask = 2_000;
/** Loads that a spilled register stands for: it is stored, loaded, and in the way of others. */
const loadsPerSpill = 8;
/** Of the lesser of compute and traffic, what prefetching does not hide behind the greater. */
const visibleShare = 0.1;

/** What differs between native code and V8's. */
interface CodeCosts {
  readonly cyclesPerIteration: number;
  /** Instructions of a body up to which it runs at full speed, and how its time grows beyond. */
  readonly shortBody: number;
  readonly growth: number;
}

const codeCosts: Readonly<Record<Target["codegen"], CodeCosts>> = {
  // Longer bodies leave the cache of decoded instructions.
  c: { cyclesPerIteration: 1, shortBody: 1_500, growth: 0.5 },
  // V8 hides the loop's own instructions, and spills in bodies that are much unrolled.
  wasm: { cyclesPerIteration: 0, shortBody: 128, growth: 1 },
};

/** Nanoseconds of one run. */
export function predictNs(facts: RankingFacts, target: Target): number {
  const threads = Math.min(target.threads, facts.parallelTasks);
  // The last round of tasks may leave threads idle.
  const balance = facts.parallelTasks / (threads * Math.ceil(facts.parallelTasks / threads));
  const compute = computeCycles(facts, target) + facts.loopIterations * codeCosts[target.codegen].cyclesPerIteration;
  const caches = facts.bytesFromL2 / l2BytesPerCycle + facts.bytesFromL3 / l3BytesPerCycle;
  // Memory is one for all threads.
  const traffic = caches / (threads * balance) + facts.bytesFromMemory / memoryBytesPerCycle;
  const computing = compute / (threads * balance);
  const visible = Math.max(computing, traffic) + Math.min(computing, traffic) * visibleShare;
  const spawning = threads > 1 ? facts.parallelTasks * cyclesPerParallelTask : 0;
  return (visible + facts.packedBytes / packBytesPerCycle / threads + spawning) / clockGhz;
}

function computeCycles(facts: RankingFacts, target: Target): number {
  const operations = (facts.flops * facts.waste) / facts.lanes;
  // A multiply-add is one step, whether or not the machine has an instruction for it.
  const steps = operations * (1 - facts.multiplyAddShare / 2);
  const arithmetic = target.hasFma ? 1 : operations / steps;
  const spilled = Math.max(0, facts.liveRegisters - target.vectorRegisters);
  const loads = facts.loadsPerOperation + (loadsPerSpill * spilled) / Math.max(1, facts.liveRegisters);
  const bounds = [
    arithmetic / arithmeticPerCycle,
    loads / loadsPerCycle,
    (arithmetic + loads) / instructionsPerCycle,
    waitForSum(facts),
  ];
  const { shortBody, growth } = codeCosts[target.codegen];
  return steps * Math.max(...bounds) * Math.max(1, (facts.bodyInstructions / shortBody) ** growth);
}

/** Cycles between two steps where too few sums run side by side. */
function waitForSum({ accumulators }: RankingFacts): number {
  return accumulators > 0 ? arithmeticLatency / accumulators : 0;
}
