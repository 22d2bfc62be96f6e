// Lowered or flat function → what is wrong with its fragments. Only the instructions that they are for compute with them;
// everything else moves all of a fragment or sets it to zeros.

import { fragmentsIn, isOnFragments, isWholeAccess, isZeros } from "./fragment.ts";
import type { Assign, Define, Expr, IntrinsicCall, LoopFunc, Stmt, Store } from "./loop-ir.ts";
import { printStmt } from "./print.ts";
import { printExpr } from "./print-expr.ts";
import { operandsOf, ownExprs, walkExpr, walkOwnExprs, walkStmt } from "./visit.ts";

interface Known {
  /** Locals that are fragments. */
  readonly fragments: ReadonlySet<string>;
  /** Buffers in registers that are none. */
  readonly registers: ReadonlySet<string>;
}

/** Problems in words, each with the statement or expression that has it. */
export function fragmentProblems({ buffers, body }: LoopFunc): readonly string[] {
  const fragments = fragmentsIn(body);
  if (fragments.size === 0 && !hasCalls(body)) return none;
  const registers = new Set(buffers.filter(({ memory }) => memory === "register").map(({ name }) => name));
  const known: Known = { fragments, registers };
  const problems: string[] = [];
  const named = new Set<string>();
  walkStmt(body, (stmt) => {
    for (const problem of stmtProblems(stmt, known)) problems.push(`${problem}, in ${firstLine(stmt)}`);
    for (const name of namedIn(stmt, known)) named.add(name);
  });
  const idle = [...fragments].filter((name) => !named.has(name));
  return [...problems, ...idle.map((name) => `${name} is a fragment that no instruction takes or gives`)];
}

const none: readonly string[] = [];

function hasCalls(body: Stmt): boolean {
  let found = false;
  const note = (expr: Expr): void => {
    found ||= isOnFragments(expr);
  };
  walkStmt(body, () => {}, note);
  return found;
}

const firstLine = (stmt: Stmt): string => printStmt(stmt, { brief: true }).split("\n")[0]!;

const isFragment = (expr: Expr, { fragments }: Known): boolean =>
  isOnFragments(expr) || (expr.kind === "local" && fragments.has(expr.name));

/** Says whether a value can become a fragment by a move. */
const isWhole = (expr: Expr, known: Known): boolean =>
  isFragment(expr, known) || isZeros(expr) || (expr.kind === "load" && isWholeAccess(expr.indices, expr.active));

function stmtProblems(stmt: Stmt, known: Known): readonly string[] {
  const inside = ownExprs(stmt).flatMap((root) => exprProblems(root, known));
  if (stmt.kind === "store") return [...storeProblems(stmt, known), ...inside];
  return stmt.kind === "define" || stmt.kind === "assign" ? [...localProblems(stmt, known), ...inside] : inside;
}

function storeProblems({ indices, value, active }: Store, known: Known): readonly string[] {
  const isPart = isFragment(value, known) && !isWholeAccess(indices, active);
  return isPart ? ["a part of a fragment is stored"] : none;
}

function localProblems({ name, value }: Define | Assign, known: Known): readonly string[] {
  if (!known.fragments.has(name)) {
    return isFragment(value, known) ? [`${name} is given a fragment, and is none`] : none;
  }
  return isWhole(value, known) ? none : [`${name} is a fragment, and is given no whole one`];
}

/** Problems of operands, of which only instructions on fragments take fragments. */
function exprProblems(root: Expr, known: Known): readonly string[] {
  const problems: string[] = [];
  walkExpr(root, (expr) => {
    if (isOnFragments(expr)) problems.push(...callProblems(expr, known));
    else if (operandsOf(expr).some((operand) => isFragment(operand, known)))
      problems.push(`a fragment is an operand of ${printExpr(expr)}`);
  });
  return problems;
}

function callProblems({ name, operands }: IntrinsicCall, known: Known): readonly string[] {
  const isTaken = (operand: Expr): boolean =>
    isWhole(operand, known) && !(operand.kind === "load" && known.registers.has(operand.buffer));
  return operands.filter((operand) => !isTaken(operand)).map((it) => `${name} takes ${printExpr(it)}, no fragment`);
}

/** Locals that instructions on fragments take, those that they give, and copies. */
function namedIn(stmt: Stmt, known: Known): readonly string[] {
  const names: string[] = [];
  if ((stmt.kind === "define" || stmt.kind === "assign") && isFragment(stmt.value, known)) {
    names.push(stmt.name, ...(stmt.value.kind === "local" ? [stmt.value.name] : []));
  }
  walkOwnExprs(stmt, (expr) => {
    if (!isOnFragments(expr)) return;
    for (const operand of expr.operands) if (operand.kind === "local") names.push(operand.name);
  });
  return names;
}
