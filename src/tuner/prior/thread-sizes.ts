// Sizes that groups of threads without tensor cores are made by: the numbers that the rules of `thread-tiles` share. What GPUs do in a
// cycle is in gpu-machines.ts.

/** Sizes that a search tries, and limits of what is sensible. */
export const threadSizes = {
  /** Threads of a group along one axis. */
  threads: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  /** Rows, or vectors, of the sums of one thread. */
  registers: [1, 2, 4, 8],
  /** Elements of a vector in memory. */
  lanes: [1, 2, 4],
  /** Elements of the depth that are written out one after another, and how many times that makes a step. */
  unrolls: [1, 2, 4, 8],
  rounds: [1, 2, 4, 8],
  /** Elements of the depth in one step of copies to the memory of the group. */
  leastStep: 4,
  mostStep: 32,
  /** Parts of the depth that threads of one group add up beside each other. */
  slices: [2, 4, 8, 16, 32],
  /** Threads that add up a row, threads that add up what these have (1: each for itself), rows of a group, and rows of a thread. */
  rowThreads: [4, 8, 16, 32, 64, 128, 256],
  rowCombiners: [1, 2, 4, 8, 16],
  rowsOfGroup: [1, 2, 4, 8, 16],
  rowsOfThread: [2, 4, 8],
  /** Most parts of a row that each of its threads adds up for itself. */
  mostParts: 32,
  /** Elements of a row that a thread reads before it adds them up. */
  rowUnrolls: [1, 2, 4],
  /** Most rows, and least elements of a row, that many groups add up: a group for each would be few. */
  fewRows: 32,
  longRow: 8_192,
  /** Threads of many groups that add up one number. */
  sumThreads: [64, 256, 1024, 4096, 16_384],
  sumCombiners: [16, 32, 64],
  /** Groups of a map. */
  mapThreads: [32, 64, 128, 256],
  mapUnrolls: [1, 2, 4],
  /** Threads of a group along z, where the target names no limit: CUDA's. */
  mostAlongZ: 64,
  /** Groups of a launch, which an i32 counts. Those that a machine has no room for along an axis are folded over the others. */
  mostGroups: 2 ** 31 - 1,
  /** Fewest threads of a group: machines run so many together. */
  leastThreads: 32,
  /** Most sums of a thread: more of them leave the registers. */
  mostSums: 64,
  /** Registers for addresses and counters, and of those of sums in tiles: nearest to NVRTC 12.4's for schedules by lot. */
  registersBeside: 24,
  registersOfTiles: { direct: 14, copied: 24, sliced: 16 },
  /** Bytes of the least element in the memory of a group, which is made of words, and elements that its arrays begin at a multiple of. */
  groupWord: 4,
  groupAlignment: 4,
  /** Elements by which rows in the memory of a group are longer, so that they begin in different banks. */
  rowPadding: 4,
  /** Fewest elements of a row that several threads add up together. */
  leastRow: 16,
  /** Most results whose sums threads share the depth of, as there is too little work for the machine else, and the least depth. */
  fewResults: 16_384,
  leastSliced: 64,
  /** Parts of the depth that groups of their own add up, those that threads of a group share, the least of them, and most bytes of their sums. */
  parts: [2, 4, 8, 16, 32],
  slicedParts: [2, 4, 8, 16, 32, 64, 128],
  leastPart: 64,
  mostPartBytes: 2 ** 26,
  /** Most results for each element of the depth, that parts of it are tried for: groups of more results are enough. */
  resultsByDepth: 128,
  /** Most pieces of an operand that a thread copies in a step: they are written out. */
  mostCopies: 8,
  /** Most elements of a row that each of its threads keeps in registers. */
  mostKept: 32,
} as const;

/** Operations that a function such as exp takes, and those that say where a piece of a copy is from and goes to, and whether it is there. */
export const functionOperations = 12;
export const placeOperations = 10;
