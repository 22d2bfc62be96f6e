// Types of the instruction set: transfers, products, vector operations, and the tokens by which units wait for each other.

/** Memories of the machine: i8, i8 and i32. Addresses in them are elements. */
export type Scratchpad = "inputs" | "weights" | "sums";

/** Units that run beside each other, each its own instructions in order. Loads into the sums are the compute unit's. */
export const units = ["load", "compute", "store"] as const;
export type Unit = (typeof units)[number];

/** Tokens that an instruction takes before it starts, and gives when it has ended: at most one of each other unit. */
export interface Tokens {
  readonly waits: readonly Unit[];
  readonly signals: readonly Unit[];
}

/** A rectangle of elements in the memory and in a scratchpad: rows of columns, `stride` and `pitch` elements apart. */
export interface Rectangle {
  /** Name of a buffer in memory, and the element in it where the rectangle begins. */
  readonly buffer: string;
  readonly offset: number;
  readonly scratchpad: Scratchpad;
  /** Element of the scratchpad where the rectangle, its padding included, begins. */
  readonly address: number;
  readonly rows: number;
  readonly columns: number;
  /** Distance between rows in memory, and in the scratchpad. */
  readonly stride: number;
  readonly pitch: number;
}

/** Zeros around the rows and columns that a load brings. */
export interface Padding {
  readonly above: number;
  readonly below: number;
  readonly left: number;
  readonly right: number;
}

/** Brings a rectangle into a scratchpad, with zeros around it. Bytes become i32 on their way into the sums. */
export interface LoadOperation extends Rectangle {
  readonly kind: "load";
  readonly padding: Padding;
}

/** Takes a rectangle of sums to memory. A buffer of bytes gets the low byte of each. */
export interface StoreOperation extends Rectangle {
  readonly kind: "store";
  readonly scratchpad: "sums";
}

/** A loop of an instruction: how often, and how far each operand moves in an iteration. */
export interface HardwareLoop {
  readonly count: number;
  readonly steps: readonly number[];
}

/**
 * sums[1×16] += inputs[1×16] · weights[16×16] in every iteration of the loops, or sums[1×16] = 0 where it resets. Steps are
 * those of sums, inputs and weights.
 */
export interface ProductOperation {
  readonly kind: "product";
  readonly resets: boolean;
  readonly sums: number;
  readonly inputs: number;
  readonly weights: number;
  readonly loops: readonly HardwareLoop[];
}

export const vectorOps = ["add", "sub", "mul", "min", "max", "shr"] as const;
export type VectorOp = (typeof vectorOps)[number];

/** Second operand of a vector operation: an address of the sums, or a number. */
export type RightOperand =
  | { readonly kind: "sums"; readonly address: number }
  | { readonly kind: "immediate"; readonly value: number };

/** sums[1×16] = sums[1×16] op right in every iteration of the loops. Steps are those of the result and of both operands. */
export interface VectorOperation {
  readonly kind: "vector";
  readonly op: VectorOp;
  readonly result: number;
  readonly left: number;
  readonly right: RightOperand;
  readonly loops: readonly HardwareLoop[];
}

/** Work of an instruction, without the tokens around it. */
export type Operation = LoadOperation | StoreOperation | ProductOperation | VectorOperation;

export type Instruction = Operation & Tokens;

/** Buffer in memory. The machine's memory holds the caller's buffers, and those that a program keeps for itself. */
export interface MemoryBuffer {
  readonly name: string;
  readonly dtype: "i8" | "i32";
  readonly length: number;
  readonly role: "input" | "output" | "local";
}

export interface Program {
  readonly name: string;
  readonly buffers: readonly MemoryBuffer[];
  readonly instructions: readonly Instruction[];
}

export const noPadding: Padding = { above: 0, below: 0, left: 0, right: 0 };
export const noTokens: Tokens = { waits: [], signals: [] };

/** Returns the unit that executes the operation. */
export function unitOf(operation: Operation): Unit {
  switch (operation.kind) {
    case "load":
      return operation.scratchpad === "sums" ? "compute" : "load";
    case "store":
      return "store";
    case "product":
    case "vector":
      return "compute";
  }
}
