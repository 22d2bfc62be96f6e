// Loops marked "vectorized" → vector statements. Loops and sequences inside go around the lanes; a statement that has no
// vector form gets a loop of its own over the lanes, to be unrolled.
//
//   for v in 0..8 (vectorized)
//     for k in 0..97                        →     for k in 0..97
//       C[i*8 + v] += A[i*97 + k] * B[k*8 + v]      C[ramp(i*8, 1, 8)] += broadcast(A[i*97 + k], 8) * B[ramp(k*8, 1, 8)]

import { byteSize } from "../../expr/dtype.ts";
import { add, and, constInt, forLoop, ifThen, min, mul, variable } from "../../ir/build.ts";
import { assume, conjunctsOf } from "../../ir/compare.ts";
import { widestBytesOf } from "../../ir/element-bytes.ts";
import type { Buffer, Expr, For, If, Prefetch, Stmt, Store } from "../../ir/loop-ir.ts";
import { insideLoop, noRanges, type Ranges, withRange } from "../../ir/ranges.ts";
import { seqOf, simplifyIndex, simplifyStmt } from "../../ir/simplify.ts";
import { updateFor, updatePrefetch, updateStore } from "../../ir/update.ts";
import { mapChildren, substituteStmt, walkStmt } from "../../ir/visit.ts";
import { vectorBytesOf } from "../../target/target.ts";
import { buffersOf } from "./lower-blocks.ts";
import type { Pass } from "./pass.ts";
import { activeLanes, mentions } from "./vectorize/active-lanes.ts";
import { foldLanes, foldsLanes } from "./vectorize/fold-lanes.ts";
import { lanesArePrivate } from "./vectorize/private-lanes.ts";
import { storeInTurns } from "./vectorize/store-in-turns.ts";
import { isIndex, type VectorSite, vectorIndex, vectorValue } from "./vectorize/vector-value.ts";

/** For vectors whose lanes are picked from runs of memory where they lie near each other. */
export const vectorize: Pass = vectorizing({ picksLanes: true });

/** For the short vectors of threads, which are loaded lane by lane then. */
export const vectorizeForThreads: Pass = vectorizing({ picksLanes: false });

function vectorizing({ picksLanes }: Pick<Context, "picksLanes">): Pass {
  return {
    name: "vectorize",
    run(func, { target }) {
      const vectorBytes = vectorBytesOf(target);
      return {
        ...func,
        body: vectorizeIn(func.body, { picksLanes, vectorBytes, buffers: buffersOf(func), ranges: noRanges }),
      };
    },
  };
}

interface Context {
  readonly picksLanes: boolean;
  readonly vectorBytes: number;
  readonly buffers: ReadonlyMap<string, Buffer>;
  readonly ranges: Ranges;
}

function vectorizeIn(stmt: Stmt, context: Context): Stmt {
  if (stmt.kind === "for" && stmt.mark === "vectorized") return vectorizeLoop(stmt, context);
  return mapChildren(stmt, (child) => vectorizeIn(child, insideOf(stmt, context)));
}

function insideOf(stmt: Stmt, context: Context): Context {
  if (stmt.kind !== "for") return context;
  return { ...context, ranges: withRange(context.ranges, stmt.name, 0, stmt.extent - 1) };
}

// ── the loop ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Full vectors in an unrolled loop, then the rest in smaller powers of two. */
function vectorizeLoop(loop: For, context: Context): Stmt {
  const isFolded = context.picksLanes && foldsLanes(loop);
  if (!isFolded && !lanesArePrivate(loop)) return unrolled(loop);
  const most = Math.max(1, context.vectorBytes / widestBytes(loop.body, context));
  const parts: Stmt[] = [];
  const isOneByOne = context.picksLanes && hasOddTurns(loop);
  for (let first = 0; first < loop.extent; ) {
    const lanes = 2 ** Math.floor(Math.log2(Math.min(most, loop.extent - first)));
    const count = lanes === most && !isOneByOne ? Math.floor((loop.extent - first) / lanes) : 1;
    parts.push(vectorPart(loop, { first, lanes, count }, context));
    first += lanes * count;
  }
  return seqOf(parts);
}

/** Says whether values take turns that vectors do not end with, as three channels do: each vector has other lanes than the one before. */
function hasOddTurns({ name, body }: For): boolean {
  let found = false;
  const visit = (expr: Expr): void => {
    if (expr.kind !== "binary" || (expr.op !== "mod" && expr.op !== "floorDiv") || expr.right.kind !== "const") return;
    found ||= isIndex(expr.left) && !isPowerOfTwo(expr.right.value) && mentions(expr.left, name);
  };
  walkStmt(
    body,
    () => {},
    (expr) => visit(expr),
  );
  return found;
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

const unrolled = (loop: For): Stmt => updateFor(loop, { mark: "unrolled" });

interface LaneRun {
  readonly first: number;
  readonly lanes: number;
  /** Number of vectors. */
  readonly count: number;
}

function vectorPart(loop: For, { first, lanes, count }: LaneRun, context: Context): Stmt {
  const outer = `${loop.name}.vector`;
  const around = withRange(context.ranges, outer, 0, count - 1);
  const ranges = insideLoop(around, updateFor(loop, { extent: lanes }));
  const start = add(mul(variable(outer), constInt(lanes)), constInt(first));
  const place = simplifyIndex(add(start, variable(loop.name)), ranges);
  const body = simplifyStmt(substituteStmt(loop.body, new Map([[loop.name, place]])), ranges);
  const lane: LaneLoop = { ...context, loop, lanes, ranges, active: null };
  const vector = lanes === 1 ? body : vectorStmt(body, lane);
  if (count === 1) return vector;
  return forLoop(outer, count, vector, "unrolled", loop.tail);
}

/** Bytes of the widest element that the values in `stmt` are made of: it decides how many fit a register. */
function widestBytes(stmt: Stmt, { buffers }: Context): number {
  let widest = 1;
  walkStmt(stmt, (each) => {
    if (each.kind === "store") {
      widest = Math.max(widest, widestBytesOf(each.value), byteSize[buffers.get(each.buffer)!.dtype]);
    }
  });
  return widest;
}

// ── statements under it ─────────────────────────────────────────────────────────────────────────────────────────────

interface LaneLoop extends Context {
  readonly loop: For;
  readonly lanes: number;
  /** Number of leading lanes that the conditions around the statement leave; null: all. */
  readonly active: Expr | null;
}

const siteOf = ({ loop, lanes, buffers, ranges, picksLanes }: LaneLoop): VectorSite => ({
  name: loop.name,
  lanes,
  buffers,
  ranges,
  picksLanes,
});

function vectorStmt(stmt: Stmt, lane: LaneLoop): Stmt {
  switch (stmt.kind) {
    case "for": {
      const turns = lane.active ? null : storeInTurns(stmt, siteOf(lane));
      if (turns) return turns;
      const inner = { ...lane, ranges: withRange(lane.ranges, stmt.name, 0, stmt.extent - 1) };
      const mark = stmt.mark === "vectorized" ? "unrolled" : stmt.mark;
      return updateFor(stmt, { mark, body: vectorStmt(stmt.body, inner) });
    }
    case "seq":
      return seqOf(stmt.body.map((each) => vectorStmt(each, lane)));
    case "if":
      return vectorIf(stmt, lane) ?? laneByLane(stmt, lane);
    case "store":
      return vectorStore(stmt, lane) ?? laneByLane(stmt, lane);
    case "prefetch":
      return vectorPrefetch(stmt, lane) ?? laneByLane(stmt, lane);
    case "sync":
      return stmt;
    case "define":
    case "assign":
    case "block":
      return laneByLane(stmt, lane);
  }
}

/** A loop over the lanes around one statement, under the conditions that `active` stands for. */
function laneByLane(stmt: Stmt, { loop, lanes, active }: LaneLoop): Stmt {
  const lane = variable(loop.name);
  const body = active ? ifThen({ kind: "binary", dtype: "bool", op: "lt", left: lane, right: active }, stmt) : stmt;
  return updateFor(loop, { extent: lanes, mark: "unrolled", body });
}

/** Vectorises an `if`. Conditions that are the same for all lanes stay; the others must leave a run of leading lanes. */
function vectorIf(stmt: If, lane: LaneLoop): Stmt | null {
  const { name } = lane.loop;
  const conditions = conjunctsOf(stmt.condition);
  const varying = conditions.filter((condition) => mentions(condition, name));
  const uniform = conditions.filter((condition) => !varying.includes(condition));
  if (varying.length > 0 && stmt.else) return null;
  const active = activeLanes(varying, name, lane.ranges);
  if (active === undefined) return null;
  const ranges = uniform.reduce((known, condition) => assume(condition, known), lane.ranges);
  const yes = vectorStmt(stmt.then, { ...lane, ranges, active: fewer(lane.active, active, ranges) });
  const no = stmt.else && vectorStmt(stmt.else, lane);
  return uniform.length === 0 ? yes : ifThen(uniform.reduce(and), yes, no);
}

export function fewer(a: Expr | null, b: Expr | null, ranges: Ranges): Expr | null {
  if (!a || !b) return a ?? b;
  return simplifyIndex(min(a, b), ranges);
}

/** Vectorises a hint. The lanes of a vector lie in one line, or in two, of which its neighbour has the other. */
function vectorPrefetch(stmt: Prefetch, lane: LaneLoop): Stmt | null {
  const [index] = stmt.indices;
  if (!mentions(index!, lane.loop.name)) return stmt;
  const vector = vectorIndex(index!, siteOf(lane));
  return vector?.kind === "ramp" ? updatePrefetch(stmt, [vector.base]) : null;
}

function vectorStore(stmt: Store, lane: LaneLoop): Stmt | null {
  const [site, { active }] = [siteOf(lane), lane];
  const index = vectorIndex(stmt.indices[0]!, site);
  if (!index) return lane.picksLanes ? foldLanes(stmt, site) : null;
  const value = vectorValue(stmt.value, site, active);
  if (!value) return null;
  const vector: Store = updateStore(stmt, { indices: [index], value: value.expr, active });
  if (!value.needsLane || !active) return vector;
  return ifThen({ kind: "binary", dtype: "bool", op: "ge", left: active, right: constInt(1) }, vector);
}
