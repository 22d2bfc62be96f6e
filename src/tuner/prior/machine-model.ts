// The numbers of a machine that the analytic prior goes by. Defaults are here, one set a code generator; `calibrate` fits
// a machine's own.

import type { CpuTarget } from "../../compiler/index.ts";

/** All positive. Cycles, and bytes a cycle, of one core. */
export interface MachineModel {
  readonly clockGhz: number;
  /** Vector operations, multiply-adds or others, that start in a cycle. */
  readonly arithmeticPerCycle: number;
  readonly loadsPerCycle: number;
  /** Arithmetic and loads together that the front end keeps up with, beside addresses and branches. */
  readonly instructionsPerCycle: number;
  /** Cycles from an addition to the next that needs its result. */
  readonly arithmeticLatency: number;
  readonly l2BytesPerCycle: number;
  readonly l3BytesPerCycle: number;
  readonly memoryBytesPerCycle: number;
  readonly packBytesPerCycle: number;
  readonly cyclesPerParallelTask: number;
  /** Number of loads that cost as much as a spilled register: it is stored, loaded, and in the way of others. */
  readonly loadsPerSpill: number;
  /** Share of the lesser of compute and traffic that prefetching does not hide behind the greater. */
  readonly visibleShare: number;
  /** Cycles for counting, comparing and addresses in each iteration of a loop that is not unrolled. */
  readonly cyclesPerIteration: number;
  /** Instructions of a body up to which it runs at full speed, and the power with which its time grows beyond. */
  readonly shortBody: number;
  readonly growth: number;
}

// x86 cores since 2017. Fitted by hand to the order of 400 measured candidates of GEMM and conv2d, native and WASM, on a
// Zen 3; from uops.info and the Intel optimization manual where the fit did not care.
const native: MachineModel = {
  clockGhz: 3,
  arithmeticPerCycle: 2,
  loadsPerCycle: 2,
  instructionsPerCycle: 3,
  arithmeticLatency: 4,
  l2BytesPerCycle: 32,
  l3BytesPerCycle: 12,
  memoryBytesPerCycle: 16,
  packBytesPerCycle: 32,
  cyclesPerParallelTask: 2_000,
  loadsPerSpill: 8,
  visibleShare: 0.1,
  cyclesPerIteration: 1,
  // Longer bodies leave the cache of decoded instructions.
  shortBody: 1_500,
  growth: 0.5,
};

/** Model of a machine before anything was measured on it, by code generator. */
export const machineModels: Readonly<Record<CpuTarget["backend"], MachineModel>> = {
  c: native,
  // V8 has more instructions in each loop, and spills in all but the shortest bodies. Fitted to 470 candidates of five tasks
  // on a Zen 4.
  wasm: { ...native, cyclesPerIteration: 2, shortBody: 16, growth: 0.3 },
};
