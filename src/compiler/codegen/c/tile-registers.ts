// A flat function → the tile register of each local that is a fragment. No C compiler gives out registers for assembler, so
// that is done here: from the definition of a local to its last use. A local that finds none free stays in memory; some
// registers are kept free for operands that are not held in one.

import { isOnFragments } from "../../ir/fragment.ts";
import type { Define, Expr, Stmt } from "../../ir/loop-ir.ts";
import { childrenOf, ownExprs, someExpr, walkStmt } from "../../ir/visit.ts";

const count = 8;
/** Most registers that one statement takes beside those of locals: for a product all of whose operands are in memory. */
const mostFree = 3;

export interface TileRegisters {
  /** Register of each local, by its name; null: the local is in memory. */
  readonly held: ReadonlyMap<string, number | null>;
  /** Registers that no local is in. */
  readonly free: readonly number[];
}

/** Gives locals their registers, and keeps as few free as do for every statement. */
export function assignTileRegisters(body: Stmt): TileRegisters {
  for (let free = 0; ; free++) {
    const held = allocate(body, count - free);
    if (free === mostFree || wantedIn(body, held) <= free) {
      return { held, free: Array.from({ length: free }, (_, at) => count - free + at) };
    }
  }
}

// ── allocation ──────────────────────────────────────────────────────────────────────────────────────────────────────

const isTileDefine = (stmt: Stmt): stmt is Define => stmt.kind === "define" && stmt.memory === "fragment";

function allocate(body: Stmt, registers: number): ReadonlyMap<string, number | null> {
  const held = new Map<string, number | null>();
  const taken = new Set<number>();
  const visit = (stmt: Stmt): void => {
    const lastUses = stmt.kind === "seq" ? lastUsesIn(stmt.body) : [];
    for (const [at, each] of childrenOf(stmt).entries()) {
      if (isTileDefine(each)) held.set(each.name, take(taken, registers));
      else visit(each);
      for (const [name, last] of lastUses) if (last === at) taken.delete(held.get(name)!);
    }
  };
  visit(body);
  return held;
}

/** The lowest register that is free. */
function take(taken: Set<number>, registers: number): number | null {
  const found = Array.from({ length: registers }, (_, at) => at).find((register) => !taken.has(register));
  if (found !== undefined) taken.add(found);
  return found ?? null;
}

/** The tiles that a sequence defines, and the last of its statements in which each is used. */
function lastUsesIn(stmts: readonly Stmt[]): ReadonlyMap<string, number> {
  const defined = stmts.filter(isTileDefine);
  return new Map(defined.map(({ name }) => [name, stmts.findLastIndex((stmt) => mentions(stmt, name))]));
}

function mentions(stmt: Stmt, name: string): boolean {
  if ((stmt.kind === "define" || stmt.kind === "assign") && stmt.name === name) return true;
  const isIt = (expr: Expr): boolean => expr.kind === "local" && expr.name === name;
  return ownExprs(stmt).some((expr) => someExpr(expr, isIt)) || childrenOf(stmt).some((child) => mentions(child, name));
}

// ── what else is wanted ─────────────────────────────────────────────────────────────────────────────────────────────

/** Registers beside those of locals that the statement which wants most of them takes. */
function wantedIn(body: Stmt, held: ReadonlyMap<string, number | null>): number {
  const isHeld = (expr: Expr): boolean => expr.kind === "local" && typeof held.get(expr.name) === "number";
  let most = 0;
  walkStmt(body, (stmt) => {
    if (stmt.kind !== "define" && stmt.kind !== "assign" && stmt.kind !== "store") return;
    const { value } = stmt;
    const isOnTiles = isOnFragments(value) || (stmt.kind === "store" ? isTile(value, held) : held.has(stmt.name));
    if (!isOnTiles) return;
    const inPlace = stmt.kind === "store" ? isHeld(value) : typeof held.get(stmt.name) === "number";
    const loaded = isOnFragments(value) ? value.operands.slice(1).filter((operand) => !isHeld(operand)) : [];
    most = Math.max(most, loaded.length + (inPlace ? 0 : 1));
  });
  return most;
}

const isTile = (expr: Expr, held: ReadonlyMap<string, number | null>): boolean =>
  expr.kind === "local" && held.has(expr.name);
