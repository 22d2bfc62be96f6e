// Buffers in registers, in which each thread has elements of its own → the elements of one thread, the same names for all of
// them. A buffer in which threads meet becomes memory of the group.
//
//   acc[threadIdx.x*8 + 3]   →   acc[3]        acc: 256 elements for 32 threads → 8

import { type Affine, fromAffine, termsKey, toAffine } from "../../../ir/affine.ts";
import { localBuffer } from "../../../ir/buffer.ts";
import { assume } from "../../../ir/compare.ts";
import { sameExpr } from "../../../ir/expr-key.ts";
import type { Buffer, Expr, Load, LoopFunc, Stmt, Var } from "../../../ir/loop-ir.ts";
import { noRanges, type Ranges, withRange } from "../../../ir/ranges.ts";
import { groupAxes, groupAxisOf } from "../../../ir/thread-axes.ts";
import { updateLoad, updateRamp, updateStore } from "../../../ir/update.ts";
import {
  childrenOf,
  lanesOf,
  mapChildren,
  mapExpr,
  mapOwnExprs,
  varsIn,
  walkOwnExprs,
  walkStmt,
} from "../../../ir/visit.ts";
import { gcd } from "../../../support/integer-math.ts";

export function ownRegisters(func: LoopFunc): LoopFunc {
  const registers = new Set(func.buffers.flatMap(({ name, memory }) => (memory === "register" ? [name] : [])));
  if (registers.size === 0) return func;
  const accesses = accessesOf(func.body, registers);
  const launches = launchesOf(func.body);
  const moves = new Map<string, Move>();
  const buffers = func.buffers.map((buffer): Buffer => {
    const found = accesses.get(buffer.name);
    if (!found) return buffer;
    const coordinates = mostTerms(found);
    // No index names a coordinate: every thread uses registers of its own.
    if (coordinates.length === 0) return buffer;
    const split = found.map((access) => splitIndex(access, coordinates));
    if (!areApart(split, extentsFor(buffer.name, launches))) return localBuffer(buffer, "group");
    const least = Math.min(...split.map(({ rest }) => rest.constant));
    const most = Math.max(...split.map(({ rest, lanes }) => rest.constant + lanes));
    moves.set(buffer.name, { coordinates, least });
    return { ...buffer, shape: [most - least] };
  });
  return { ...func, body: moves.size === 0 ? func.body : moved(func.body, noRanges, moves), buffers };
}

/** How the indices of a buffer become those of one thread. */
interface Move {
  /** Terms with coordinates, which leave. */
  readonly coordinates: Terms;
  /** The least of what is left, which becomes 0. */
  readonly least: number;
}

interface Access {
  readonly index: Expr;
  /** What is known of the variables there. */
  readonly ranges: Ranges;
}

type Terms = Affine["terms"];

interface SplitIndex {
  /** Terms with the coordinates of the thread. */
  readonly thread: Terms;
  readonly rest: Affine;
  readonly lanes: number;
  /** The index with another base. */
  readonly rebuild: (base: Expr) => Expr;
}

const isCoordinate = (name: string): boolean => (groupAxes as readonly string[]).includes(name);

const isOfThread = ({ atom }: Terms[number]): boolean =>
  atom.kind === "var" ? isCoordinate(atom.name) : [...varsIn(atom)].some(isCoordinate);

/** The terms with coordinates of that access which has the most: where a condition leaves one value of a coordinate, it is no term. */
function mostTerms(accesses: readonly Access[]): Terms {
  const all = accesses.map(({ index }) => toAffine(baseOf(index)[0]).terms.filter(isOfThread));
  return all.reduce((most, terms) => (terms.length > most.length ? terms : most), []);
}

/** @param coordinates terms that are put back where the only value of their coordinate stands in the constant */
function splitIndex({ index, ranges }: Access, coordinates: Terms): SplitIndex {
  const [base, rebuild] = baseOf(index);
  const { terms, constant } = toAffine(base);
  const own = terms.filter(isOfThread);
  const isIn = (all: Terms, { atom }: Terms[number]): boolean => all.some((term) => sameExpr(term.atom, atom));
  const put = coordinates.flatMap((term) => {
    const range = term.atom.kind === "var" ? ranges.get(term.atom.name) : undefined;
    return isIn(own, term) || !range || range.min !== range.max ? [] : [{ term, value: range.min }];
  });
  const known = coordinates.filter((term) => isIn(own, term) || put.some((it) => it.term === term));
  return {
    thread: put.length === 0 ? own : [...known, ...own.filter((term) => !isIn(coordinates, term))],
    rest: {
      terms: terms.filter((term) => !own.includes(term)),
      constant: put.reduce((rest, { term, value }) => rest - term.coefficient * value, constant),
    },
    lanes: lanesOf(index),
    rebuild,
  };
}

function baseOf(index: Expr): readonly [Expr, (base: Expr) => Expr] {
  if (index.kind !== "ramp") return [index, (base) => base];
  const [base, rebuild] = baseOf(index.base);
  return [base, (by) => updateRamp(index, rebuild(by))];
}

/**
 * Says whether no two threads name the same element: the coordinates are in all indices in the same way, what is added to them
 * is constant, and all sums of both differ.
 */
function areApart(accesses: readonly SplitIndex[], extents: Extents): boolean {
  const [first] = accesses;
  if (!first) return true;
  const key = termsKey(first.thread);
  if (accesses.some(({ thread, rest }) => termsKey(thread) !== key || rest.terms.length > 0)) return false;
  if (first.thread.some(({ atom }) => atom.kind !== "var")) return false;
  const sizes = accesses.flatMap(({ rest, lanes }) => [rest.constant, lanes]);
  const unit = [...sizes, ...first.thread.map(({ coefficient }) => Math.abs(coefficient))].reduce(gcd, 0);
  const units = accesses.flatMap(({ rest, lanes }) =>
    Array.from({ length: lanes / unit }, (_, at) => rest.constant / unit + at),
  );
  const shifts = first.thread.map(({ atom, coefficient }): Shift => {
    return { step: coefficient / unit, count: extents.get((atom as Var).name) ?? 1 };
  });
  return areDistinct([...new Set(units)], shifts);
}

/** A coordinate that moves places by a step for each of its values. */
interface Shift {
  readonly step: number;
  readonly count: number;
}

/** Says whether no two of the places are the same, moved by the coordinates of different threads. */
function areDistinct(places: readonly number[], shifts: readonly Shift[]): boolean {
  const threads = shifts.reduce((all, { count }) => all * count, 1);
  const reach = shifts.reduce((sum, { step, count }) => sum + Math.abs(step) * (count - 1), 0);
  const lowest = shifts.reduce(
    (least, { step, count }) => least + Math.min(0, step * (count - 1)),
    Math.min(...places),
  );
  const range = Math.max(...places) - Math.min(...places) + reach + 1;
  if (places.length * threads > range) return false;
  const isTaken = range > mostMarked ? new Set<number>() : new Uint8Array(range);
  const take = (place: number): boolean => {
    if (isTaken instanceof Uint8Array) return isTaken[place - lowest]!++ === 0;
    return isTaken.size < isTaken.add(place).size;
  };
  const areFree = (offset: number, depth: number): boolean => {
    const shift = shifts[depth];
    if (!shift) return places.every((place) => take(place + offset));
    for (let at = 0; at < shift.count; at++) if (!areFree(offset + at * shift.step, depth + 1)) return false;
    return true;
  };
  return areFree(0, 0);
}

/** Longest range whose places are marked one by one. */
const mostMarked = 2 ** 20;

/** Number of threads along each coordinate, by its name. */
type Extents = ReadonlyMap<string, number>;

interface Launch {
  readonly extents: Extents;
  /** Names of the buffers that it stores to. */
  readonly stored: ReadonlySet<string>;
}

function launchesOf(body: Stmt): readonly Launch[] {
  return (body.kind === "seq" ? body.body : [body]).map((launch) => {
    const extents = new Map<string, number>();
    const stored = new Set<string>();
    walkStmt(launch, (stmt) => {
      if (stmt.kind === "store") stored.add(stmt.buffer);
      if (stmt.kind === "for" && groupAxisOf(stmt)) {
        extents.set(stmt.name, Math.max(stmt.extent, extents.get(stmt.name) ?? 1));
      }
    });
    return { extents, stored };
  });
}

/** Threads of the launches that store to a buffer in registers: others may have more. */
function extentsFor(buffer: string, launches: readonly Launch[]): Extents {
  const most = new Map<string, number>();
  for (const { extents, stored } of launches) {
    if (!stored.has(buffer)) continue;
    for (const [name, extent] of extents) most.set(name, Math.max(extent, most.get(name) ?? 1));
  }
  return most;
}

/** Accesses of these buffers, by name; a buffer that nothing accesses has none. */
function accessesOf(body: Stmt, buffers: ReadonlySet<string>): ReadonlyMap<string, readonly Access[]> {
  const found = new Map<string, Access[]>([...buffers].map((name) => [name, []]));
  const visit = (stmt: Stmt, ranges: Ranges): void => {
    const note = (buffer: string, [index]: readonly Expr[]): void =>
      void found.get(buffer)?.push({ index: index!, ranges });
    walkOwnExprs(stmt, (expr) => {
      if (expr.kind === "load") note(expr.buffer, expr.indices);
    });
    if (stmt.kind === "store") note(stmt.buffer, stmt.indices);
    const inside = insideOf(stmt, ranges);
    for (const child of childrenOf(stmt)) visit(child, inside(child));
  };
  visit(body, noRanges);
  return found;
}

/** Returns a function that gives the ranges of variables in a child statement: its loop bounds one, its condition may bound others. */
function insideOf(stmt: Stmt, ranges: Ranges): (child: Stmt) => Ranges {
  if (stmt.kind === "for") {
    const inside = withRange(ranges, stmt.name, 0, stmt.extent - 1);
    return () => inside;
  }
  if (stmt.kind !== "if") return () => ranges;
  const yes = assume(stmt.condition, ranges);
  return (child) => (child === stmt.then && child !== stmt.else ? yes : ranges);
}

/** The statement with the indices of one thread. */
function moved(stmt: Stmt, ranges: Ranges, moves: ReadonlyMap<string, Move>): Stmt {
  const indicesOf = (buffer: string, [index]: readonly Expr[]): readonly Expr[] | null => {
    const move = moves.get(buffer);
    if (!move) return null;
    const { rest, rebuild } = splitIndex({ index: index!, ranges }, move.coordinates);
    return [rebuild(fromAffine({ terms: rest.terms, constant: rest.constant - move.least }))];
  };
  const own = mapOwnExprs(stmt, (root) =>
    mapExpr(root, (expr) => {
      const indices = expr.kind === "load" ? indicesOf(expr.buffer, expr.indices) : null;
      return indices ? updateLoad(expr as Load, { indices }) : expr;
    }),
  );
  if (own.kind === "store") {
    const indices = indicesOf(own.buffer, own.indices);
    return indices ? updateStore(own, { indices }) : own;
  }
  const inside = insideOf(own, ranges);
  return mapChildren(own, (child) => moved(child, inside(child), moves));
}
