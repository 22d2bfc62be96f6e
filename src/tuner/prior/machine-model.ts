// The numbers of a machine: costs that the analytic prior goes by, and how its cores are built as far as the target does not
// say. Defaults are here, one set a code generator; `calibrate` fits the costs of a machine of one's own.

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
  // Costs that files of earlier versions lack: the default's are taken then.
  /** Iterations that cost as much as to begin and to end the sums of a register tile. */
  readonly iterationsPerTile?: number;
  /** Iterations that cost as much as to begin and to end a walk along the innermost axis. */
  readonly iterationsPerWalk?: number;
  /** Loads that cost as much as a load of a page that is not at hand in the TLB. */
  readonly loadsPerPageWalk?: number;
  /** Bytes from memory that cost as much as one that no prefetcher follows. */
  readonly bytesPerUnfollowed?: number;
}

/**
 * How a core is built. These numbers shape spaces, or count what the facts of the prior are made of, so no fit moves them: a
 * schedule of a lock must be in the space of every machine of its target.
 */
export interface CoreModel {
  /** Bytes of a cache line. */
  readonly lineBytes: number;
  /** Bytes of a way of L1: a page, so that it is found while the address is still translated. */
  readonly wayBytes: number;
  /** Rows a multiple of so many bytes apart fall into few sets of L1 and evict each other. */
  readonly aliasBytes: number;
  readonly pageBytes: number;
  /** Number of pages that the first level of the TLB holds. */
  readonly pagesAtHand: number;
  /** Most pages side by side that hardware prefetchers follow while a tile walks down an operand. */
  readonly pagesFollowed: number;
  /** Share of L2 for results that stages pass on: the rest is for the operands that stream past. */
  readonly passedShareOfL2: number;
  /** Share of L3 that an operand may fill and still stay there: other data leaves it no more. */
  readonly residentShareOfL3: number;
  /** Fewest elements of a block of the reduce axis that are worth its loop. */
  readonly leastBlock: number;
  /** Fewest elements of such a block that are offered, and where an operand comes from memory: prefetchers follow few rows. */
  readonly leastOfferedBlock: number;
  readonly leastBlockFromMemory: number;
  /** Bytes that a pack copies, and writes, side by side in the time that it takes one element out of a row: most of a cycle on a Zen 5. */
  readonly bytesPerTransposed: number;
  /** Most vectors of a register tile along its vector axis. */
  readonly mostTileVectors: number;
  /** Registers that a register tile leaves to its operands. */
  readonly operandRegisters: number;
  /** Registers of a walk beside its sums, and if it calls a function: what its polynomial needs. */
  readonly walkRegisters: number;
  readonly functionRegisters: number;
  /** Number of operations that the polynomial of a function takes. */
  readonly operationsOfFunction: number;
  /** Registers for tiles that matrix instructions work on, rows of one, and bytes of a group that one lane adds up. */
  readonly tileRegisters: number;
  readonly tileSide: number;
  readonly tileGroupBytes: number;
  /**
   * Whether the compiler puts all loads of a body before all arithmetic, so that what they load is live at once. V8 does; where the sums are
   * computed with behind the loop it is these that it spills.
   */
  readonly loadsFirst: boolean;
}

// x86 cores since 2017. Fitted by hand to the order of 400 measured candidates of GEMM and conv2d, native and WASM, on a
// Zen 3; from uops.info and the Intel optimization manual where the fit did not care.
const native: Required<MachineModel> = {
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
  iterationsPerTile: 4,
  iterationsPerWalk: 2,
  // Native code does as much in a step as a page walk takes, and hides it. Fitted, docs/cost-model.md.
  loadsPerPageWalk: 0,
  // C[4, 4096] = A[4, 1024] · B[1024, 4096] walks down 16 rows of B at a time 2.3 times as fast as 32, and three times as fast
  // as 64; within L3 there is no such difference.
  bytesPerUnfollowed: 3,
};

/** Models by code generator; ARM has its own (cpu-model.ts). */
export const machineModels: Readonly<Record<CpuTarget["backend"], Required<MachineModel>>> = {
  c: native,
  // V8 has more instructions in each loop, and spills in all but the shortest bodies. Fitted to 470 candidates of five tasks
  // on a Zen 4.
  wasm: { ...native, cyclesPerIteration: 2, shortBody: 16, growth: 0.3, loadsPerPageWalk: 8 },
};

// x86 cores since 2017. Other numbers are likely on ARM: pages of 16 KiB and lines of 128 bytes on Apple's cores.
export const commonCore: CoreModel = {
  lineBytes: 64,
  wayBytes: 4096,
  aliasBytes: 1024,
  pageBytes: 4096,
  pagesAtHand: 64,
  pagesFollowed: 16,
  passedShareOfL2: 0.5,
  residentShareOfL3: 0.5,
  leastBlock: 4,
  leastOfferedBlock: 32,
  leastBlockFromMemory: 8,
  bytesPerTransposed: 24,
  mostTileVectors: 4,
  operandRegisters: 2,
  walkRegisters: 2,
  functionRegisters: 6,
  operationsOfFunction: 14,
  // AMX: tmm0 to tmm7, of 16 rows of 64 bytes.
  tileRegisters: 8,
  tileSide: 16,
  tileGroupBytes: 4,
  loadsFirst: false,
};

/** Cores that code runs on, by code generator. */
const cores: Readonly<Record<CpuTarget["backend"], CoreModel>> = {
  c: commonCore,
  wasm: { ...commonCore, loadsFirst: true },
};

/** Returns how the cores of a target are built. */
export const coreOf = ({ backend }: CpuTarget): CoreModel => cores[backend];
