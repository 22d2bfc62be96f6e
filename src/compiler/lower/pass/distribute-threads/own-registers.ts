// Buffers in registers, in which each thread has elements of its own → the elements of one thread, the same names for all of
// them. A buffer in which threads meet becomes memory of the group.
//
//   acc[threadIdx.x*8 + 3]   →   acc[3]        acc: 256 elements for 32 threads → 8

import { type Affine, fromAffine, termsKey, toAffine } from "../../../ir/affine.ts";
import { localBuffer } from "../../../ir/buffer.ts";
import { assume } from "../../../ir/compare.ts";
import { sameExpr } from "../../../ir/expr-key.ts";
import type { Buffer, Expr, LoopFunc, Stmt, Var } from "../../../ir/loop-ir.ts";
import { noRanges, type Ranges, withRange } from "../../../ir/ranges.ts";
import { groupAxes, groupAxisOf } from "../../../ir/thread-axes.ts";
import { updateIf, updateLoad, updateRamp, updateStore } from "../../../ir/update.ts";
import { lanesOf, mapChildren, mapExpr, mapOwnExprs, varsIn, walkStmt } from "../../../ir/visit.ts";
import { gcd } from "../../../support/integer-math.ts";

export function ownRegisters(func: LoopFunc): LoopFunc {
  return func.buffers.reduce((result, buffer) => (buffer.memory === "register" ? owned(result, buffer) : result), func);
}

function owned(func: LoopFunc, buffer: Buffer): LoopFunc {
  const found = accessesOf(func.body, buffer.name);
  const coordinates = mostTerms(found);
  const accesses = found.map((access) => splitIndex(access, coordinates));
  const replaced = (by: Buffer): LoopFunc["buffers"] => func.buffers.map((it) => (it === buffer ? by : it));
  if (!areApart(accesses, extentsIn(func.body, buffer.name)))
    return { ...func, buffers: replaced(localBuffer(buffer, "group")) };
  if (accesses.every(({ thread }) => thread.length === 0)) return func;
  const places = accesses.map(({ rest }) => rest.constant);
  const most = Math.max(...accesses.map(({ rest, lanes }) => rest.constant + lanes));
  const least = Math.min(...places);
  const moved = mapAccesses(func.body, noRanges, buffer.name, (access) => {
    const { rest, rebuild } = splitIndex(access, coordinates);
    return rebuild(fromAffine({ terms: rest.terms, constant: rest.constant - least }));
  });
  return { ...func, body: moved, buffers: replaced({ ...buffer, shape: [most - least] }) };
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
  const isThere = ({ atom }: Terms[number]): boolean => own.some((term) => sameExpr(term.atom, atom));
  const put = coordinates.flatMap((term) => {
    const range = term.atom.kind === "var" ? ranges.get(term.atom.name) : undefined;
    return isThere(term) || !range || range.min !== range.max ? [] : [{ term, value: range.min }];
  });
  const thread =
    put.length === 0 ? own : coordinates.filter((term) => isThere(term) || put.some((it) => it.term === term));
  return {
    thread,
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
  let places: readonly number[] = [...new Set(units)];
  for (const { atom, coefficient } of first.thread) {
    const step = coefficient / unit;
    const known = places;
    places = Array.from({ length: extents.get((atom as Var).name) ?? 1 }, (_, at) =>
      known.map((place) => place + at * step),
    ).flat();
  }
  return areDistinct(places);
}

function areDistinct(places: readonly number[]): boolean {
  const [least, most] = places.reduce(
    ([min, max], place) => [Math.min(min, place), Math.max(max, place)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  if (most - least >= mostMarked) return new Set(places).size === places.length;
  const isTaken = new Uint8Array(most - least + 1);
  return places.every((place) => isTaken[place - least]!++ === 0);
}

/** Longest range whose places are marked one by one. */
const mostMarked = 2 ** 20;

/** Number of threads along each coordinate, by its name. */
type Extents = ReadonlyMap<string, number>;

/** Threads of the launches that store to a buffer in registers: others may have more. */
function extentsIn(body: Stmt, buffer: string): Extents {
  const extents = new Map<string, number>();
  for (const launch of body.kind === "seq" ? body.body : [body]) {
    if (!storesTo(launch, buffer)) continue;
    walkStmt(launch, (stmt) => {
      if (stmt.kind === "for" && groupAxisOf(stmt)) {
        extents.set(stmt.name, Math.max(stmt.extent, extents.get(stmt.name) ?? 1));
      }
    });
  }
  return extents;
}

function storesTo(body: Stmt, buffer: string): boolean {
  let isFound = false;
  walkStmt(body, (stmt) => {
    isFound ||= stmt.kind === "store" && stmt.buffer === buffer;
  });
  return isFound;
}

function accessesOf(body: Stmt, buffer: string): readonly Access[] {
  const found: Access[] = [];
  mapAccesses(body, noRanges, buffer, (access) => {
    found.push(access);
    return access.index;
  });
  return found;
}

/** Maps the indices of all accesses of a buffer, with what loops and conditions around them say of the variables. */
function mapAccesses(stmt: Stmt, ranges: Ranges, buffer: string, map: (access: Access) => Expr): Stmt {
  const own = mapOwnExprs(stmt, (root) =>
    mapExpr(root, (expr) =>
      expr.kind === "load" && expr.buffer === buffer
        ? updateLoad(expr, { indices: [map({ index: expr.indices[0]!, ranges })] })
        : expr,
    ),
  );
  if (own.kind === "store" && own.buffer === buffer) {
    return updateStore(own, { indices: [map({ index: own.indices[0]!, ranges })] });
  }
  if (own.kind === "if") {
    return updateIf(own, {
      then: mapAccesses(own.then, assume(own.condition, ranges), buffer, map),
      else: own.else && mapAccesses(own.else, ranges, buffer, map),
    });
  }
  const inside = own.kind === "for" ? withRange(ranges, own.name, 0, own.extent - 1) : ranges;
  return mapChildren(own, (child) => mapAccesses(child, inside, buffer, map));
}
