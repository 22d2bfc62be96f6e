// Arrays in memory that launches name. Statements that one thread runs are cut into several launches where they name more than one may; each
// has the definitions that it needs.

import type { Buffer, Stmt } from "../ir/loop-ir.ts";
import { walkStmt } from "../ir/visit.ts";

/** Says whether a buffer is an array in memory. */
export const isBound = ({ memory }: Buffer): boolean => memory === "caller" || memory === "workspace";

/** What a statement names. */
interface Names {
  readonly stored: ReadonlySet<string>;
  readonly loaded: ReadonlySet<string>;
  readonly locals: ReadonlySet<string>;
}

/** A statement with all that it names, its definitions included. */
interface Step {
  readonly at: number;
  readonly arrays: ReadonlySet<string>;
  /** Places of the definitions among the statements. */
  readonly definitions: ReadonlySet<number>;
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
  const inMemory = new Set(buffers.filter(isBound).map(({ name }) => name));
  const names = stmts.map(namesIn);
  const arraysOf = (at: number): readonly string[] =>
    [...names[at]!.stored, ...names[at]!.loaded].filter((name) => inMemory.has(name));
  if (new Set(stmts.flatMap((_, at) => arraysOf(at))).size <= mostArrays) return [stmts];

  const places = new Map(stmts.flatMap((stmt, at) => (stmt.kind === "define" ? [[stmt.name, at] as const] : [])));
  const steps = stmts.flatMap((stmt, at): readonly Step[] => {
    if (stmt.kind === "define") return [];
    const definitions = new Set<number>();
    const open = [...names[at]!.locals];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const place = places.get(name);
      if (place === undefined || definitions.has(place)) continue;
      definitions.add(place);
      open.push(...names[place]!.locals);
    }
    return [{ at, arrays: new Set([at, ...definitions].flatMap(arraysOf)), definitions }];
  });
  const runs = runsOf(steps, mostArrays);
  const isMoved = (definition: number, firstOfRun: number): boolean =>
    stmts.some(
      (_, at) =>
        at > definition &&
        at < firstOfRun &&
        [...names[at]!.stored].some((name) => names[definition]!.loaded.has(name)),
    );
  if (runs.some((run) => run.some(({ definitions }) => [...definitions].some((it) => isMoved(it, run[0]!.at)))))
    return [stmts];
  return runs.map((run) => {
    const kept = new Set(run.flatMap(({ at, definitions }) => [at, ...definitions]));
    return stmts.filter((_, at) => kept.has(at));
  });
}

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
