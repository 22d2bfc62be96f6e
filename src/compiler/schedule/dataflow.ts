// Who writes and reads which buffer, and in what order: the questions of the primitives that move a consumer.

import type { Block, Expr, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { someExpr, walkExpr } from "../ir/visit.ts";
import { bindAxes, blocksIn } from "./nest.ts";

/** The indices, over axes and loops, of every read of `buffer` in the block's value. A read that is shared counts once. */
export function loadsOf(block: Block, buffer: string): readonly (readonly Expr[])[] {
  const found = new Set<readonly Expr[]>();
  walkExpr(block.value, (node) => {
    if (node.kind === "load" && node.buffer === buffer) found.add(node.indices);
  });
  return [...found];
}

/** The indices of every read of `buffer` under a statement, over the loops. */
export const loadsUnder = (stmt: Stmt, buffer: string): readonly (readonly Expr[])[] =>
  blocksIn(stmt).flatMap((block) =>
    loadsOf(block, buffer).map((indices) => indices.map((index) => bindAxes(block, index))),
  );

export const readsFrom = ({ value }: Block, buffer: string): boolean =>
  someExpr(value, (node) => node.kind === "load" && node.buffer === buffer);

/** Names of the buffers that the block reads, its own included if it updates it. */
export function buffersRead(block: Block): ReadonlySet<string> {
  const names = new Set<string>();
  walkExpr(block.value, (node) => {
    if (node.kind === "load") names.add(node.buffer);
  });
  return names;
}

export const writersOf = (nest: LoopFunc, buffer: string): readonly Block[] =>
  blocksIn(nest.body).filter((block) => block.buffer === buffer);

export const readersOf = (nest: LoopFunc, buffer: string): readonly Block[] =>
  blocksIn(nest.body).filter((block) => readsFrom(block, buffer));

export interface LateOperand {
  readonly buffer: string;
  readonly writer: string;
}

/** An operand of `block`, other than those in `except`, that is written in `nestOfPlace` or after it. */
export function lateOperand(
  nest: LoopFunc,
  block: Block,
  nestOfPlace: Stmt,
  except: readonly string[],
): LateOperand | null {
  const order = blocksIn(nest.body);
  const late = order.slice(order.indexOf(blocksIn(nestOfPlace)[0]!));
  const wanted = [...buffersRead(block)].filter((buffer) => !except.includes(buffer));
  const writer = late.find((it) => wanted.includes(it.buffer));
  return writer ? { buffer: writer.buffer, writer: writer.name } : null;
}
