// Blocks → explicit statements. Axes become what they are bound to; a condition stays only where bounds cannot prove it;
// the initialisation runs where all loops of the reduction are 0.
//
//   block C (i = i0*6 + i1 of 11, k)           if (i0*6 + i1 < 11)
//     C[i] += A[i, k]   init 0          →        if (k == 0) C[i0*6 + i1] = 0
//                                                C[i0*6 + i1] = C[i0*6 + i1] + A[i0*6 + i1, k]
//
// Under a loop with the tail "mask" a local buffer takes the surplus: the condition moves to the loads that would leave
// their buffers. That is harmless, for an instance in range reads what instances in range wrote. A register tile that
// lies in the surplus as a whole is left out.

import { type Affine, type AffineTerm, constantAffine, fromAffine, toAffine } from "../../ir/affine.ts";
import { boundsOf, boundsOfAffine } from "../../ir/bounds.ts";
import { isParameter } from "../../ir/buffer.ts";
import { and, constInt, constOf, eq, ifThen, select, variable } from "../../ir/build.ts";
import { assume, compareAffine } from "../../ir/compare.ts";
import type { Block, Buffer, Expr, For, LoopFunc, Stmt } from "../../ir/loop-ir.ts";
import { insideLoop, noRanges, type Ranges } from "../../ir/ranges.ts";
import { reduceLoopsOf } from "../../ir/reduce-loops.ts";
import { isNothing, seqOf, simplifyAffine, simplifyExpr, simplifyIndex, simplifyStmt } from "../../ir/simplify.ts";
import { isGridLoop } from "../../ir/thread-axes.ts";
import { updateFor } from "../../ir/update.ts";
import { mapChildren, mapExpr, substitute, varsIn } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import type { Pass } from "./pass.ts";

export const lowerBlocks: Pass = {
  name: "lower-blocks",
  run: (func) => ({
    ...func,
    body: lower(func.body, { ranges: noRanges, loops: new Map(), buffers: buffersOf(func) }),
  }),
};

interface Context {
  readonly ranges: Ranges;
  /** The loops around the statement; those that an intrinsic takes the place of have the mark of the outermost. */
  readonly loops: ReadonlyMap<string, For>;
  readonly buffers: ReadonlyMap<string, Buffer>;
}

export const buffersOf = (func: LoopFunc): ReadonlyMap<string, Buffer> =>
  new Map(func.buffers.map((buffer) => [buffer.name, buffer]));

function lower(stmt: Stmt, context: Context): Stmt {
  if (stmt.kind === "block") return lowerBlock(stmt, context);
  if (stmt.kind === "for") return lowerLoop(stmt, context);
  if (stmt.kind === "seq")
    return seqOf(
      stmt.body.map((each) => lower(each, context)),
      stmt,
    );
  return simplifyStmt(
    mapChildren(stmt, (child) => lower(child, context)),
    context.ranges,
  );
}

function lowerLoop(loop: For, context: Context): Stmt {
  const { ranges, loops, buffers } = context;
  const tensorized = [...loops.values()].find(isTensorized);
  const marked = tensorized ? updateFor(loop, { mark: tensorized.mark }) : loop;
  const inner = { ranges: insideLoop(ranges, loop), loops: new Map(loops).set(loop.name, marked), buffers };
  const body = lower(loop.body, inner);
  return (loop.extent === 1 && !isGridLoop(loop)) || isNothing(body) ? body : updateFor(loop, { body });
}

/** An axis of a block at a place: its value, and the conditions under which that is in range, as far as they are open. */
interface BoundAxis {
  readonly name: string;
  readonly role: "spatial" | "reduce";
  readonly binding: Expr;
  readonly conditions: readonly Expr[];
}

function lowerBlock(block: Block, context: Context): Stmt {
  const axes = block.axes.map((_, at) => boundAxis(block, at, context.ranges));
  if (axes.some(({ role, conditions }) => role === "spatial" && conditions.some(isFalse))) return seqOf([]);
  const dropped = surplusAxes(block, axes, context);
  const kept = axes.filter((axis) => !dropped.includes(axis));
  const tiles = dropped.flatMap(({ conditions }) => conditions.flatMap((each) => ofWholeTile(each, context)));
  const spatial = kept
    .filter(({ role }) => role === "spatial")
    .flatMap(({ conditions }) => conditions)
    .concat(tiles);
  const reduce = kept.filter(({ role }) => role === "reduce").flatMap(({ conditions }) => conditions);
  const inside = assumeAll(spatial, context.ranges);
  const site: BlockSite = { block, axes, dropped, ranges: inside, context };
  const init = block.init && guarded(firstUpdate(axes), storeOf(site, block.init));
  if (reduce.some(isFalse)) return init ? guarded(spatial, init) : seqOf([]);
  const update = guarded(reduce, storeOf({ ...site, ranges: assumeAll(reduce, inside) }, block.value));
  return guarded(spatial, seqOf(init ? [init, update] : [update]));
}

function boundAxis(block: Block, at: number, ranges: Ranges): BoundAxis {
  const { name, extent, role } = block.axes[at]!;
  const form = simplifyAffine(block.bindings[at]!, ranges);
  const conditions = [
    compareAffine("ge", form, constantAffine(0), ranges),
    compareAffine("lt", form, constantAffine(extent), ranges),
  ].filter((condition) => !isTrue(condition));
  return { name, role, binding: fromAffine(form), conditions };
}

const isTrue = (condition: Expr): boolean => condition.kind === "const" && condition.value !== 0;
const isFalse = (condition: Expr): boolean => condition.kind === "const" && condition.value === 0;

const assumeAll = (conditions: readonly Expr[], ranges: Ranges): Ranges =>
  conditions.reduce((known, condition) => assume(condition, known), ranges);

const guarded = (conditions: readonly Expr[], stmt: Stmt): Stmt =>
  conditions.length === 0 ? stmt : ifThen(conditions.reduce(and), stmt);

/** Conditions under which all loops of the reduction are in their first iteration. */
const firstUpdate = (axes: readonly BoundAxis[]): readonly Expr[] =>
  [...reduceLoopsOf(axes)].map((name) => eq(variable(name), constInt(0)));

// ── surplus ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The spatial axes that may run past their extents: of local buffers, under masked loops, where the store stays inside. */
function surplusAxes(block: Block, axes: readonly BoundAxis[], context: Context): readonly BoundAxis[] {
  const buffer = bufferOf(context, block.buffer);
  if (isParameter(buffer)) return [];
  const bindings = bindingsOf(axes);
  const masked = (axis: BoundAxis) =>
    [...varsIn(axis.binding)].some((name) => context.loops.get(name)?.tail === "mask");
  const dropped: BoundAxis[] = [];
  for (const axis of axes) {
    if (axis.role !== "spatial" || axis.conditions.length === 0 || !masked(axis)) continue;
    // The initialisation is not under the conditions of reduce axes.
    const others = axes.filter(
      (each) => each !== axis && !dropped.includes(each) && (each.role === "spatial" || !block.init),
    );
    const known = assumeAll(
      others.flatMap(({ conditions }) => conditions),
      context.ranges,
    );
    if (staysInside(buffer, block.indices, bindings, known)) dropped.push(axis);
  }
  return dropped;
}

const isTensorized = ({ mark }: For): boolean => mark.startsWith("tensorized ");

/** Unrolled, vectorised and tensorized loops make up the tile. */
const isAround = (loop: For | undefined): boolean => loop?.mark === "serial" || loop?.mark === "parallel";

/** Weakens a condition to one on the loops around a register tile: it holds if any instance of the tile is in range. */
function ofWholeTile(condition: Expr, { loops, ranges }: Context): readonly Expr[] {
  if (condition.kind !== "binary" || (condition.op !== "lt" && condition.op !== "ge")) return [];
  const { terms, constant } = toAffine(condition.left);
  const isOuter = ({ atom }: AffineTerm) => [...varsIn(atom)].every((name) => isAround(loops.get(name)));
  const inner = boundsOfAffine({ terms: terms.filter((term) => !isOuter(term)), constant }, ranges);
  const easiest = condition.op === "lt" ? inner.min : inner.max;
  if (!Number.isFinite(easiest)) return [];
  const outer: Affine = { terms: terms.filter(isOuter), constant: easiest };
  const weaker = compareAffine(condition.op, outer, toAffine(condition.right), ranges);
  return isTrue(weaker) ? [] : [weaker];
}

function bufferOf(context: Context, name: string): Buffer {
  const buffer = context.buffers.get(name);
  invariant(buffer, `there is no buffer ${name}`);
  return buffer;
}

const bindingsOf = (axes: readonly BoundAxis[]): ReadonlyMap<string, Expr> =>
  new Map(axes.map(({ name, binding }) => [name, binding]));

function staysInside(buffer: Buffer, indices: readonly Expr[], bindings: ReadonlyMap<string, Expr>, ranges: Ranges) {
  return indices.every((index, dim) => {
    const { min, max } = boundsOf(simplifyIndex(substitute(index, bindings), ranges), ranges);
    return min >= 0 && max < buffer.shape[dim]!;
  });
}

// ── the statement ───────────────────────────────────────────────────────────────────────────────────────────────────

interface BlockSite {
  readonly block: Block;
  readonly axes: readonly BoundAxis[];
  readonly dropped: readonly BoundAxis[];
  readonly ranges: Ranges;
  readonly context: Context;
}

function storeOf(site: BlockSite, value: Expr): Stmt {
  const bindings = bindingsOf(site.axes);
  const safe = site.dropped.length === 0 ? value : mapExpr(value, (expr) => guardedLoad(site, expr));
  const { buffer, indices } = site.block;
  return {
    kind: "store",
    buffer,
    indices: indices.map((index) => simplifyIndex(substitute(index, bindings), site.ranges)),
    value: simplifyExpr(substitute(safe, bindings), site.ranges),
    active: null,
  };
}

/** Load that happens only in range, where the surplus would take it out of its buffer; else 0 stands for it. */
function guardedLoad({ dropped, axes, ranges, context }: BlockSite, expr: Expr): Expr {
  if (expr.kind !== "load") return expr;
  const used = new Set(expr.indices.flatMap((index) => [...varsIn(index)]));
  // Storage that was moved is read at loops themselves.
  const isUsed = ({ name, binding }: BoundAxis): boolean =>
    used.has(name) || [...varsIn(binding)].some((loop) => used.has(loop));
  const open = dropped.filter(isUsed).flatMap(({ conditions }) => conditions);
  if (open.length === 0) return expr;
  if (staysInside(bufferOf(context, expr.buffer), expr.indices, bindingsOf(axes), ranges)) return expr;
  return select(open.reduce(and), expr, constOf(expr.dtype, 0));
}
