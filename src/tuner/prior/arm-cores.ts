// Numbers of ARM's cores as their makers, and those who took them apart, publish them. Nothing was measured here, so they are not fitted: what
// is not published stands as for other cores.
//
// Arm's software optimization guides (Cortex-A76, Neoverse N1, N2, V1, V2): pipes for vectors, loads of 16 bytes a cycle, operations that are
// dispatched a cycle (one less counts here: the loop's own), cycles from a sum to the next that a multiply-add takes late.
// Apple: D. Johnson's tables of M1's Firestorm and Icestorm, whose multiply-adds wait for the whole sum.

import type { CoreName, CpuTarget } from "../../compiler/index.ts";
import type { MachineModel } from "./machine-model.ts";

type CoreNumbers = Pick<
  MachineModel,
  "clockGhz" | "arithmeticPerCycle" | "loadsPerCycle" | "instructionsPerCycle" | "arithmeticLatency"
>;

const numbersOf: Readonly<Record<CoreName, CoreNumbers>> = {
  "cortex-a76": {
    clockGhz: 2.4,
    arithmeticPerCycle: 2,
    loadsPerCycle: 2,
    instructionsPerCycle: 3,
    arithmeticLatency: 2,
  },
  "neoverse-n1": {
    clockGhz: 2.5,
    arithmeticPerCycle: 2,
    loadsPerCycle: 2,
    instructionsPerCycle: 3,
    arithmeticLatency: 2,
  },
  "neoverse-n2": {
    clockGhz: 2.8,
    arithmeticPerCycle: 2,
    loadsPerCycle: 3,
    instructionsPerCycle: 4,
    arithmeticLatency: 2,
  },
  "neoverse-v1": {
    clockGhz: 2.6,
    arithmeticPerCycle: 4,
    loadsPerCycle: 3,
    instructionsPerCycle: 7,
    arithmeticLatency: 2,
  },
  "neoverse-v2": {
    clockGhz: 2.8,
    arithmeticPerCycle: 4,
    loadsPerCycle: 3,
    instructionsPerCycle: 7,
    arithmeticLatency: 2,
  },
  "apple-e": {
    clockGhz: 2.06,
    arithmeticPerCycle: 2,
    loadsPerCycle: 2,
    instructionsPerCycle: 3,
    arithmeticLatency: 4,
  },
  "apple-p": {
    clockGhz: 3.2,
    arithmeticPerCycle: 4,
    loadsPerCycle: 3,
    instructionsPerCycle: 7,
    arithmeticLatency: 4,
  },
};

/**
 * WASM on Cortex-X1 and its successors, and on Apple's cores, which most visitors have. Bodies spill later than on x86, with twice the registers.
 */
export const wasmOnArm = {
  arithmeticPerCycle: 4,
  loadsPerCycle: 3,
  instructionsPerCycle: 5,
  shortBody: 32,
} as const satisfies Partial<MachineModel>;

/** The core that stands for the others of a target: the oldest server's that has its features. */
const commonCoreOf = ({ features }: CpuTarget): CoreName => (features.includes("i8mm") ? "neoverse-v1" : "neoverse-n1");

/** Models that were asked for, so that a target has the same one always. */
const known = new Map<CoreName, Required<MachineModel>>();

/** Returns the model of a target of ARM: what is common to native code, with the numbers of its core. */
export function armModelOf(target: CpuTarget, common: Required<MachineModel>): Required<MachineModel> {
  const core = target.core ?? commonCoreOf(target);
  const model = known.get(core) ?? { ...common, ...numbersOf[core] };
  known.set(core, model);
  return model;
}
