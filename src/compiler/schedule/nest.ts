// Questions and edits that all primitives share: where a loop or block is, what is inside, the nest with one of them
// replaced. Everything is found by name; names are unique in the scheduled form.

import type { Block, Buffer, Expr, For, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { reduceLoopsOfBlock } from "../ir/reduce-loops.ts";
import { updateFor } from "../ir/update.ts";
import { childrenOf, mapBlockExprs, mapChildren, substitute, walkStmt } from "../ir/visit.ts";
import { invariant } from "../support/invariant.ts";

/** The way from `root` (included) down to the first statement that `wanted` accepts (included), or null. */
export function pathTo(root: Stmt, wanted: (stmt: Stmt) => boolean): readonly Stmt[] | null {
  if (wanted(root)) return [root];
  for (const child of childrenOf(root)) {
    const path = pathTo(child, wanted);
    if (path) return [root, ...path];
  }
  return null;
}

const isLoop = (stmt: Stmt): stmt is For => stmt.kind === "for";

export interface LoopPlace {
  readonly loop: For;
  /** The loops around it, outermost first. */
  readonly around: readonly For[];
}

export function findLoop(func: LoopFunc, name: string): LoopPlace | null {
  const path = pathTo(func.body, (stmt) => stmt.kind === "for" && stmt.name === name);
  if (!path) return null;
  const loops = path.filter(isLoop);
  return { loop: loops.at(-1)!, around: loops.slice(0, -1) };
}

export interface BlockPlace {
  readonly block: Block;
  /** The loops around it, outermost first. */
  readonly around: readonly For[];
}

export function findBlock(func: LoopFunc, name: string): BlockPlace | null {
  const path = pathTo(func.body, (stmt) => stmt.kind === "block" && stmt.name === name);
  if (!path) return null;
  const block = path.at(-1)!;
  invariant(block.kind === "block", "the path to a block ends at it");
  return { block, around: path.filter(isLoop) };
}

/** Returns the blocks in order, `stmt` included. */
export function blocksIn(stmt: Stmt): readonly Block[] {
  const blocks: Block[] = [];
  walkStmt(stmt, (each) => {
    if (each.kind === "block") blocks.push(each);
  });
  return blocks;
}

/** Returns the loops, outer ones first, `stmt` included. */
export function loopsIn(stmt: Stmt): readonly For[] {
  const loops: For[] = [];
  walkStmt(stmt, (each) => {
    if (isLoop(each)) loops.push(each);
  });
  return loops;
}

export const bufferNamed = (func: LoopFunc, name: string): Buffer | undefined =>
  func.buffers.find((buffer) => buffer.name === name);

/** Says whether a new stage cannot have the name: a buffer has it, or a block whose own buffer was inlined into others. */
export const isNameTaken = (func: LoopFunc, name: string): boolean =>
  bufferNamed(func, name) !== undefined || blocksIn(func.body).some((block) => block.name === name);

/** `root` with the statements that `edit` answers for replaced; where it gives null the search goes on inside. */
export const editStmt = (root: Stmt, edit: (stmt: Stmt) => Stmt | null): Stmt =>
  edit(root) ?? mapChildren(root, (child) => editStmt(child, edit));

/** `root` without the members of its sequences that `dropped` accepts. */
export const dropFrom = (root: Stmt, dropped: (stmt: Stmt) => boolean): Stmt =>
  editStmt(root, (stmt) =>
    stmt.kind === "seq" && stmt.body.some(dropped)
      ? { kind: "seq", body: stmt.body.filter((member) => !dropped(member)) }
      : null,
  );

export const replaceLoop = (func: LoopFunc, name: string, by: (loop: For) => Stmt): LoopFunc => ({
  ...func,
  body: editStmt(func.body, (stmt) => (stmt.kind === "for" && stmt.name === name ? by(stmt) : null)),
});

export const mapBlocks = (root: Stmt, by: (block: Block) => Stmt): Stmt =>
  editStmt(root, (stmt) => (stmt.kind === "block" ? by(stmt) : null));

/** `root` with loop variables replaced in every block, wherever it names them. */
export const substituteInBlocks = (root: Stmt, by: ReadonlyMap<string, Expr>): Stmt =>
  mapBlocks(root, (block) => mapBlockExprs(block, (expr) => substitute(expr, by)));

/** An expression of a block in terms of the loops around it. */
export const bindAxes = (block: Block, expr: Expr): Expr =>
  substitute(expr, new Map(block.axes.map((axis, at) => [axis.name, block.bindings[at]!])));

/** Names of the loops that the reduction of a block runs over. */
export const reduceVars: (block: Block) => ReadonlySet<string> = reduceLoopsOfBlock;

/** Inserts buffers after those of the same function, keeping parameters first. */
export const withBuffer = (func: LoopFunc, buffer: Buffer): LoopFunc => ({
  ...func,
  buffers: [...func.buffers, buffer],
});

export const wrapLoops = (loops: readonly For[], body: Stmt): Stmt =>
  loops.reduceRight<Stmt>((inner, loop) => updateFor(loop, { body: inner }), body);
