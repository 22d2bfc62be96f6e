// Buffers in which the threads of a group have elements of their own: no other thread accesses these, or at least none stores to them.
// Nobody has to wait there. All elements that each access may name are listed, thread by thread, as far as they are few; of the
// conditions around an access those count that the thread and loops decide alone.
//
//   P[threadIdx.x], P[threadIdx.x + 32]  of 32 threads: stores of different elements
//   P[threadIdx.x], P[31 - threadIdx.x]  two threads name each

import { type Affine, fromAffine, termsKey, toAffine } from "../../../ir/affine.ts";
import { conjunctsOf } from "../../../ir/compare.ts";
import type { Expr, Stmt } from "../../../ir/loop-ir.ts";
import { gridAxes, groupAxes, warpWideLanes } from "../../../ir/thread-axes.ts";
import { childrenOf, lanesOf, ownExprs, varsIn, walkExpr, walkStmt } from "../../../ir/visit.ts";

export interface OwnElements {
  /** Buffers each element of which one thread alone accesses. */
  readonly accessed: ReadonlySet<string>;
  /** Buffers each element of which one thread alone stores to. */
  readonly stored: ReadonlySet<string>;
}

/** Most elements that are listed for one buffer. */
const mostListed = 2 ** 16;

interface Access {
  readonly index: Expr;
  readonly conditions: readonly Expr[];
  readonly isStore: boolean;
}

/** @param shared names of the buffers that are asked about */
export function elementsOfThreads(launch: Stmt, shared: ReadonlySet<string>): OwnElements {
  const extents = new Map<string, number>();
  walkStmt(launch, (stmt) => {
    if (stmt.kind === "for") extents.set(stmt.name, Math.max(stmt.extent, extents.get(stmt.name) ?? 1));
  });
  const accesses = accessesIn(launch, shared);
  const own = (isAsked: (access: Access) => boolean): ReadonlySet<string> => {
    const apart = [...accesses].filter(([, all]) => areApart(all.filter(isAsked), extents));
    return new Set(apart.map(([name]) => name));
  };
  return { accessed: own(() => true), stored: own(({ isStore }) => isStore) };
}

function accessesIn(launch: Stmt, shared: ReadonlySet<string>): ReadonlyMap<string, readonly Access[]> {
  const accesses = new Map<string, Access[]>([...shared].map((name) => [name, []]));
  const visit = (stmt: Stmt, conditions: readonly Expr[]): void => {
    const note = (buffer: string, indices: readonly Expr[], isStore: boolean): void =>
      void accesses.get(buffer)?.push({ index: indices[0]!, conditions, isStore });
    for (const root of ownExprs(stmt)) {
      walkExpr(root, (expr) => {
        if (expr.kind === "load") note(expr.buffer, expr.indices, false);
      });
    }
    if (stmt.kind === "store") note(stmt.buffer, stmt.indices, true);
    if (stmt.kind !== "if") {
      for (const child of childrenOf(stmt)) visit(child, conditions);
      return;
    }
    visit(stmt.then, [...conditions, ...conjunctsOf(stmt.condition)]);
    if (stmt.else) visit(stmt.else, conditions);
  };
  visit(launch, []);
  return accesses;
}

/** Number of iterations of each loop, by its variable. */
type Extents = ReadonlyMap<string, number>;

/** Says whether no two threads name the same element. What is the same for a whole group has to be the same in all accesses. */
function areApart(accesses: readonly Access[], extents: Extents): boolean {
  const found = accesses.map(({ index, conditions }) => ({ ...splitIndex(index), conditions }));
  const [first] = found;
  if (!first) return true;
  const key = termsKey(first.ofGroup);
  const claims: Claims = { owners: new Map(), extents, listed: 0 };
  return found.every(
    (access) => access.lanes < warpWideLanes && termsKey(access.ofGroup) === key && claim(claims, access),
  );
}

interface Claims {
  /** The thread that has an element. */
  readonly owners: Map<number, number>;
  readonly extents: Extents;
  listed: number;
}

/** Notes the elements that one access names by their threads; false: one of them is another thread's, or there are too many. */
function claim(claims: Claims, { own, lanes, conditions }: SplitIndex & Pick<Access, "conditions">): boolean {
  const { owners, extents } = claims;
  const threads = groupAxes.filter((axis) => extents.has(axis));
  const names = [...new Set<string>([...threads, ...varsIn(own)])];
  if (names.some((name) => isOfGroup(name) || !extents.has(name))) return false;
  claims.listed += names.reduce((all, name) => all * extents.get(name)!, lanes);
  if (claims.listed > mostListed) return false;
  const at = new Map(names.map((name) => [name, 0]));
  const value = compile(own, at);
  const guards = conditions.flatMap((condition) => compileCondition(condition, at) ?? []);
  if (!value) return false;
  const visit = (depth: number, thread: number): boolean => {
    if (depth === names.length) {
      const base = guards.every((holds) => holds()) ? value() : Number.POSITIVE_INFINITY;
      for (let element = base; element < base + lanes; element++) {
        if ((owners.get(element) ?? thread) !== thread) return false;
        owners.set(element, thread);
      }
      return true;
    }
    const extent = extents.get(names[depth]!)!;
    for (let step = 0; step < extent; step++) {
      at.set(names[depth]!, step);
      if (!visit(depth + 1, depth < threads.length ? thread * extent + step : thread)) return false;
    }
    return true;
  };
  return visit(0, 0);
}

/** Returns a function that says whether a comparison holds; null: something else decides about it too. */
function compileCondition(condition: Expr, at: ReadonlyMap<string, number>): (() => boolean) | null {
  if (condition.kind !== "binary" || ![...varsIn(condition)].every((name) => at.has(name))) return null;
  const [left, right] = [compile(condition.left, at), compile(condition.right, at)];
  if (!left || !right) return null;
  switch (condition.op) {
    case "lt":
      return () => left() < right();
    case "ge":
      return () => left() >= right();
    case "eq":
      return () => left() === right();
    default:
      return null;
  }
}

/** Returns a function that evaluates an index where the variables stand; null: it has operators that indices seldom have. */
function compile(expr: Expr, at: ReadonlyMap<string, number>): (() => number) | null {
  const { terms, constant } = toAffine(expr);
  const parts: { readonly coefficient: number; readonly value: () => number }[] = [];
  for (const { atom, coefficient } of terms) {
    const value = atom.kind === "var" ? () => at.get(atom.name)! : compileQuotient(atom, at);
    if (!value) return null;
    parts.push({ coefficient, value });
  }
  return () => parts.reduce((sum, { coefficient, value }) => sum + coefficient * value(), constant);
}

function compileQuotient(expr: Expr, at: ReadonlyMap<string, number>): (() => number) | null {
  if (expr.kind !== "binary" || expr.right.kind !== "const" || expr.right.value <= 0) return null;
  const left = compile(expr.left, at);
  const by = expr.right.value;
  if (!left) return null;
  if (expr.op === "floorDiv") return () => Math.floor(left() / by);
  return expr.op === "mod" ? () => left() - by * Math.floor(left() / by) : null;
}

interface SplitIndex {
  /** Terms that are the same for all threads of a group at any time. */
  readonly ofGroup: Affine["terms"];
  readonly own: Expr;
  readonly lanes: number;
}

const isOfGroup = (name: string): boolean => (gridAxes as readonly string[]).includes(name);

function splitIndex(index: Expr): SplitIndex {
  const base = index.kind === "ramp" ? index.base : index;
  const { terms, constant } = toAffine(base);
  const ofGroup = terms.filter(({ atom }) => [...varsIn(atom)].every(isOfGroup));
  return {
    ofGroup,
    own: fromAffine({ terms: terms.filter((term) => !ofGroup.includes(term)), constant }),
    lanes: index.kind === "ramp" && (index.stride !== 1 || lanesOf(index.base) > 1) ? warpWideLanes : lanesOf(index),
  };
}
