// Numbers of products on tensor cores: what machines with such do in a cycle, and the sizes that the rules of `tensor-cores` share.

/** Amounts of a cycle of one processor, but for memory, which is one for all. Of Hopper, by the instructions of Ampere. */
export const gpuRates = {
  clockGhz: 1.755,
  /** Tensor cores, by products of a warp, and by those of four warps, which run on their own: of operands of two bytes. Of one byte it is twice as many. */
  tensorFlops: 2_700,
  groupTensorFlops: 4_100,
  tensorOperandBytes: 2,
  groupBytes: 128,
  l2Bytes: 48,
  memoryBytes: 1_900,
  /** Share of the shorter works that is not hidden behind the longest. Fitted to 40 measured products of 4096³ on an H200. */
  visibleShare: 0.5,
  cyclesPerBarrier: 50,
  /** From the request of a copy to its arrival. */
  memoryLatency: 900,
  /**
   * Time beside that of what has been timed on a GPU, until boxes, threads of their own for them, and persistent groups have been: where nothing is
   * measured, what has run comes first.
   */
  untimed: { boxes: 17 / 16, specialized: 17 / 16, persistent: 17 / 16 },
  /** Until the first thread runs, and from the last one to the next launch. */
  cyclesPerLaunch: 4_000,
  /** A thread waits for each element that it adds up; so many groups of such threads wait beside each other. */
  cyclesPerStep: 40,
  groupsOfMaps: 8,
  /** Threads and bytes of memory for groups that a processor has; each group takes a little more than it asks for. */
  threadsPerProcessor: 2_048,
  bytesBesideGroup: 1_024,
} as const;

/** Sizes that groups of threads are made by. */
export const gpuSizes = {
  /** Bytes that a thread copies at once, and by which rows in the memory of a group are longer, so that eight lie in different banks. */
  pieceBytes: 16,
  /** Rows of a panel, of eight pieces each, that 128 lanes copy at a time. */
  panelRows: 16,
  /** Bytes of the barrier at which boxes arrive. */
  barrierBytes: 8,
  /** Fewest threads of a group: one warp alone waits for each of its loads. */
  leastThreads: 64,
  /** Most sums of a thread: more of them leave the registers. */
  mostSums: 128,
  /**
   * Registers of a thread: so many for each of its sums, operands counted, and for addresses and counters. The first are those of products of a warp,
   * which loads operands into registers, as NVRTC 12.4 compiles 261 drawn ones; where the depth is one step, it keeps fewer sums at a time, and takes fewer.
   * `npm run test:cuda -- --executor machine-code` says how often they are near.
   */
  warpRegisters: { perSum: 1.125, beside: 24 },
  groupRegisters: { perSum: 1, beside: 32 },
  /** A thread of a persistent group has more: the compiler keeps places of the result from round to round, and yet more of them where no further group fits. */
  persistentRegisters: { perSum: 1, beside: 40 },
  /**
   * Elements that extents of gathered matrices are rounded up to, with what an element then costs beside one of the largest: rows below 64 are not for
   * `wgmma`, and single tiles of 16 are rarely as many as warps can share.
   */
  roundings: [
    { size: 128, cost: 1 },
    { size: 64, cost: 1.02 },
    { size: 32, cost: 1.3 },
    { size: 16, cost: 1.6 },
  ],
  /** Fewest rows and columns of a product whose operands are gathered, most work for each that is asked for, and most bytes of its matrices. */
  leastGathered: 8,
  mostSurplus: 4,
  mostGatheredBytes: 2 ** 29,
} as const;
