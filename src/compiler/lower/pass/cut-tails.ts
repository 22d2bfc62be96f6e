// Loops with the tail "cut" → a main loop whose body needs no condition, and copies of the body for what is left. Any loop
// loses the iterations in which its body does nothing.
//
//   for i0 in 0..2 (cut)                       for i0 in 0..1
//     for i1 in 0..6                             for i1 in 0..6
//       if (i0*6 + i1 < 11) X           →          X
//                                              for i1 in 0..5
//                                                X with i0 = 1
//
// The same where a choice in a value has the same side in all but the outermost iterations: padding is read at borders alone. And where
// lanes of a vector have an index that is clamped or wrapped around: away from the edges it is a sum, and the lanes lie side by side.
//
// The copies of a parallel loop stay inside of it, as branches: threads share all of its iterations.

import { type Interval, intersect, unbounded, union } from "../../affine/interval.ts";
import { coefficientOf, toAffine, withoutVar } from "../../ir/affine.ts";
import { boundsOfAffine } from "../../ir/bounds.ts";
import { add, constInt, ge, ifThen, lt, variable } from "../../ir/build.ts";
import { assume, conjunctsOf } from "../../ir/compare.ts";
import { type EdgeIndex, isEdgeIndex, withoutEdges } from "../../ir/edges.ts";
import type { Expr, For, If, Select, Stmt } from "../../ir/loop-ir.ts";
import { insideLoop, noRanges, type Ranges, withRange } from "../../ir/ranges.ts";
import { isNothing, seqOf, simplifyStmt } from "../../ir/simplify.ts";
import { updateBinary, updateFor, updateIf } from "../../ir/update.ts";
import { someExpr, substituteStmt, walkExpr, walkStmt } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import type { Pass } from "./pass.ts";
import { isVectorLoop } from "./tensorize.ts";

/** Most statements that copies may add to a function; beyond it conditions stay. */
const maxAddedStatements = 256;
/** Iterations beside the main loop that get a copy each; more of them stay a loop. */
const maxPeeled = 2;

export const cutTails: Pass = {
  name: "cut-tails",
  run: (func) => ({ ...func, body: cut(func.body, noRanges, { left: maxAddedStatements }) }),
};

/** Statements that copies may still add. Shared by all loops of a function, outer ones first. */
interface CopyBudget {
  left: number;
}

function cut(stmt: Stmt, ranges: Ranges, budget: CopyBudget): Stmt {
  switch (stmt.kind) {
    case "for":
      return cutLoop(stmt, ranges, budget);
    case "seq":
      return seqOf(
        stmt.body.map((each) => cut(each, ranges, budget)),
        stmt,
      );
    case "if":
      return cutIf(stmt, ranges, budget);
    case "store":
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return stmt;
  }
}

function cutIf(stmt: If, ranges: Ranges, budget: CopyBudget): Stmt {
  invariant(stmt.else === null, "the passes before this one make no else");
  return updateIf(stmt, { then: cut(stmt.then, assume(stmt.condition, ranges), budget) });
}

/** Iterations of a loop: first ≤ name < end. */
interface Piece {
  readonly first: number;
  readonly end: number;
}

function cutLoop(loop: For, ranges: Ranges, budget: CopyBudget): Stmt {
  if (isVectorLoop(loop)) return withBody(loop, ranges, budget);
  const all = withRange(ranges, loop.name, 0, loop.extent - 1);
  const busy = intersect(busyRange(loop.body, loop.name, all), { min: 0, max: loop.extent - 1 });
  if (busy.min > busy.max) return seqOf([]);
  const isShared = loop.mark === "parallel";
  const whole: Piece = isShared ? { first: 0, end: loop.extent } : { first: busy.min, end: busy.max + 1 };
  const pieces = loop.tail === "cut" ? piecesOf(loop, whole, ranges, budget) : [whole];
  if (pieces.length === 1 && whole.end - whole.first === loop.extent) return withBody(loop, ranges, budget);
  if (isShared) return updateFor(loop, { body: branchesOf(loop, pieces, ranges, budget) });
  return seqOf(pieces.map((piece) => pieceOf(loop, piece, ranges, budget)));
}

function withBody(loop: For, ranges: Ranges, budget: CopyBudget): Stmt {
  const body = cut(loop.body, insideLoop(ranges, loop), budget);
  return isNothing(body) ? body : updateFor(loop, { body });
}

/** Pieces of a loop: the main part, without conditions, and what is before and after it; just the whole if that would not pay. */
function piecesOf(loop: For, whole: Piece, ranges: Ranges, budget: CopyBudget): readonly Piece[] {
  const range = { min: whole.first, max: whole.end - 1 };
  const free = freeIterations(loop, range, ranges);
  if (free.min > free.max || (free.min === range.min && free.max === range.max)) return [whole];
  const pieces = [
    ...peeled({ first: whole.first, end: free.min }),
    { first: free.min, end: free.max + 1 },
    ...peeled({ first: free.max + 1, end: whole.end }),
  ];
  const added = (pieces.length - 1) * statementsIn(loop.body);
  if (added > budget.left) return [whole];
  budget.left -= added;
  return pieces;
}

/**
 * Returns the iterations of `range` in which all conditions hold and all choices in values take their first side. Where there
 * is none, the conditions count alone.
 */
function freeIterations({ body, name }: For, range: Interval, ranges: Ranges): Interval {
  const inside = withRange(ranges, name, range.min, range.max);
  const decided = intersect(freeRange(body, name, inside, noLanes), range);
  return decided.min <= decided.max ? decided : intersect(freeRange(body, name, inside, null), range);
}

/** Names of the loops that will be lanes of vectors. */
type LaneLoops = ReadonlySet<string>;

const noLanes: LaneLoops = new Set();

function peeled({ first, end }: Piece): readonly Piece[] {
  if (end - first > maxPeeled) return [{ first, end }];
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => ({ first: first + at, end: first + at + 1 }));
}

function statementsIn(stmt: Stmt): number {
  let count = 0;
  walkStmt(stmt, ({ kind }) => {
    if (kind === "store") count++;
  });
  return count;
}

/** A loop over some of the iterations, counted from 0 again, or the one iteration. */
function pieceOf(loop: For, { first, end }: Piece, ranges: Ranges, budget: CopyBudget): Stmt {
  const extent = end - first;
  const moved = first > 0 && extent > 1;
  const shift = new Map([[loop.name, add(variable(loop.name), constInt(first))]]);
  const start = moved ? 0 : first;
  const inside = withRange(ranges, loop.name, start, start + extent - 1);
  const body = cut(simplifyStmt(moved ? substituteStmt(loop.body, shift) : loop.body, inside), inside, budget);
  return extent === 1 || isNothing(body) ? body : updateFor(loop, { extent, body });
}

/** The body for the iterations of each piece, which together are all. */
const branchesOf = (loop: For, pieces: readonly Piece[], ranges: Ranges, budget: CopyBudget): Stmt =>
  pieces.reduceRight<Stmt>((rest, { first, end }) => {
    const inside = withRange(ranges, loop.name, first, end - 1);
    const body = cut(simplifyStmt(loop.body, inside), inside, budget);
    return end === loop.extent ? body : ifThen(lt(variable(loop.name), constInt(end)), body, rest);
  }, seqOf([]));

// ── what conditions say about a loop ────────────────────────────────────────────────────────────────────────────────

type ConditionRange = (condition: Expr, name: string, ranges: Ranges) => Interval;

/** Returns the iterations outside of which the statement does nothing; a prefetch alone counts as nothing. */
function busyRange(stmt: Stmt, name: string, ranges: Ranges): Interval {
  switch (stmt.kind) {
    case "for":
      return busyRange(stmt.body, name, withRange(ranges, stmt.name, 0, stmt.extent - 1));
    case "seq":
      return stmt.body.map((each) => busyRange(each, name, ranges)).reduce(union, nowhere);
    case "if":
      return intersect(meeting(stmt, name, ranges, possible), busyRange(stmt.then, name, ranges));
    case "prefetch":
    case "sync":
      return nowhere;
    case "store":
    case "define":
    case "assign":
    case "block":
      return unbounded;
  }
}

/**
 * Returns the iterations in which every condition that depends on the loop holds, for all values of the other loops.
 *
 * @param lanes loops around the statement that will be lanes, where the conditions of choices in stored values have to hold too, and indices
 * of lanes have to be away from the edges; null: these do not count
 */
function freeRange(stmt: Stmt, name: string, ranges: Ranges, lanes: LaneLoops | null): Interval {
  switch (stmt.kind) {
    case "for": {
      const own = lanes && isVectorLoop(stmt) ? new Set([...lanes, stmt.name]) : lanes;
      return freeRange(stmt.body, name, withRange(ranges, stmt.name, 0, stmt.extent - 1), own);
    }
    case "seq":
      return stmt.body.map((each) => freeRange(each, name, ranges, lanes)).reduce(intersect, unbounded);
    case "if":
      return intersect(meeting(stmt, name, ranges, certain), freeRange(stmt.then, name, ranges, lanes));
    case "store":
      return lanes ? madeRange(stmt.value, name, ranges, lanes) : unbounded;
    case "define":
    case "assign":
    case "prefetch":
    case "sync":
    case "block":
      return unbounded;
  }
}

/**
 * Returns the iterations in which every choice in the value that depends on the loop takes its first side, and every index that lanes move
 * is away from the edges.
 */
function madeRange(value: Expr, name: string, ranges: Ranges, lanes: LaneLoops): Interval {
  let range = unbounded;
  walkExpr(value, (expr) => {
    if (expr.kind === "select") range = intersect(range, meeting(expr, name, ranges, certain));
    if (isEdgeIndex(expr) && movesWith(expr, lanes)) range = intersect(range, awayFromEdge(expr, name, ranges));
  });
  return range;
}

const movesWith = (expr: Expr, lanes: LaneLoops): boolean =>
  lanes.size > 0 && someExpr(expr, (each) => each.kind === "var" && lanes.has(each.name));

/** Returns the iterations in which an index is a sum; one that is wrapped around, as it is in the middle of the loop. */
function awayFromEdge(edge: EdgeIndex, name: string, ranges: Ranges): Interval {
  const index = withoutEdges(edge);
  const by = edge.right.value;
  const from = (least: number): Interval => certain(ge(index, constInt(least)), name, ranges);
  const upTo = (most: number): Interval => certain(lt(index, constInt(most + 1)), name, ranges);
  if (edge.op === "min") return upTo(by);
  if (edge.op === "max") return from(by);
  const { min, max } = boundsOfAffine(toAffine(index), ranges);
  const first = Math.floor((min + max) / 2 / by) * by;
  return intersect(from(first), upTo(first + by - 1));
}

const nowhere: Interval = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };

const meeting = ({ condition: all }: If | Select, name: string, ranges: Ranges, range: ConditionRange): Interval =>
  conjunctsOf(all)
    .map((condition) => range(condition, name, ranges))
    .reduce(intersect);

/** Values of the loop for which the condition can hold, for some values of the others. */
const possible: ConditionRange = (condition, name, ranges) => {
  if (condition.kind !== "binary" || condition.op !== "eq") return solve(condition, name, ranges, ({ min }) => min);
  const [most, least] = [
    updateBinary(condition, { op: "lt", right: add(condition.right, constInt(1)) }),
    updateBinary(condition, { op: "ge" }),
  ];
  return intersect(possible(most, name, ranges), possible(least, name, ranges));
};

/** Values of the loop for which the condition holds, for all values of the others. */
const certain: ConditionRange = (condition, name, ranges) => solve(condition, name, ranges, ({ max }) => max);

/** Solves `c·name + rest ≤ limit` for the loop, with the rest at the end of its bounds that `worst` picks. */
function solve(condition: Expr, name: string, ranges: Ranges, worst: (rest: Interval) => number): Interval {
  if (condition.kind !== "binary" || condition.right.kind !== "const") return unbounded;
  if (condition.op !== "lt" && condition.op !== "ge") return unbounded;
  const sign = condition.op === "lt" ? 1 : -1;
  const form = toAffine(condition.left);
  const coefficient = sign * coefficientOf(form, name);
  if (coefficient === 0) return unbounded;
  const { min, max } = boundsOfAffine(withoutVar(form, name), ranges);
  const rest = worst(sign > 0 ? { min, max } : { min: -max, max: -min });
  const limit = condition.op === "lt" ? condition.right.value - 1 : -condition.right.value;
  const bound = (limit - rest) / coefficient;
  if (Number.isNaN(bound)) return unbounded;
  return coefficient > 0 ? { ...unbounded, max: Math.floor(bound) } : { ...unbounded, min: Math.ceil(bound) };
}
