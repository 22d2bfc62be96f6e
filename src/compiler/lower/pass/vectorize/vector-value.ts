// A scalar value over the lanes of a vectorised loop → the vector of its values. A value that is the same for all lanes
// stays scalar until it meets a vector; contiguous loads become ramps; the rest is put together lane by lane.
//
//   A[i*97 + k] * B[k*8 + v]          →   broadcast(A[i*97 + k], 8) * B[ramp(k*8, 1, 8)]
//   B[(v mod 2)*97 + v floorDiv 2]    →   interleave(B[ramp(0, 1, 4)], B[ramp(97, 1, 4)])

import { type Affine, coefficientOf, fromAffine, termsKey, toAffine, withoutVar } from "../../../ir/affine.ts";
import { boundsOf } from "../../../ir/bounds.ts";
import {
  add,
  binary,
  broadcast,
  constInt,
  constOf,
  interleave,
  lanesFrom,
  lt,
  min,
  mul,
  ramp,
  select,
  variable,
} from "../../../ir/build.ts";
import { conjunctsOf } from "../../../ir/compare.ts";
import { isLargeExpr } from "../../../ir/graph.ts";
import { runsOf, windowsOf } from "../../../ir/lane-windows.ts";
import { lanesOf } from "../../../ir/lanes.ts";
import type { Binary, Buffer, Expr, Load, Select } from "../../../ir/loop-ir.ts";
import { insideLoop, type Ranges, withRange } from "../../../ir/ranges.ts";
import { simplifyAffine, simplifyExpr, simplifyIndex } from "../../../ir/simplify.ts";
import { updateBinary, updateLoad, updateOperand } from "../../../ir/update.ts";
import { operandsOf, someExpr, substitute, walkExpr } from "../../../ir/visit.ts";
import { operandsFirst } from "../../../support/graph.ts";
import { activeLanes, mentions } from "./active-lanes.ts";
import { countInstructions } from "./count-instructions.ts";
import { pickHalves } from "./pick-halves.ts";

export interface VectorSite {
  /** Name of the vectorised loop. */
  readonly name: string;
  readonly lanes: number;
  /** Buffers by name, each with one dimension. */
  readonly buffers: ReadonlyMap<string, Buffer>;
  readonly ranges: Ranges;
  /** Whether code generators pick lanes from runs of memory. */
  readonly picksLanes: boolean;
}

export interface VectorValue {
  /** The vector, of `lanes` lanes. */
  readonly expr: Expr;
  /** Whether it loads a scalar that may be out of reach where no lane is active. */
  readonly needsLane: boolean;
}

/** Vectorises a value; null if it has no vector form. `active`: only so many leading lanes count, and only those may load freely. */
export function vectorValue(value: Expr, site: VectorSite, active: Expr | null): VectorValue | null {
  const turns = active ? null : inTurns(value, site);
  const together = turns && !site.picksLanes ? null : allLanes(value, site, active);
  const isShorter = turns && together && countInstructions(together.expr) < countInstructions(turns);
  return turns && !isShorter ? { expr: turns, needsLane: false } : together;
}

function allLanes(value: Expr, site: VectorSite, active: Expr | null): VectorValue | null {
  const state: State = { site, active, needsLane: false, memory: memoryFor(value, site) };
  // Nodes are visited from the leaves up, so that a deep expression needs no deep recursion.
  for (const node of state.memory?.values ?? []) vectorOf(node, state);
  const expr = vectorOf(value, state);
  return expr && { expr: broadcast(expr, site.lanes), needsLane: state.needsLane };
}

/**
 * Vectorises a value that alternates with the lane, such as one chosen by lane mod 2: one vector for each alternative,
 * interleaved. Null: there are no alternatives, or the lanes of one would have to be collected one by one.
 */
function inTurns(value: Expr, { name, lanes, buffers, ranges, picksLanes }: VectorSite): Expr | null {
  const count = value.dtype === "bool" ? null : turnsOf(value, name);
  if (!count || lanes <= count) return null;
  const site: VectorSite = {
    name,
    lanes: lanes / count,
    buffers,
    picksLanes,
    ranges: insideLoop(ranges, { name, extent: lanes / count, mark: "vectorized" }),
  };
  const parts = Array.from({ length: count }, (_, turn) => {
    const lane = add(mul(variable(name), constInt(count)), constInt(turn));
    const part = simplifyExpr(substitute(value, new Map([[name, lane]])), site.ranges);
    return vectorValue(part, site, null)?.expr;
  });
  if (!parts.every((part) => part && !someExpr(part, ({ kind }) => kind === "lanes"))) return null;
  return interleave(parts as Expr[]);
}

/** The number that all remainders of the lane, if there are any, are of. */
function turnsOf(value: Expr, lane: string): 2 | 4 | 8 | null {
  const found = new Set<number>();
  walkExpr(value, (expr) => {
    const isOfLane = expr.kind === "binary" && expr.op === "mod" && isIndex(expr.left) && mentions(expr.left, lane);
    if (isOfLane) found.add(expr.right.kind === "const" ? expr.right.value : 0);
  });
  const [count] = found;
  return found.size === 1 && (count === 2 || count === 4 || count === 8) ? count : null;
}

/** The ramp of an index that moves by one from lane to lane, else null. */
export function vectorIndex(index: Expr, { name, lanes, ranges }: VectorSite): Expr | null {
  const form = simplifyAffine(index, ranges);
  const rest = withoutVar(form, name);
  if (coefficientOf(form, name) !== 1 || rest.terms.some(({ atom }) => mentions(atom, name))) return null;
  return ramp(fromAffine(rest), 1, lanes);
}

interface State {
  readonly site: VectorSite;
  readonly active: Expr | null;
  needsLane: boolean;
  /** Results kept for the nodes of a large value; null for a small one. */
  readonly memory: ValueMemory | null;
}

interface ValueMemory {
  /** Nodes, operands before what is made of them; no indices. */
  readonly values: readonly Expr[];
  /** Whether the node is not the same in all lanes. */
  readonly varies: ReadonlyMap<Expr, boolean>;
  readonly vectors: Map<Expr, Expr | null>;
  /** Whether the value is one side of a choice. */
  readonly isSide: boolean;
}

function memoryFor(value: Expr, { name }: VectorSite): ValueMemory | null {
  if (!isLargeExpr(value)) return null;
  const varies = new Map<Expr, boolean>();
  for (const node of operandsFirst(value, operandsOf)) {
    const isLane = node.kind === "var" && node.name === name;
    varies.set(node, isLane || operandsOf(node).some((operand) => varies.get(operand)));
  }
  const values = operandsFirst(value, (node) => (node.kind === "load" ? [] : operandsOf(node)));
  return { values, varies, vectors: new Map(), isSide: false };
}

/** A scalar where all lanes are the same, else a vector; null if there is no vector form. */
function vectorOf(expr: Expr, state: State): Expr | null {
  const known = state.memory?.vectors.get(expr);
  if (known !== undefined) return known;
  const vector = findVector(expr, state);
  state.memory?.vectors.set(expr, vector);
  return vector;
}

function findVector(expr: Expr, state: State): Expr | null {
  if (!(state.memory?.varies.get(expr) ?? mentions(expr, state.site.name))) return uniform(expr, state);
  if (expr.dtype === "i32" && isIndex(expr)) return indexVector(expr, state.site);
  switch (expr.kind) {
    case "load":
      return loadVector(expr, state);
    case "binary":
      return binaryVector(expr, state);
    case "select":
      return selectVector(expr, state);
    case "unary":
    case "cast":
    case "bitcast": {
      const operand = vectorOf(expr.operand, state);
      return operand && updateOperand(expr, operand);
    }
    case "const":
    case "var":
    case "local":
    case "shuffle":
    case "ramp":
    case "broadcast":
    case "lanes":
    case "interleave":
    case "pick":
    case "fold":
    case "intrinsic":
      return null;
  }
}

function uniform(expr: Expr, state: State): Expr {
  if (state.active && someExpr(expr, (each) => each.kind === "load" && !isInside(each, state.site))) {
    state.needsLane = true;
  }
  return expr;
}

/** Says whether every index that the loop's variables can make lies in the buffer. */
function isInside({ buffer, indices }: Load, { buffers, ranges }: VectorSite): boolean {
  const { min: first, max: last } = boundsOf(indices[0]!, ranges);
  return first >= 0 && last < buffers.get(buffer)!.shape[0]!;
}

/** Says whether all active lanes of a load lie in the buffer: the first does, and so does the last. */
function isInsideFor({ buffer, indices }: Load, active: Expr, { name, buffers, ranges }: VectorSite): boolean {
  const form = simplifyAffine(indices[0]!, ranges);
  if (coefficientOf(form, name) < 0 || withoutVar(form, name).terms.some(({ atom }) => mentions(atom, name)))
    return false;
  const at = (lane: Expr): Expr => simplifyIndex(substitute(indices[0]!, new Map([[name, lane]])), ranges);
  const first = boundsOf(at(constInt(0)), ranges).min;
  const last = boundsOf(at(add(active, constInt(-1))), ranges).max;
  return first >= 0 && last < buffers.get(buffer)!.shape[0]!;
}

/** Says whether an expression is made of loop variables alone. */
export const isIndex = (expr: Expr): boolean =>
  !someExpr(expr, ({ kind }) => kind !== "var" && kind !== "const" && kind !== "binary" && kind !== "unary");

function indexVector(expr: Expr, site: VectorSite): Expr {
  const form = simplifyAffine(expr, site.ranges);
  const rest = withoutVar(form, site.name);
  if (rest.terms.some(({ atom }) => mentions(atom, site.name))) return placesOfLanes(expr, site);
  return ramp(fromAffine(rest), coefficientOf(form, site.name), site.lanes);
}

/** An index in every lane: one place in all of them, and the distance of each from it, where these are constants. */
function placesOfLanes(expr: Expr, site: VectorSite): Expr {
  const elements = elementsOf(expr, site);
  const forms = elements.map((element) => toAffine(element));
  const [{ terms, constant }] = forms as [Affine];
  const key = termsKey(terms);
  if (terms.length === 0 || !forms.every((form) => termsKey(form.terms) === key)) return lanesFrom(elements);
  const distances = forms.map((form) => constInt(form.constant - constant));
  return add(broadcast(elements[0]!, site.lanes), lanesFrom(distances));
}

/** `expr` worked out for each lane. */
const laneByLane = (expr: Expr, site: VectorSite): Expr => lanesFrom(elementsOf(expr, site));

const elementsOf = (expr: Expr, { name, lanes, ranges }: VectorSite): readonly Expr[] =>
  Array.from({ length: lanes }, (_, at) => simplifyExpr(expr, withRange(ranges, name, at, at)));

/** Works `expr` out like `laneByLane`, but inactive lanes are 0, so that nothing is loaded for them. */
function guardedLanes(expr: Expr, { site, active }: State): Expr {
  const isSafe = !someExpr(expr, (each) => each.kind === "load" && !isInside(each, site));
  if (!active || isSafe) return laneByLane(expr, site);
  const { name, lanes, ranges } = site;
  const elements = Array.from({ length: lanes }, (_, at) => {
    const element = simplifyExpr(expr, withRange(ranges, name, at, at));
    return select(lt(constInt(at), active), element, constOf(expr.dtype, 0));
  });
  return lanesFrom(elements.map((element) => simplifyExpr(element, ranges)));
}

function loadVector(expr: Load, state: State): Expr {
  const index = vectorIndex(expr.indices[0]!, state.site);
  if (expr.active) return guardedLanes(expr, state);
  if (!index) return nearLanes(expr, state) ?? guardedLanes(expr, state);
  const vector: Load = updateLoad(expr, { indices: [index] });
  return isInside(vector, state.site) ? vector : updateLoad(vector, { active: state.active });
}

/** Lanes that lie near each other, picked from runs of memory. Null: each is loaded on its own. */
function nearLanes(expr: Load, { site, active }: State): Expr | null {
  const { name, lanes, ranges, buffers, picksLanes } = site;
  if (!picksLanes || expr.dtype === "bool") return null;
  if (!isInside(expr, site)) return active && activeStride(expr, active, site);
  const index = expr.indices[0]!;
  const elements = Array.from({ length: lanes }, (_, at) => simplifyIndex(index, withRange(ranges, name, at, at)));
  const windows = windowsOf(elements, { length: buffers.get(expr.buffer)!.shape[0]!, ranges });
  if (!windows || windows.runs.width === 1) return null;
  const { base, runs } = windows;
  const parts = runs.starts.map((start) =>
    updateLoad(expr, { indices: [ramp(simplifyIndex(add(base, constInt(start)), ranges), 1, runs.width)] }),
  );
  return pickHalves(parts, runs.picks);
}

/** Lanes in a stride of which only the active ones lie in the buffer: runs are loaded as far as these go. Null: they are in no stride. */
function activeStride(expr: Load, active: Expr, { name, lanes, ranges }: VectorSite): Expr | null {
  const form = simplifyAffine(expr.indices[0]!, ranges);
  const stride = coefficientOf(form, name);
  const rest = withoutVar(form, name);
  if (stride < 2 || rest.terms.some(({ atom }) => mentions(atom, name))) return null;
  const runs = runsOf(Array.from({ length: lanes }, (_, lane) => lane * stride));
  if (!runs || runs.width === 1) return null;
  const base = fromAffine(rest);
  const parts = runs.starts.map((start) => {
    const behind = add(mul(active, constInt(stride)), constInt(1 - stride - start));
    const index = ramp(simplifyIndex(add(base, constInt(start)), ranges), 1, runs.width);
    return updateLoad(expr, { indices: [index], active: simplifyIndex(behind, ranges) });
  });
  return pickHalves(parts, runs.picks);
}

function binaryVector(expr: Binary, state: State): Expr | null {
  const left = vectorOf(expr.left, state);
  const right = vectorOf(expr.right, state);
  if (!left || !right) return null;
  // A lane that does not count must not divide by zero.
  if ((expr.op === "floorDiv" || expr.op === "mod") && right.kind !== "const") return guardedLanes(expr, state);
  const lanes = Math.max(lanesOf(left), lanesOf(right));
  return updateBinary(expr, { left: broadcast(left, lanes), right: broadcast(right, lanes) });
}

// ── select ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function selectVector(expr: Select, state: State): Expr | null {
  const { name, ranges } = state.site;
  const conditions = conjunctsOf(expr.condition);
  const varying = conditions.filter((condition) => mentions(condition, name));
  if (varying.length === 0) return sides(expr, expr.condition, state);
  const count = activeLanes(varying, name, ranges);
  const vector = count ? leadingSelect(expr, count, state) : anySelect(expr, state);
  if (!vector) return guardedLanes(expr, state);
  const fixed = conditions.filter((condition) => !varying.includes(condition));
  if (!count || fixed.length === 0) return vector;
  const no = vectorOf(expr.else, state);
  if (!no) return null;
  const condition = fixed.reduce((all, each) => binary("and", all, each));
  return select(condition, broadcast(vector, state.site.lanes), broadcast(no, state.site.lanes));
}

function sides(expr: Select, condition: Expr, state: State): Expr | null {
  const yes = vectorOf(expr.then, state);
  const no = vectorOf(expr.else, state);
  if (!yes || !no) return null;
  return select(condition, broadcast(yes, state.site.lanes), broadcast(no, state.site.lanes));
}

/** Choice whose condition holds for the first `count` lanes: only they may load what `then` loads. */
function leadingSelect(expr: Select, count: Expr, state: State): Expr | null {
  const { site } = state;
  const active = state.active ? simplifyIndex(min(state.active, count), site.ranges) : count;
  if (expr.then.kind === "load" && isZero(expr.else)) {
    const index = vectorIndex(expr.then.indices[0]!, site);
    if (index && !expr.then.active) return updateLoad(expr.then, { indices: [index], active });
  }
  const isLarge = state.memory !== null && isLargeExpr(expr.then);
  // A large value inside many choices would otherwise be vectorised anew for each of them.
  if (isLarge && state.memory?.isSide) return anySelect(expr, state);
  const memory = isLarge ? { ...state.memory!, vectors: new Map<Expr, Expr | null>(), isSide: true } : null;
  const inner: State = { site, active, needsLane: false, memory };
  const yes = vectorOf(expr.then, inner);
  const no = isSpeculative(expr.else, state) ? vectorOf(expr.else, state) : null;
  if (!yes || !no || inner.needsLane) return null;
  const condition = lt(ramp(constInt(0), 1, site.lanes), broadcast(count, site.lanes));
  return select(condition, broadcast(yes, site.lanes), broadcast(no, site.lanes));
}

const isZero = (expr: Expr): boolean => expr.kind === "const" && expr.value === 0 && !Object.is(expr.value, -0);

/** A condition that may hold for any lanes: both sides are evaluated, so neither may load outside a buffer. */
function anySelect(expr: Select, state: State): Expr | null {
  const { site } = state;
  if (!isSpeculative(expr.then, state) || !isSpeculative(expr.else, state)) return null;
  const condition = vectorOf(expr.condition, state);
  return condition && sides(expr, broadcast(condition, site.lanes), state);
}

/** Says whether a value may be evaluated where the program would not: no load leaves its buffer, nothing divides integers. */
const isSpeculative = (expr: Expr, { site, active }: State): boolean =>
  !someExpr(expr, (each) => {
    if (each.kind === "load") return !isInside(each, site) && !(active && isInsideFor(each, active, site));
    return each.kind === "binary" && (each.op === "floorDiv" || each.op === "mod") && each.right.kind !== "const";
  });
