// Statements → lines of C.

import { lanesOf } from "../../ir/lanes.ts";
import type { Assign, Define, For, If, Stmt, Store } from "../../ir/loop-ir.ts";
import { flatMap } from "../../support/flat-map.ts";
import { InvariantError } from "../../support/invariant.ts";
import { emitPrefetch, emitStore } from "./access.ts";
import { bare } from "./bare.ts";
import type { Context } from "./context.ts";
import { type Piece, piecesOf } from "./element.ts";
import { localElement, localName, piecesOfLocal } from "./local.ts";
import { asMask } from "./mask.ts";
import { emit, emitScalar } from "./operand.ts";
import { pieceLanesOf } from "./piece-lanes.ts";
import { emitTileStatement } from "./tile.ts";

export function emitStatement(context: Context, stmt: Stmt): readonly string[] {
  switch (stmt.kind) {
    case "for":
      return emitFor(context, stmt);
    case "seq":
      return flatMap(stmt.body, (inner) => nested(emitStatement(context, inner), inner));
    case "if":
      return emitIf(context, stmt);
    case "store":
    case "define":
    case "assign":
      return emitTileStatement(context, stmt) ?? emitLeaf(context, stmt);
    case "prefetch":
      return [emitPrefetch(context, stmt)];
    case "sync":
      throw new InvariantError(`a ${stmt.what} of threads reached the code generator`);
    case "block":
      throw new InvariantError(`block ${stmt.name} reached the code generator`);
  }
}

function emitLeaf(context: Context, stmt: Store | Define | Assign): readonly string[] {
  switch (stmt.kind) {
    case "store":
      return emitStore(context, stmt, piecesOf(lanesOf(stmt.indices[0]!), pieceLanesOf(context, stmt.value)));
    case "define":
      return emitDefine(context, stmt);
    case "assign":
      return emitAssign(context, stmt);
  }
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

/** Puts a seq inside a seq into braces: it keeps its locals to itself. */
const nested = (lines: readonly string[], stmt: Stmt): readonly string[] =>
  stmt.kind === "seq" && stmt.body.some((inner) => inner.kind === "define") ? ["{", ...indented(lines), "}"] : lines;

/** Prints a loop. Its mark is ignored: a loop that passes could not vectorise or unroll is left as it is. */
function emitFor(context: Context, loop: For): readonly string[] {
  const { name, extent, annotations, body } = loop;
  if (extent <= 0) return [];
  const variable = context.names.of("loop", name);
  const inner = indented(emitStatement(context, body));
  if (extent === 1) return ["{", `  const long ${variable} = 0;`, ...inner, "}"];
  const hint = annotations.unroll === undefined ? [] : [`#pragma GCC unroll ${annotations.unroll}`];
  return [...hint, `for (long ${variable} = 0; ${variable} < ${extent}; ${variable}++) {`, ...inner, "}"];
}

function emitIf(context: Context, stmt: If): readonly string[] {
  const then = indented(emitStatement(context, stmt.then));
  const otherwise = stmt.else ? ["} else {", ...indented(emitStatement(context, stmt.else))] : [];
  return [`if (${bare(emitScalar(context, stmt.condition))}) {`, ...then, ...otherwise, "}"];
}

function emitDefine(context: Context, { name, dtype, lanes, value }: Define): readonly string[] {
  return piecesOfLocal(context, name, lanes).map((piece) => {
    const type = context.prelude.type(localElement(dtype, piece.lanes), piece.lanes);
    return `${type} ${localName(context, name, lanes, piece)} = ${bare(localValue(context, value, piece))};`;
  });
}

function emitAssign(context: Context, { name, value }: Assign): readonly string[] {
  const lanes = lanesOf(value);
  return piecesOfLocal(context, name, lanes).map(
    (piece) => `${localName(context, name, lanes, piece)} = ${bare(localValue(context, value, piece))};`,
  );
}

/** The value in the form that variables have: masks of bool 32 bits wide. */
function localValue(context: Context, expr: Define["value"], piece: Piece): string {
  const value = emit(context, expr, piece);
  return expr.dtype === "bool" && piece.lanes > 1 ? asMask(context, value, "i32", piece.lanes).text : value.text;
}
