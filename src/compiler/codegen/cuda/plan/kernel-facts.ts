// Facts of a function that both printers of CUDA want: where its buffers lie, and which of them copies and tiles are about.

import { accessedBuffers } from "../../../ir/accessed-buffers.ts";
import { copiedAhead, filledByBoxes } from "../../../ir/copied-ahead.ts";
import type { Buffer, LoopFunc } from "../../../ir/loop-ir.ts";
import { product } from "../../../support/integer-math.ts";
import { bytesOfElement } from "./elements.ts";
import { operandsIn, panelsIn, type TileOperand } from "./tiles.ts";

export interface KernelFacts {
  /** Memory of the group that copies in the background fill. */
  readonly ahead: ReadonlySet<string>;
  /** Buffers that lie in the memory of the group. */
  readonly group: ReadonlySet<string>;
  /** Buffers that lie in the memory of the device. */
  readonly global: ReadonlySet<string>;
  /** Buffers that are loaded from anywhere. */
  readonly read: ReadonlySet<string>;
  /** Operand that a local on a tile is of its products; others are sums. */
  readonly operands: ReadonlyMap<string, TileOperand>;
  /** Buffers that products read in panels. */
  readonly panels: ReadonlySet<string>;
  /** Bytes of an element of the buffers in the memory of the group whose pieces of 16 bytes are swapped. */
  readonly swizzled: ReadonlyMap<string, number>;
  /** Slots of the buffers that boxes fill. */
  readonly filled: ReadonlyMap<string, number>;
}

export function factsOf(func: LoopFunc): KernelFacts {
  const panels = panelsIn(func);
  const inGroup = func.buffers.filter(({ memory }) => memory === "group");
  return {
    ahead: copiedAhead(func.body),
    group: new Set(inGroup.map(({ name }) => name)),
    global: new Set(func.buffers.filter(isGlobal).map(({ name }) => name)),
    read: accessedBuffers(func.body).loaded,
    operands: operandsIn(func),
    panels,
    swizzled: new Map(
      inGroup.filter(({ name }) => panels.has(name)).map(({ name, dtype }) => [name, bytesOfElement(dtype)]),
    ),
    filled: filledByBoxes(func.body),
  };
}

const isGlobal = ({ memory }: Buffer): boolean => memory !== "group" && memory !== "register";

export const bytesOf = ({ dtype, shape }: Buffer): number => product(shape) * bytesOfElement(dtype);

/** Buffers whose addresses are arguments, in their order. */
export const arraysOf = ({ buffers }: LoopFunc): readonly Buffer[] =>
  buffers.filter(({ memory }) => memory === "caller" || memory === "workspace");
