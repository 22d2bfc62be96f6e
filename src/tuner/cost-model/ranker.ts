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
  /** Vector or scalar loads, stores excluded, for each arithmetic instruction of the innermost body. */
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

// Cycles and bytes a cycle of x86 cores since 2017; the order of candidates hardly depends on them.
// Sources: uops.info (latency 4, two ports), Intel optimization manual §2 (L2 and L3), STREAM-like reads measured here.
const clockGhz = 3;
const arithmeticPerCycle = 2;
const loadsPerCycle = 2;
const arithmeticLatency = 4;
const l2BytesPerCycle = 32;
const l3BytesPerCycle = 10;
const memoryBytesPerCycle = 8;
const packBytesPerCycle = 8;
const cyclesPerIteration = 1.5;
const cyclesPerParallelTask = 2_000;
/** Unrolled bodies above this many instructions leave the µop cache. */
const instructionsInCache = 1_500;

/** Nanoseconds of one run. */
export function predictNs(facts: RankingFacts, target: Target): number {
  const threads = Math.min(target.threads, facts.parallelTasks);
  // The last round of tasks may leave threads idle.
  const balance = facts.parallelTasks / (threads * Math.ceil(facts.parallelTasks / threads));
  const shared = Math.max(computeCycles(facts, target), facts.bytesFromL2 / l2BytesPerCycle) / (threads * balance);
  const memory = facts.bytesFromL3 / l3BytesPerCycle / threads + facts.bytesFromMemory / memoryBytesPerCycle;
  const overhead = (facts.loopIterations * cyclesPerIteration + facts.packedBytes / packBytesPerCycle) / threads;
  const spawning = threads > 1 ? facts.parallelTasks * cyclesPerParallelTask : 0;
  // Prefetching hides the slower of compute and memory, never all of the other: a quarter stays visible.
  const hidden = Math.max(shared, memory) + Math.min(shared, memory) / 4;
  return (hidden + overhead + spawning) / clockGhz;
}

function computeCycles(facts: RankingFacts, target: Target): number {
  const operations = (facts.flops * facts.waste) / facts.lanes;
  const instructions = target.hasFma ? operations * (1 - facts.multiplyAddShare / 2) : operations;
  const spilled = Math.max(0, facts.liveRegisters - target.vectorRegisters);
  // A spilled register costs a store and a load each time round the body.
  const loads = facts.loadsPerOperation + (2 * spilled) / Math.max(1, facts.liveRegisters);
  const perInstruction = Math.max(1 / arithmeticPerCycle, loads / loadsPerCycle, waitForSum(facts));
  const fetch = Math.max(1, Math.sqrt(facts.bodyInstructions / instructionsInCache));
  return instructions * perInstruction * fetch;
}

/** Cycles between two operations where too few sums run side by side. */
function waitForSum({ accumulators }: RankingFacts): number {
  return accumulators > 0 ? arithmeticLatency / accumulators : 0;
}
