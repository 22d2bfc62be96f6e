// Buffers in registers, in which each thread has elements of its own → the elements of one thread, the same names for all of
// them. A buffer in which threads meet becomes memory of the group.
//
//   acc[threadIdx.x*8 + 3]   →   acc[3]        acc: 256 elements for 32 threads → 8

import { type Affine, fromAffine, termsKey, toAffine } from "../../../ir/affine.ts";
import { localBuffer } from "../../../ir/buffer.ts";
import type { Buffer, Expr, LoopFunc, Stmt, Var } from "../../../ir/loop-ir.ts";
import { groupAxes, groupAxisOf } from "../../../ir/thread-axes.ts";
import { updateLoad, updateRamp, updateStore } from "../../../ir/update.ts";
import { lanesOf, mapExpr, mapOwnExprs, mapStmt, varsIn, walkStmt } from "../../../ir/visit.ts";
import { gcd } from "../../../support/integer-math.ts";

export function ownRegisters(func: LoopFunc): LoopFunc {
  return func.buffers.reduce((result, buffer) => (buffer.memory === "register" ? owned(result, buffer) : result), func);
}

function owned(func: LoopFunc, buffer: Buffer): LoopFunc {
  const accesses = accessesOf(func.body, buffer.name).map(splitIndex);
  const replaced = (by: Buffer): LoopFunc["buffers"] => func.buffers.map((it) => (it === buffer ? by : it));
  if (!areApart(accesses, extentsIn(func.body))) return { ...func, buffers: replaced(localBuffer(buffer, "group")) };
  if (accesses.every(({ thread }) => thread.length === 0)) return func;
  const places = accesses.map(({ rest }) => rest.constant);
  const most = Math.max(...accesses.map(({ rest, lanes }) => rest.constant + lanes));
  const least = Math.min(...places);
  const moved = mapAccesses(func.body, buffer.name, (index) => {
    const { rest, rebuild } = splitIndex(index);
    return rebuild(fromAffine({ terms: rest.terms, constant: rest.constant - least }));
  });
  return { ...func, body: moved, buffers: replaced({ ...buffer, shape: [most - least] }) };
}

interface SplitIndex {
  /** Terms with the coordinates of the thread. */
  readonly thread: Affine["terms"];
  readonly rest: Affine;
  readonly lanes: number;
  /** The index with another base. */
  readonly rebuild: (base: Expr) => Expr;
}

function splitIndex(index: Expr): SplitIndex {
  const [base, rebuild] = baseOf(index);
  const { terms, constant } = toAffine(base);
  const isOfThread = ({ atom }: Affine["terms"][number]): boolean =>
    [...varsIn(atom)].some((name) => (groupAxes as readonly string[]).includes(name));
  return {
    thread: terms.filter(isOfThread),
    rest: { terms: terms.filter((term) => !isOfThread(term)), constant },
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
  let places = [...new Set(units)];
  for (const { atom, coefficient } of first.thread) {
    const threads = Array.from({ length: extents.get((atom as Var).name) ?? 1 }, (_, at) => (at * coefficient) / unit);
    const all = new Set(threads.flatMap((offset) => places.map((place) => place + offset)));
    if (all.size !== threads.length * places.length) return false;
    places = [...all];
  }
  return true;
}

/** Number of threads along each coordinate, by its name. */
type Extents = ReadonlyMap<string, number>;

function extentsIn(body: Stmt): Extents {
  const extents = new Map<string, number>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "for" && groupAxisOf(stmt)) {
      extents.set(stmt.name, Math.max(stmt.extent, extents.get(stmt.name) ?? 1));
    }
  });
  return extents;
}

function accessesOf(body: Stmt, buffer: string): readonly Expr[] {
  const found: Expr[] = [];
  walkStmt(
    body,
    (stmt) => {
      if (stmt.kind === "store" && stmt.buffer === buffer) found.push(stmt.indices[0]!);
    },
    (expr) => {
      if (expr.kind === "load" && expr.buffer === buffer) found.push(expr.indices[0]!);
    },
  );
  return found;
}

function mapAccesses(body: Stmt, buffer: string, index: (index: Expr) => Expr): Stmt {
  return mapStmt(body, (stmt) => {
    const own = mapOwnExprs(stmt, (root) =>
      mapExpr(root, (expr) =>
        expr.kind === "load" && expr.buffer === buffer
          ? updateLoad(expr, { indices: [index(expr.indices[0]!)] })
          : expr,
      ),
    );
    return own.kind === "store" && own.buffer === buffer
      ? updateStore(own, { indices: [index(own.indices[0]!)] })
      : own;
  });
}
