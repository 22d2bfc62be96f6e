// Writers and readers of each buffer, and their order: the questions of the primitives that move a consumer.

import type { Block, Expr, Load, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { mapBlockExprs, mapExpr, walkExpr } from "../ir/visit.ts";
import { remembered } from "../support/remembered.ts";
import { bindAxes, blocksIn } from "./nest.ts";

/** Buffer → its reads, each once. */
type Reads = ReadonlyMap<string, ReadonlySet<Load>>;

/** Reads in a value, remembered: every instruction asks, and few change a value. */
const readsIn = remembered((value: Expr): Reads => {
  const reads = new Map<string, Set<Load>>();
  walkExpr(value, (node) => {
    if (node.kind !== "load") return;
    const loads = reads.get(node.buffer) ?? new Set();
    reads.set(node.buffer, loads.add(node));
  });
  return reads;
});

const none: readonly never[] = [];

/** Every read of `buffer` in the block's value. A read that is shared counts once. */
export const loadsIn = ({ value }: Block, buffer: string): readonly Load[] => [...(readsIn(value).get(buffer) ?? none)];

/** Indices of the loads of a buffer, over axes and loops. */
export const loadsOf = (block: Block, buffer: string): readonly (readonly Expr[])[] =>
  loadsIn(block, buffer).map(({ indices }) => indices);

/** The indices of every read of `buffer` under a statement, over the loops. */
export const loadsUnder = (stmt: Stmt, buffer: string): readonly (readonly Expr[])[] =>
  blocksIn(stmt).flatMap((block) =>
    loadsOf(block, buffer).map((indices) => indices.map((index) => bindAxes(block, index))),
  );

export const readsFrom = ({ value }: Block, buffer: string): boolean => readsIn(value).has(buffer);

/** Names of the buffers that the block reads, its own included if it updates it. */
export const buffersRead = ({ value }: Block): ReadonlySet<string> => new Set(readsIn(value).keys());

/** A block with its reads of a buffer rewritten; a read that is shared, once. */
export function mapLoads(block: Block, buffer: string, by: (load: Load) => Expr): Block {
  if (!readsFrom(block, buffer) && !block.init) return block;
  const done = new Map<Load, Expr>();
  const rewritten = (load: Load): Expr => {
    const moved = done.get(load) ?? by(load);
    done.set(load, moved);
    return moved;
  };
  return mapBlockExprs(block, (expr) =>
    mapExpr(expr, (node) => (node.kind === "load" && node.buffer === buffer ? rewritten(node) : node)),
  );
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
