// State of the printer of one function: names, and what is known of its buffers and locals.

import type { GroupProductText } from "../../intrinsic/cuda-wgmma.ts";
import type { WarpProductText } from "../../intrinsic/warp-product.ts";
import type { BoxMap } from "./cuda-source.ts";
import type { CudaContext } from "./expression.ts";

/** Place of a tile in the products that take it. */
export interface TileOperand {
  readonly side: "left" | "right";
  readonly text: WarpProductText | GroupProductText;
}

export interface StatementContext extends CudaContext {
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
  /** Slots of the buffers that boxes fill. */
  readonly filled: ReadonlyMap<string, number>;
  /** Whether the code is that of the one thread that asks for boxes and computes nothing. */
  readonly isCopier: boolean;
  /** Name of the map of an array for boxes. */
  readonly mapOf: (array: string, shape: Pick<BoxMap, "columns" | "box">) => string;
  readonly fresh: (stem: string) => string;
}
