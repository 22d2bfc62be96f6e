// Statement of the flat loop IR of threads → lines of WGSL.

import type { Assign, Define, Expr, For, If, Stmt, Store } from "../../ir/loop-ir.ts";
import { insideLoop } from "../../ir/ranges.ts";
import { lanesOf, mapOwnExprs } from "../../ir/visit.ts";
import { invariant } from "../../support/invariant.ts";
import { straightLines } from "../straight-lines.ts";
import { foldConstants } from "./constant.ts";
import type { WgslContext } from "./context.ts";
import { scalarType } from "./elements.ts";
import { isShort, wgslExpr } from "./expression.ts";
import { vectorsIn } from "./shared-vectors.ts";
import { linesOfStore } from "./store.ts";
import { isTileStatement, linesOfTile } from "./tile-statement.ts";
import { wordOf } from "./word-dot.ts";

type Lines = readonly string[];

const indented = (lines: Lines): Lines => lines.map((line) => `  ${line}`);

export function linesOf(stmt: Stmt, context: WgslContext): Lines {
  switch (stmt.kind) {
    case "for":
      return linesOfLoop(stmt, context);
    case "seq":
      return linesOfSeq(stmt.body, context);
    case "sync":
      // Copies are done when they are stored, so there is nothing else to wait for.
      return stmt.what === "barrier" ? barriers(context) : [];
    case "prefetch":
      return [];
    case "if":
    case "store":
    case "define":
    case "assign":
      return withLinesBefore(mapOwnExprs(stmt, foldConstants), context);
    case "block":
      invariant(false, `block ${stmt.name} reached the code generator`);
  }
}

function linesOfSeq(body: readonly Stmt[], context: WgslContext): Lines {
  return straightLines(body, (buffer) => context.forms.get(buffer)!.isLoaded).flatMap((run) => {
    const inner = run.length === 1 ? context : { ...context, shared: vectorsIn(run, context.forms) };
    return run.flatMap((child) =>
      child.kind === "seq" ? ["{", ...indented(linesOf(child, inner)), "}"] : linesOf(child, inner),
    );
  });
}

const barriers = ({ isAlone, meetsOutside }: WgslContext): Lines =>
  isAlone ? [] : meetsOutside ? ["storageBarrier();", "workgroupBarrier();"] : ["workgroupBarrier();"];

function linesOfLoop(loop: For, context: WgslContext): Lines {
  const i = context.names(loop.name);
  const inner = { ...context, ranges: insideLoop(context.ranges, loop) };
  return [`for (var ${i} = 0; ${i} < ${loop.extent}; ${i}++) {`, ...indented(linesOf(loop.body, inner)), "}"];
}

/** A statement behind the lines that compute what it names. */
function withLinesBefore(stmt: Stmt, context: WgslContext): Lines {
  const before: string[] = [];
  const inner = { ...context, before };
  const own =
    stmt.kind === "if"
      ? linesOfIf(stmt, inner)
      : isTileStatement(stmt)
        ? linesOfTile(stmt as Define | Assign | Store, inner)
        : stmt.kind === "store"
          ? linesOfStore(stmt, inner)
          : linesOfLocal(stmt, inner);
  return [...before, ...own];
}

function linesOfIf(stmt: If, context: WgslContext): Lines {
  const { condition } = stmt;
  if (condition.kind === "const") {
    const taken = condition.value === 0 ? stmt.else : stmt.then;
    return taken ? ["{", ...indented(linesOf(taken, context)), "}"] : [];
  }
  const text = wgslExpr(condition, null, context);
  const head = text.startsWith("(") ? text : `(${text})`;
  const yes = [`if ${head} {`, ...indented(linesOf(stmt.then, context))];
  return stmt.else ? [...yes, "} else {", ...indented(linesOf(stmt.else, context)), "}"] : [...yes, "}"];
}

function linesOfLocal(stmt: Stmt, context: WgslContext): Lines {
  const { name, value } = stmt as Define | Assign;
  const text = context.words.has(name) ? wordOf(value, context) : localValue(value, context);
  const own = context.names(name);
  if (stmt.kind === "assign") return [`${own} = ${text};`];
  return [`${context.assigned.has(name) ? "var" : "let"} ${own} = ${text};`];
}

/** Value of a local. A vector that the language does not have is an array. */
function localValue(value: Expr, context: WgslContext): string {
  if (isShort(value)) return wgslExpr(value, null, context);
  const lanes = lanesOf(value);
  const elements = Array.from({ length: lanes }, (_, lane) => wgslExpr(value, lane, context));
  return `array<${scalarType(value.dtype)}, ${lanes}>(${elements.join(", ")})`;
}
