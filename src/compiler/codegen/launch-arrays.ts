// Arrays in memory that launches name. Statements that one thread runs are cut into several launches where they name more than one may; each
// has the definitions that it needs.

import type { Buffer, Stmt } from "../ir/loop-ir.ts";
import { walkStmt } from "../ir/visit.ts";

/** Says whether a buffer is an array in memory. */
export const isBound = ({ memory }: Buffer): boolean => memory === "caller" || memory === "workspace";

/** Buffers that a statement stores to and loads from, and locals that it reads or assigns. */
interface Names {
  readonly stored: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
  readonly locals: ReadonlySet<string>;
}

/** A statement that is no definition, by its place among the others. */
interface Step {
  readonly at: number;
  /** Places of the definitions that it needs. */
  readonly definitions: readonly number[];
  /** Arrays that it and its definitions name. */
  readonly arrays: ReadonlySet<string>;
}

/**
 * Cuts statements into runs of at most so many arrays, in their order. They stay together where a definition would find another value in a
 * later run than where it stands.
 */
export function ofFewArrays(
  stmts: readonly Stmt[],
  buffers: readonly Buffer[],
  mostArrays: number,
): readonly (readonly Stmt[])[] {
  const names = stmts.map(namesIn);
  const inMemory = new Set(buffers.filter(isBound).map(({ name }) => name));
  const arraysOf = ({ stored, loaded }: Names): readonly string[] =>
    [...stored, ...loaded].filter((name) => inMemory.has(name));
  if (new Set(names.flatMap(arraysOf)).size <= mostArrays) return [stmts];

  const steps = stmts.flatMap(({ kind }, at): readonly Step[] => {
    if (kind === "define") return [];
    const definitions = definitionsOf(at, stmts, names);
    return [{ at, definitions, arrays: new Set([at, ...definitions].flatMap((it) => arraysOf(names[it]!))) }];
  });
  const runs = runsOf(steps, mostArrays);
  if (runs.some((run) => run.some(({ definitions }) => definitions.some((it) => isOld(it, run[0]!.at, names)))))
    return [stmts];
  return runs.map((run) => {
    const kept = new Set(run.flatMap(({ at, definitions }) => [at, ...definitions]));
    return stmts.filter((_, at) => kept.has(at));
  });
}

/** Places of the definitions that a statement needs, and of those that they need. */
function definitionsOf(at: number, stmts: readonly Stmt[], names: readonly Names[]): readonly number[] {
  const places = new Map(stmts.flatMap((stmt, place) => (stmt.kind === "define" ? [[stmt.name, place] as const] : [])));
  const found = new Set<number>();
  const open = [...names[at]!.locals];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const place = places.get(name);
    if (place === undefined || found.has(place)) continue;
    found.add(place);
    open.push(...names[place]!.locals);
  }
  return [...found];
}

/** Says whether a statement between a definition and a run stores to what the definition has loaded. */
const isOld = (definition: number, firstOfRun: number, names: readonly Names[]): boolean =>
  names.slice(definition + 1, firstOfRun).some(({ stored }) => {
    return [...stored].some((name) => names[definition]!.loaded.has(name));
  });

/** Steps after each other, as many at a time as name few arrays. */
function runsOf(steps: readonly Step[], mostArrays: number): readonly (readonly Step[])[] {
  const runs: Step[][] = [];
  let named = new Set<string>();
  for (const step of steps) {
    const together = new Set([...named, ...step.arrays]);
    const isNew = runs.length === 0 || together.size > mostArrays;
    if (isNew) runs.push([]);
    runs.at(-1)!.push(step);
    named = isNew ? new Set(step.arrays) : together;
  }
  return runs;
}

function namesIn(stmt: Stmt): Names {
  const [stored, loaded, locals] = [new Set<string>(), new Set<string>(), new Set<string>()];
  walkStmt(
    stmt,
    (it) => {
      if (it.kind === "store") stored.add(it.buffer);
      if (it.kind === "assign") locals.add(it.name);
    },
    (expr) => {
      if (expr.kind === "load") loaded.add(expr.buffer);
      if (expr.kind === "local") locals.add(expr.name);
    },
  );
  return { stored, loaded, locals };
}
