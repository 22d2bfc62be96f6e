// The machine's numbers: sizes of its memories, and the cycles that its units take. Everything that limits or times a program is here.
//
// After VTA (Moreau et al., "A Hardware–Software Blueprint for Flexible Deep Learning Specialization", IEEE Micro 2019): three
// scratchpads, a matrix unit, a vector unit on the sums, and units for loads and stores that run beside them. Two things are
// simpler here. Instructions carry affine loops where VTA keeps lists of micro-operations in a fourth memory, and every two
// units have a queue of tokens, where VTA has queues between neighbours only.

export interface Machine {
  /** Elements that each scratchpad holds: i8, i8 and i32. */
  readonly inputs: number;
  readonly weights: number;
  readonly sums: number;
  /** Instructions that the program memory holds. */
  readonly instructions: number;
  /** Hardware loops of one product or vector instruction. */
  readonly loops: number;
  readonly nanosecondsPerCycle: number;
  readonly cycles: CycleCosts;
}

export interface CycleCosts {
  /** From the request of a transfer to its first element. */
  readonly transferLatency: number;
  /** Opening of a row of a transfer. */
  readonly transferRow: number;
  /** Bytes that the memory moves in a cycle, and zeros that padding writes in one. */
  readonly transferBytes: number;
  readonly paddingElements: number;
  /** Filling of the pipeline of the matrix unit and of the vector unit; then each takes a product or a vector a cycle. */
  readonly productLatency: number;
  readonly vectorLatency: number;
}

/** Elements of a vector: the side of the matrix unit. */
export const side = 16;

/** Elements of a tile of weights. */
export const tile = side * side;

/** The machine of the tests, at 100 MHz: an eighth of VTA's scratchpads, so that small operators meet their limits. */
export const vta: Machine = {
  inputs: 4 * 1024,
  weights: 32 * 1024,
  sums: 4 * 1024,
  instructions: 32 * 1024,
  loops: 4,
  nanosecondsPerCycle: 10,
  cycles: {
    transferLatency: 32,
    transferRow: 2,
    transferBytes: 8,
    paddingElements: 16,
    productLatency: 8,
    vectorLatency: 4,
  },
};
