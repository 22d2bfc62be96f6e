// Operation → the stretches of memory that it reads and writes: from the first to the last element, gaps included.

import type { HardwareLoop, Operation, Rectangle } from "../isa/instruction.ts";
import { side, tile } from "../machine.ts";

export interface Access {
  /** Name of a scratchpad, or of a buffer in memory. */
  readonly memory: string;
  readonly from: number;
  /** The element after the last. */
  readonly to: number;
  readonly writes: boolean;
}

export function accessesOf(operation: Operation): readonly Access[] {
  switch (operation.kind) {
    case "load": {
      const { above, below, left, right } = operation.padding;
      const whole = { ...operation, rows: above + operation.rows + below, columns: left + operation.columns + right };
      return [...inMemory(operation, false), inScratchpad(whole, true)];
    }
    case "store":
      return [inScratchpad(operation, false), ...inMemory(operation, true)];
    case "product": {
      const { sums, inputs, weights, loops, resets } = operation;
      const result = stretch("sums", sums, side, stepsOf(loops, 0), true);
      if (resets) return [result];
      const factors = [
        stretch("inputs", inputs, side, stepsOf(loops, 1), false),
        stretch("weights", weights, tile, stepsOf(loops, 2), false),
      ];
      return [result, { ...result, writes: false }, ...factors];
    }
    case "vector": {
      const { result, left, right, loops } = operation;
      const operands = [stretch("sums", left, side, stepsOf(loops, 1), false)];
      if (right.kind === "sums") operands.push(stretch("sums", right.address, side, stepsOf(loops, 2), false));
      return [stretch("sums", result, side, stepsOf(loops, 0), true), ...operands];
    }
  }
}

const inMemory = ({ buffer, offset, rows, columns, stride }: Rectangle, writes: boolean): readonly Access[] =>
  rows === 0 || columns === 0 ? [] : [stretch(`memory ${buffer}`, offset, columns, [(rows - 1) * stride], writes)];

const inScratchpad = ({ scratchpad, address, rows, columns, pitch }: Rectangle, writes: boolean): Access =>
  stretch(scratchpad, address, columns, [(rows - 1) * pitch], writes);

/** How far each loop moves an operand, from its first to its last iteration. */
const stepsOf = (loops: readonly HardwareLoop[], operand: number): readonly number[] =>
  loops.map(({ count, steps }) => (count - 1) * (steps[operand] ?? 0));

function stretch(memory: string, at: number, width: number, moves: readonly number[], writes: boolean): Access {
  const back = moves.reduce((sum, move) => sum + Math.min(0, move), 0);
  const forth = moves.reduce((sum, move) => sum + Math.max(0, move), 0);
  return { memory, from: at + back, to: at + forth + width, writes };
}
