// Sliding windows: neighbouring iterations of a loop share a part of the region that a producer under it computes. The
// producer is split into the part that the first iteration needs beforehand, and the part that each iteration adds.
//
//   for Q.i                                   for P.first.i in 0..w-m: block P.first (i = P.first.i)
//     for P.i in 0..w: block P (i = m*Q.i + P.i)   →   for Q.i
//                                               for P.i in 0..m: block P (i = m*Q.i + w-m + P.i)

import { type Affine, coefficientOf, fromAffine } from "../ir/affine.ts";
import { add, constInt, variable } from "../ir/build.ts";
import { loopName } from "../ir/from-compute.ts";
import type { Block, Expr, For, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { simplifyExpr } from "../ir/simplify.ts";
import { isThreadLoop } from "../ir/thread-axes.ts";
import { updateBlock, updateFor } from "../ir/update.ts";
import { mapBlockExprs, substitute, varsIn } from "../ir/visit.ts";
import { invariant } from "../support/invariant.ts";
import { readsFrom } from "./dataflow.ts";
import { blocksIn, editStmt, findBlock, replaceLoop, wrapLoops } from "./nest.ts";
import { storageOf } from "./storage.ts";

export interface SlidingWindow {
  readonly block: string;
  /** The loop along which the window moves: the one that the producer is computed under. */
  readonly at: string;
  readonly dim: number;
  /** Elements of the window, and how many of them are new in each iteration. */
  readonly width: number;
  readonly move: number;
}

export interface NoWindow {
  readonly why: string;
  /** Names of the guilty loops. */
  readonly loops: readonly string[];
  readonly hint: string | null;
}

const none = (why: string, loops: readonly string[] = [], hint: string | null = null): NoWindow => ({
  why,
  loops,
  hint,
});

export function windowOf(nest: LoopFunc, buffer: string): SlidingWindow | NoWindow {
  const writers = blocksIn(nest.body).filter((block) => block.buffer === buffer);
  const [block] = writers;
  if (!block) return none(`nobody writes ${buffer}`);
  const { around } = findBlock(nest, block.name)!;
  const own = around.slice(-block.axes.length);
  const wanted = block.axes.map((axis) => loopName(block.name, axis.name));
  if (writers.length > 1 || own.map(({ name }) => name).join() !== wanted.join() || !isChain(own, block)) {
    return none(`${block.name} has been scheduled already`, [], "slide first, tile then");
  }
  const at = around.at(-block.axes.length - 1);
  if (!at) return none(`${block.name} is not under a loop of its consumer`, [], "compute-at comes first");
  return moving(nest, { block, own, at, buffer });
}

/** Loops with nothing between them, and in the last one the block. */
const isChain = (loops: readonly For[], block: Block): boolean =>
  loops.every(({ body }, at) => body === (loops[at + 1] ?? block));

interface Producer {
  readonly block: Block;
  /** A loop for each axis. */
  readonly own: readonly For[];
  readonly at: For;
  readonly buffer: string;
}

function moving(nest: LoopFunc, { block, own, at, buffer }: Producer): SlidingWindow | NoWindow {
  const dims = storageOf(nest, buffer);
  invariant(dims, "the storage has a start");
  const driven = dims.flatMap(({ start, step }, dim) =>
    varsIn(fromAffine(start)).has(at.name) ? [{ dim, start, step }] : [],
  );
  const [only] = driven;
  const apart = none(`iterations of ${at.name} have no elements of ${buffer} in common`, [at.name]);
  if (!only || driven.length > 1) return apart;
  const width = own[spatialAt(block, only.dim)]!.extent;
  const move = coefficientOf(only.start, at.name) / only.step;
  if (!isPlain(only.start, at.name) || !Number.isInteger(move) || move < 1 || move >= width) return apart;
  if (at.mark === "parallel" || at.mark === "vectorized") return none(`${at.name} is ${at.mark}`, [at.name]);
  if (isThreadLoop(at)) return none(`${at.name} is bound to ${at.mark}`, [at.name]);
  const local = blocksIn(at).find((other) => other !== block && readsFrom(block, other.buffer));
  if (local) return none(`${block.name} reads ${local.buffer}, which is computed under ${at.name} too`, [at.name]);
  return { block: block.name, at: at.name, dim: only.dim, width, move };
}

/** Says whether the variable is in no quotient and no remainder. */
const isPlain = ({ terms }: Affine, name: string): boolean =>
  terms.every(({ atom }) => atom.kind === "var" || !varsIn(atom).has(name));

const spatialAt = ({ axes }: Block, dim: number): number =>
  axes.flatMap(({ role }, at) => (role === "spatial" ? [at] : []))[dim]!;

/** The nest with the producer's work split; its buffer must outlive the loop that the window moves along. */
export function slideWindow(nest: LoopFunc, window: SlidingWindow): LoopFunc {
  const { block, around } = findBlock(nest, window.block)!;
  const own = around.slice(-block.axes.length);
  const axis = spatialAt(block, window.dim);
  const common = window.width - window.move;
  const steady = over(own, block, { axis, from: common, extent: window.move });
  const first = firstWindow(over(own, block, { axis, from: 0, extent: common }), window, own);
  return replaceLoop(nest, window.at, (loop) => ({
    kind: "seq",
    body: [first, editStmt(loop, (stmt) => (stmt === own[0] ? steady : null))],
  }));
}

interface WindowPart {
  readonly axis: number;
  /** First element and number of elements of the window along the axis. */
  readonly from: number;
  readonly extent: number;
}

/** The producer's nest over a part of its window. */
function over(own: readonly For[], block: Block, { axis, from, extent }: WindowPart): Stmt {
  const { name } = own[axis]!;
  const shift = new Map([[name, add(variable(name), constInt(from))]]);
  const loops = own.map((loop, at) => (at === axis ? updateFor(loop, { extent }) : loop));
  return wrapLoops(loops, tidy(mapBlockExprs(block, (expr) => substitute(expr, shift))));
}

const tidy = (block: Block): Block =>
  updateBlock(block, {
    bindings: block.bindings.map((binding) => simplifyExpr(binding)),
    indices: block.indices.map((index) => simplifyExpr(index)),
  });

/** Nest of the producer that stands before the first iteration, under names of its own. */
function firstWindow(nest: Stmt, { block, at }: SlidingWindow, own: readonly For[]): Stmt {
  const named = (name: string): string => name.replace(block, `${block}.first`);
  const names = new Map<string, Expr>(own.map(({ name }) => [name, variable(named(name))]));
  names.set(at, constInt(0));
  return editStmt(nest, rename);

  function rename(stmt: Stmt): Stmt | null {
    if (stmt.kind === "for") return updateFor(stmt, { name: named(stmt.name), body: editStmt(stmt.body, rename) });
    if (stmt.kind !== "block") return null;
    const moved = tidy(mapBlockExprs(stmt, (expr) => substitute(expr, names)));
    return updateBlock(moved, { name: named(stmt.name) });
  }
}
