// Buffers in which the threads of a group have elements of their own: no other thread accesses these, or at least none stores to them.
// Nobody has to wait there. All elements that each access may name are listed, thread by thread, as far as they are few; of the
// conditions around an access those count that the thread and loops decide alone.
//
//   P[threadIdx.x], P[threadIdx.x + 32]  of 32 threads: stores of different elements
//   P[threadIdx.x], P[31 - threadIdx.x]  two threads name each

import { type Affine, termsKey, toAffine } from "../../../ir/affine.ts";
import { conjunctsOf } from "../../../ir/compare.ts";
import { exprKey } from "../../../ir/expr-key.ts";
import type { Expr, Stmt } from "../../../ir/loop-ir.ts";
import { gridAxes, groupAxes, warpWideLanes } from "../../../ir/thread-axes.ts";
import { childrenOf, lanesOf, varsIn, walkOwnExprs, walkStmt } from "../../../ir/visit.ts";

export interface OwnElements {
  /** Buffers each element of which one thread alone accesses. */
  readonly accessed: ReadonlySet<string>;
  /** Buffers each element of which one thread alone stores to. */
  readonly stored: ReadonlySet<string>;
}

/** Most elements that are listed for one buffer, and the last of them. */
const mostListed = 2 ** 16;
const lastListed = 2 ** 16;

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
  const own = { accessed: new Set<string>(), stored: new Set<string>() };
  for (const [name, all] of accesses) {
    const claims = newClaims(extents);
    if (
      !areApart(
        all.filter(({ isStore }) => isStore),
        claims,
      )
    )
      continue;
    own.stored.add(name);
    if (
      areApart(
        all.filter(({ isStore }) => !isStore),
        claims,
      )
    )
      own.accessed.add(name);
  }
  return own;
}

function accessesIn(launch: Stmt, shared: ReadonlySet<string>): ReadonlyMap<string, readonly Access[]> {
  const accesses = new Map<string, Access[]>([...shared].map((name) => [name, []]));
  const visit = (stmt: Stmt, conditions: readonly Expr[]): void => {
    const note = (buffer: string, indices: readonly Expr[], isStore: boolean): void =>
      void accesses.get(buffer)?.push({ index: indices[0]!, conditions, isStore });
    walkOwnExprs(stmt, (expr) => {
      if (expr.kind === "load") note(expr.buffer, expr.indices, false);
    });
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

interface Claims {
  readonly extents: Extents;
  /** The thread that has an element, counted from 1; 0: none has. */
  readonly owners: Int32Array;
  /** Places that sums of coordinates and loops take, by their keys. */
  readonly places: Map<string, Places | null>;
  /** What is the same for a whole group, in all accesses so far. */
  ofGroup: string | null;
  listed: number;
}

/** The owners of one buffer at a time: its memory would be the most that a lowering asks for. */
const scratch = new Int32Array(lastListed);

const newClaims = (extents: Extents): Claims => {
  return { extents, owners: scratch.fill(0), places: new Map(), ofGroup: null, listed: 0 };
};

/** Says whether no two threads name the same element. What is the same for a whole group has to be the same in all accesses. */
const areApart = (accesses: readonly Access[], claims: Claims): boolean =>
  accesses.every(({ index, conditions }) => {
    const split = splitIndex(index);
    const key = termsKey(split.ofGroup);
    claims.ofGroup ??= key;
    return split.lanes < warpWideLanes && claims.ofGroup === key && claim(claims, split, conditions);
  });

/** Notes the elements that one access names by their threads; false: one of them is another thread's, or there are too many. */
function claim(claims: Claims, { own, lanes }: SplitIndex, conditions: readonly Expr[]): boolean {
  const places = placesOf(own, conditions, claims);
  if (!places) return false;
  const { owners } = claims;
  claims.listed += places.at.length * lanes;
  if (claims.listed > mostListed) return false;
  for (let step = 0; step < places.at.length; step++) {
    const [first, thread] = [places.at[step]! + own.constant, places.threads[step]!];
    if (first < 0 || first + lanes > lastListed) return false;
    for (let element = first; element < first + lanes; element++) {
      if (owners[element] !== 0 && owners[element] !== thread) return false;
      owners[element] = thread;
    }
  }
  return true;
}

/** Places that an index takes without its constant, and the threads, from 1 on, that it takes them for. */
interface Places {
  readonly at: readonly number[];
  readonly threads: readonly number[];
}

/** Lists the places for which the conditions hold, as far as threads and loops decide them. Null: they are not known, or too many. */
function placesOf(own: Affine, conditions: readonly Expr[], claims: Claims): Places | null {
  const key = `${termsKey(own.terms)} if ${conditions.map(exprKey).join()}`;
  const known = claims.places.get(key);
  if (known !== undefined) return known;
  const places = findPlaces(own, conditions, claims.extents);
  claims.places.set(key, places);
  return places;
}

function findPlaces({ terms }: Affine, conditions: readonly Expr[], extents: Extents): Places | null {
  const threads = groupAxes.filter((axis) => extents.has(axis));
  const names = [...new Set<string>([...threads, ...terms.flatMap(({ atom }) => [...varsIn(atom)])])];
  if (names.some((name) => isOfGroup(name) || !extents.has(name))) return null;
  if (names.reduce((all, name) => all * extents.get(name)!, 1) > mostListed) return null;
  const at = new Map(names.map((name) => [name, 0]));
  const value = compileSum({ terms, constant: 0 }, at);
  if (!value) return null;
  const guards = conditions.flatMap((condition) => compileCondition(condition, at) ?? []);
  const places: { readonly at: number[]; readonly threads: number[] } = { at: [], threads: [] };
  const visit = (depth: number, thread: number): void => {
    const name = names[depth];
    if (name === undefined) {
      if (!guards.every((holds) => holds())) return;
      places.at.push(value());
      places.threads.push(thread + 1);
      return;
    }
    const extent = extents.get(name)!;
    for (let step = 0; step < extent; step++) {
      at.set(name, step);
      visit(depth + 1, depth < threads.length ? thread * extent + step : thread);
    }
  };
  visit(0, 0);
  return places;
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
const compile = (expr: Expr, at: ReadonlyMap<string, number>): (() => number) | null => compileSum(toAffine(expr), at);

function compileSum({ terms, constant }: Affine, at: ReadonlyMap<string, number>): (() => number) | null {
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
  readonly own: Affine;
  readonly lanes: number;
}

const isOfGroup = (name: string): boolean => (gridAxes as readonly string[]).includes(name);

function splitIndex(index: Expr): SplitIndex {
  const base = index.kind === "ramp" ? index.base : index;
  const { terms, constant } = toAffine(base);
  const ofGroup = terms.filter(({ atom }) => [...varsIn(atom)].every(isOfGroup));
  return {
    ofGroup,
    own: { terms: terms.filter((term) => !ofGroup.includes(term)), constant },
    lanes: index.kind === "ramp" && (index.stride !== 1 || lanesOf(index.base) > 1) ? warpWideLanes : lanesOf(index),
  };
}
