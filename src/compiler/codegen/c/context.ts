// State that all parts of the C generator share while one function is written.

import type { Buffer, Expr } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import type { Numerics } from "../../target/target.ts";
import type { Element, Piece } from "./element.ts";
import type { Names } from "./names.ts";
import type { Prelude } from "./prelude.ts";
import type { TileRegisters } from "./tile-registers.ts";

export interface Context {
  readonly prelude: Prelude;
  readonly names: Names;
  readonly buffers: ReadonlyMap<string, Buffer>;
  readonly numerics: Numerics;
  readonly vectorBytes: number;
  /** Bytes of the widest element that each local which is a vector meets: its pieces are as many lanes as then fill a register. */
  readonly widestOfLocals: ReadonlyMap<string, number>;
  /** Locals that are not cut into these pieces, but into pieces of the lanes given here. */
  readonly operandLocals: ReadonlyMap<string, number>;
  /** Locals that are tiles and no C variables. */
  readonly tiles: TileRegisters;
  /** Writes any expression: `emitExpression`. */
  readonly emit: (context: Context, expr: Expr, piece: Piece) => Value;
}

/** One piece of a value as C text. A bool is a u8 of 0 or 1 in a scalar and a mask of `element` in a vector. */
export interface Value {
  readonly text: string;
  readonly element: Element;
}

export function bufferOf({ buffers }: Context, name: string): Buffer {
  const buffer = buffers.get(name);
  invariant(buffer, `no buffer ${name} in this function`);
  return buffer;
}
