// Flat function of threads → what each launch runs. Statements beside the nests of threads are run by one thread, those that follow each
// other in one launch, as far as it may name their arrays. A local that a pass has defined between launches is computed anew by each that
// names it.

import { seq } from "../ir/build.ts";
import type { Define, Expr, LoopFunc, Stmt } from "../ir/loop-ir.ts";
import { isThreadLoop } from "../ir/thread-axes.ts";
import { walkStmt } from "../ir/visit.ts";
import { cannotRun } from "./cannot.ts";
import { ofFewArrays } from "./launch-arrays.ts";

export interface LaunchBody {
  readonly body: Stmt;
  /** Definitions before it that it names. */
  readonly before: readonly Define[];
}

export interface LaunchLimits {
  /** Language of the text, for what it refuses. */
  readonly language: "wgsl" | "cuda";
  /** Arrays in memory that a launch may name; default: any number. */
  readonly mostArrays?: number;
}

export function launchBodies(
  { body, buffers }: LoopFunc,
  { language, mostArrays = Number.POSITIVE_INFINITY }: LaunchLimits,
): readonly LaunchBody[] {
  const launches: (readonly Stmt[])[] = [];
  let alone: Stmt[] = [];
  const endOfAlone = (): void => {
    if (alone.some(({ kind }) => kind !== "define")) launches.push(...ofFewArrays(alone, buffers, mostArrays));
    alone = [];
  };
  const defined = new Map<string, Define>();
  const stmts = body.kind === "seq" ? body.body : [body];
  for (const stmt of stmts) {
    if (stmt.kind === "for" && isThreadLoop(stmt)) {
      endOfAlone();
      launches.push([stmt]);
    } else alone.push(stmt);
    if (stmt.kind === "define") defined.set(stmt.name, stmt);
  }
  endOfAlone();
  return launches.map((parts) => ({
    body: parts.length === 1 ? parts[0]! : seq(...parts),
    before: needed(parts, defined, language),
  }));
}

/** Definitions that statements name and do not have, each behind those that it names itself. */
function needed(
  parts: readonly Stmt[],
  defined: ReadonlyMap<string, Define>,
  language: "wgsl" | "cuda",
): readonly Define[] {
  const own = new Set<string>();
  const found = new Map<string, Define>();
  const visit = (expr: Expr): void => {
    if (expr.kind !== "local" || own.has(expr.name) || found.has(expr.name)) return;
    const definition = defined.get(expr.name);
    if (!definition) return;
    walkStmt(definition, () => {}, visit);
    found.set(expr.name, definition);
  };
  for (const part of parts) {
    walkStmt(part, (stmt) => {
      if (stmt.kind === "define") own.add(stmt.name);
    });
  }
  for (const part of parts) walkStmt(part, refuseAssignment(own, defined, language), visit);
  return [...found.values()];
}

const refuseAssignment =
  (own: ReadonlySet<string>, defined: ReadonlyMap<string, Define>, language: "wgsl" | "cuda") =>
  (stmt: Stmt): void => {
    if (stmt.kind !== "assign" || own.has(stmt.name) || !defined.has(stmt.name)) return;
    throw cannotRun(language, `${stmt.name} is handed on from launch to launch in a register`, "keep it in memory");
  };
