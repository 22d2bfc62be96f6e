// Operation + machine → the cycles that its unit is busy with it.

import type { HardwareLoop, LoadOperation, Operation, Rectangle } from "../isa/instruction.ts";
import type { Machine } from "../machine.ts";

/** @param elementBytes bytes of an element of the buffer that a transfer names */
export function cyclesOf(operation: Operation, { cycles }: Machine, elementBytes: number): number {
  switch (operation.kind) {
    case "load": {
      const zeros = Math.ceil(paddedElements(operation) / cycles.paddingElements);
      return transferCycles(operation, cycles, elementBytes) + zeros;
    }
    case "store":
      return transferCycles(operation, cycles, elementBytes);
    case "product":
      return cycles.productLatency + iterations(operation.loops);
    case "vector":
      return cycles.vectorLatency + iterations(operation.loops);
  }
}

const transferCycles = ({ rows, columns }: Rectangle, cycles: Machine["cycles"], elementBytes: number): number =>
  cycles.transferLatency + rows * (cycles.transferRow + Math.ceil((columns * elementBytes) / cycles.transferBytes));

/** Number of zeros that a load writes. */
export function paddedElements({ rows, columns, padding }: LoadOperation): number {
  const { above, below, left, right } = padding;
  return (above + rows + below) * (left + columns + right) - rows * columns;
}

export const iterations = (loops: readonly HardwareLoop[]): number =>
  loops.reduce((product, { count }) => product * count, 1);
