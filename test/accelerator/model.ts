// What is known of the machine before anything is measured: transfers and products overlap, so the longer of both is the time.

import { type AcceleratorTarget, targets } from "../../src/compiler/index.ts";
import { type AnalyticModel, machineModelOf, type RankingFacts } from "../../src/tuner/prior/ranker.ts";
import { tile, vta } from "./machine.ts";

const { cycles, nanosecondsPerCycle } = vta;

const machine = { ...machineModelOf(targets.wasm), clockGhz: 1 / nanosecondsPerCycle };

export const vtaModel: Omit<AnalyticModel<AcceleratorTarget>, "name"> = {
  // Only the clock counts here: `predictNs` goes by the machine's own numbers.
  machineOf: () => machine,
  registersOf: () => 1,
  predictNs: ({ flops, waste, bytesFromMemory, loopIterations, bodyInstructions }: RankingFacts) => {
    const products = (flops * waste) / 2 / tile;
    const transfers = bytesFromMemory / cycles.transferBytes + loopIterations * cycles.transferRow;
    const latencies = bodyInstructions * cycles.transferLatency;
    return Math.max(products, transfers + latencies) * nanosecondsPerCycle;
  },
};
