// Mistakes that a pass could make with threads, each planted once for each place of a lowered function: a barrier or the waiting for copies
// left out, an index swapped or beside its place, a store on elements of another thread, a loop with an iteration too many.

import type { Expr, Load, LoopFunc, Stmt, Store, Sync } from "../../src/compiler/ir/loop-ir.ts";
import { gridAxes, groupAxes } from "../../src/compiler/ir/thread-axes.ts";
import { mapExpr, mapOwnExprs, mapStmt, substitute, varsIn, walkStmt } from "../../src/compiler/ir/visit.ts";

export const defectKinds = [
  "no barrier",
  "no waiting",
  "no batch",
  "no release",
  "store beside",
  "store swapped",
  "store overlaps",
  "load beside",
  "load swapped",
  "loop too long",
] as const;

export interface Defect {
  readonly kind: (typeof defectKinds)[number];
  readonly func: LoopFunc;
}

/** @param most places of one kind that are taken, evenly spread; barriers are all taken */
export function plantDefects(func: LoopFunc, most: number): readonly Defect[] {
  const planter: Planter = { func, extents: extentsIn(func), shared: sharedIn(func), most };
  return [
    ...ofSyncs(planter, "no barrier", "barrier"),
    ...ofSyncs(planter, "no waiting", "wait"),
    ...ofSyncs(planter, "no waiting", "await-fill"),
    ...ofSyncs(planter, "no batch", "fill"),
    ...ofSyncs(planter, "no release", "release"),
    ...ofSyncs(planter, "no release", "await-release"),
    ...ofStores(planter, "store beside", beside),
    ...ofStores(planter, "store swapped", swapped),
    ...ofStores(planter, "store overlaps", overlapping),
    ...ofLoads(planter, "load beside", beside),
    ...ofLoads(planter, "load swapped", swapped),
    ...planted(planter, "loop too long", (stmt) =>
      stmt.kind === "for" && stmt.name !== stmt.mark ? { ...stmt, extent: stmt.extent + 1 } : null,
    ),
  ];
}

type Extents = ReadonlyMap<string, number>;

interface Planter {
  readonly func: LoopFunc;
  readonly extents: Extents;
  /** Buffers through which threads meet. */
  readonly shared: ReadonlySet<string>;
  readonly most: number;
}

/** Another index; null: the mistake cannot be made with this one. */
type Change = (index: Expr, extents: Extents) => Expr | null;

function extentsIn({ body }: LoopFunc): Extents {
  const extents = new Map<string, number>();
  walkStmt(body, (stmt) => {
    if (stmt.kind === "for") extents.set(stmt.name, stmt.extent);
  });
  return extents;
}

const sharedIn = ({ buffers }: LoopFunc): ReadonlySet<string> =>
  new Set(buffers.filter(({ memory }) => memory === "group" || memory === "workspace").map(({ name }) => name));

/** @param change returns a place with its mistake; null: it is no place for one */
function planted(
  { func, most }: Planter,
  kind: Defect["kind"],
  change: (stmt: Stmt) => Stmt | null,
  all = false,
): readonly Defect[] {
  const plantAt = (wanted: number): { readonly func: LoopFunc; readonly count: number } => {
    let count = 0;
    const body = mapStmt(func.body, (stmt) => {
      const changed = change(stmt);
      return changed && count++ === wanted ? changed : stmt;
    });
    return { func: { ...func, body }, count };
  };
  const { count } = plantAt(-1);
  const taken = all ? count : Math.min(count, most);
  return Array.from({ length: taken }, (_, at) => ({ kind, func: plantAt(Math.floor((at * count) / taken)).func }));
}

const ofSyncs = (planter: Planter, kind: Defect["kind"], what: Sync["what"]): readonly Defect[] =>
  planted(
    planter,
    kind,
    (stmt) => (stmt.kind === "sync" && stmt.what === what ? { kind: "seq", body: [] } : null),
    true,
  );

const ofStores = (planter: Planter, kind: Defect["kind"], change: Change): readonly Defect[] =>
  planted(planter, kind, (stmt) => (stmt.kind === "store" ? withIndex(stmt, change, planter.extents) : null));

function ofLoads(planter: Planter, kind: Defect["kind"], change: Change): readonly Defect[] {
  return planted(planter, kind, (stmt) => {
    let isChanged = false;
    const changed = mapOwnExprs(stmt, (root) =>
      mapExpr(root, (expr) => {
        if (expr.kind !== "load" || !planter.shared.has(expr.buffer)) return expr;
        const other = withIndex(expr, change, planter.extents);
        isChanged ||= other !== null;
        return other ?? expr;
      }),
    );
    return isChanged ? changed : null;
  });
}

function withIndex<T extends Load | Store>(access: T, change: Change, extents: Extents): T | null {
  const [index] = access.indices;
  const by = index && inBase(index, (base) => change(base, extents));
  return by ? { ...access, indices: [by] } : null;
}

const inBase = (index: Expr, change: (base: Expr) => Expr | null): Expr | null => {
  if (index.kind !== "ramp") return change(index);
  const base = inBase(index.base, change);
  return base && { ...index, base };
};

const constant = (value: number): Expr => ({ kind: "const", dtype: "i32", value });
const coordinate = (name: string): Expr => ({ kind: "var", dtype: "i32", name });
const binary = (op: "add" | "sub" | "mul" | "floorDiv", left: Expr, right: Expr): Expr => {
  return { kind: "binary", dtype: "i32", op, left, right };
};

const beside: Change = (index) => binary("add", index, constant(1));

/** Coordinates of an index of which there are at least two values, the fastest first. */
const coordinatesIn = (index: Expr, extents: Extents): readonly string[] =>
  [...groupAxes.toReversed(), ...gridAxes.toReversed()].filter(
    (name) => varsIn(index).has(name) && (extents.get(name) ?? 1) > 1,
  );

/** Two coordinates in each other's place; a single one counts backwards. */
const swapped: Change = (index, extents) => {
  const [first, second] = coordinatesIn(index, extents);
  if (first === undefined) return null;
  if (second !== undefined) {
    return substitute(
      index,
      new Map([
        [first, coordinate(second)],
        [second, coordinate(first)],
      ]),
    );
  }
  const back = binary("sub", constant(extents.get(first)! - 1), coordinate(first));
  return substitute(index, new Map([[first, back]]));
};

/** Two neighbours take the place of the first of them. */
const overlapping: Change = (index, extents) => {
  const [first] = coordinatesIn(index, extents);
  if (first === undefined) return null;
  const even = binary("mul", binary("floorDiv", coordinate(first), constant(2)), constant(2));
  return substitute(index, new Map([[first, even]]));
};
