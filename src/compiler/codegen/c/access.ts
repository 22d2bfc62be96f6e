// Reading and writing buffers → C text: scalars, whole pieces, partial pieces (`active`), strided and gathered lanes.

import { lanesOf } from "../../ir/lanes.ts";
import type { Expr, Load, Prefetch, Ramp, Store } from "../../ir/loop-ir.ts";
import { flatMap } from "../../support/flat-map.ts";
import { invariant } from "../../support/invariant.ts";
import { bare } from "./bare.ts";
import { bufferOf, type Context, type Value } from "./context.ts";
import { cName, type Element, elementBytes, type Piece, scalarPiece, storedElement } from "./element.ts";
import { indexText, offsetText } from "./index-text.ts";
import { bitsToMask, maskToBits } from "./mask.ts";
import { emit, emitScalar } from "./operand.ts";
import { partialLoad, partialStore } from "./partial-function.ts";

/** The lanes `piece` of a load. */
export function emitLoad(context: Context, load: Load, piece: Piece): Value {
  const element = storedElement[load.dtype];
  const text = loadText(context, load, element, piece);
  // Any byte but 0 is true.
  if (load.dtype === "bool" && piece.lanes === 1) return { text: `(${text} != 0)`, element };
  return load.dtype === "bool" && piece.lanes > 1
    ? bitsToMask(context, { text, element }, piece.lanes)
    : { text, element };
}

function loadText(context: Context, load: Load, element: Element, piece: Piece): string {
  const index = load.indices[0]!;
  const active = activeLanes(context, load.active, piece);
  const type = context.prelude.type(element, piece.lanes);
  // `type` of one lane is a scalar, and 0 / 0 of the type int is undefined.
  if (active.kind === "none") return piece.lanes === 1 ? `((${type})0)` : `(${type}){0}`;
  if (piece.lanes === 1) return guarded(active, scalarLoad(context, load.buffer, index, piece.start));
  if (index.kind !== "ramp" || index.stride !== 1) return gatherText(context, load, element, piece, active);
  const address = addressOf(context, load.buffer, index.base, piece.start);
  if (active.kind === "all") return `*(const ${context.prelude.memoryType(element, piece.lanes)} *)(${address})`;
  return `${partialLoad(context.prelude, element, piece.lanes)}(${address}, ${active.count})`;
}

/**
 * A hint never faults, wherever it points, but a pointer outside of its array is undefined in C: the address is computed
 * as an integer. Into all levels of cache: what is asked for is about to be used.
 */
export function emitPrefetch(context: Context, { buffer, indices, writes }: Prefetch): string {
  const bytes = elementBytes[storedElement[bufferOf(context, buffer).dtype]];
  const offset = `${indexText(context, indices[0]!)}${bytes === 1 ? "" : ` * ${bytes}`}`;
  const address = `(__UINTPTR_TYPE__)${bufferName(context, buffer)} + ${offset}`;
  return `__builtin_prefetch((const void *)(${address}), ${writes ? 1 : 0}, 3);`;
}

/** Number of active lanes of a piece: all, none, or a number that is only known at run time, as C text. */
type Active = { readonly kind: "all" } | { readonly kind: "none" } | { readonly kind: "some"; readonly count: string };

function activeLanes(context: Context, active: Expr | null, { start, lanes }: Piece): Active {
  if (!active) return { kind: "all" };
  if (active.kind !== "const") {
    const text = emitScalar(context, active);
    return { kind: "some", count: start === 0 ? text : `(${text} - ${start})` };
  }
  const count = active.value - start;
  if (count >= lanes) return { kind: "all" };
  return count <= 0 ? { kind: "none" } : { kind: "some", count: String(count) };
}

const guarded = (active: Active, text: string): string =>
  active.kind === "some" ? `(${active.count} > 0 ? ${text} : 0)` : text;

/** A pointer to the element `start` lanes behind the index `base`. */
export const addressOf = (context: Context, buffer: string, base: Expr, start: number): string =>
  `${bufferName(context, buffer)} + ${offsetText(context, base, start)}`;

const bufferName = (context: Context, buffer: string): string => context.names.of("buffer", buffer);

/** One element: of a scalar index, or lane `lane` of a vector index. */
function scalarLoad(context: Context, buffer: string, index: Expr, lane: number): string {
  return `${bufferName(context, buffer)}[${bare(laneIndex(context, index, lane))}]`;
}

function laneIndex(context: Context, index: Expr, lane: number): string {
  if (lanesOf(index) === 1) return indexText(context, index);
  if (index.kind === "ramp") return offsetText(context, startOf(index), lane * index.stride);
  return emit(context, index, { start: lane, lanes: 1 }).text;
}

/** Lanes from anywhere: the index vector is computed once, then each lane is read on its own. */
function gatherText(context: Context, load: Load, element: Element, piece: Piece, active: Active): string {
  const { setup, at } = scatteredLanes(context, load.buffer, load.indices[0]!, piece, `const ${cName[element]}`);
  const count = active.kind === "some" ? `const int uk_n = ${active.count}; ` : "";
  const lanes = Array.from({ length: piece.lanes }, (_, lane) =>
    active.kind === "some" ? `uk_n > ${lane} ? ${at(lane)} : 0` : at(lane),
  );
  return `({ ${setup}${count}(${context.prelude.type(element, piece.lanes)}){${lanes.join(", ")}}; })`;
}

/** Base of a ramp. Rows are what tiles consist of, and no vectors. */
function startOf({ base }: Ramp): Expr {
  invariant(lanesOf(base) === 1, "rows are moved as tiles only");
  return base;
}

interface Scattered {
  /** Declarations that come first. */
  readonly setup: string;
  /** The element of a lane of the piece. */
  at(lane: number): string;
}

function scatteredLanes(context: Context, buffer: string, index: Expr, piece: Piece, pointee: string): Scattered {
  const name = bufferName(context, buffer);
  if (index.kind === "ramp") {
    const base = offsetText(context, startOf(index), piece.start * index.stride);
    return { setup: `${pointee} *uk_p = ${name} + ${base}; `, at: (lane) => `uk_p[${lane * index.stride}]` };
  }
  const type = context.prelude.type("i32", piece.lanes);
  const value = emit(context, index, piece).text;
  return { setup: `const ${type} uk_i = ${value}; `, at: (lane) => `${name}[uk_i[${lane}]]` };
}

/** The statements of a store. All lanes of the value are computed before the first is written. */
export function emitStore(context: Context, store: Store, pieces: readonly Piece[]): readonly string[] {
  const element = storedElement[bufferOf(context, store.buffer).dtype];
  const value = (piece: Piece): string => storedValue(context, store.value, piece);
  const [first, ...rest] = pieces;
  if (rest.length === 0) return storePiece(context, store, element, first ?? scalarPiece, value(first ?? scalarPiece));
  const texts = pieces.map((piece, at) => {
    return `const ${context.prelude.type(element, piece.lanes)} uk_v${at} = ${value(piece)};`;
  });
  const writes = flatMap(pieces, (piece, at) => storePiece(context, store, element, piece, `uk_v${at}`));
  return ["{", ...[...texts, ...writes].map((line) => `  ${line}`), "}"];
}

/** The value in the form in which memory holds it: bool as bytes of 0 and 1. */
function storedValue(context: Context, expr: Expr, piece: Piece): string {
  const value = emit(context, expr, piece);
  return expr.dtype === "bool" && piece.lanes > 1 ? maskToBits(context, value, piece.lanes).text : value.text;
}

function storePiece(context: Context, store: Store, element: Element, piece: Piece, value: string): readonly string[] {
  const index = store.indices[0]!;
  const active = activeLanes(context, store.active, piece);
  if (active.kind === "none") return [];
  const guard = active.kind === "some" && piece.lanes === 1 ? `if (${active.count} > 0) ` : "";
  if (piece.lanes === 1) return [`${guard}${scalarLoad(context, store.buffer, index, piece.start)} = ${bare(value)};`];
  if (index.kind !== "ramp" || index.stride !== 1) return scatter(context, store, element, piece, active, value);
  const address = addressOf(context, store.buffer, index.base, piece.start);
  if (active.kind === "all")
    return [`*(${context.prelude.memoryType(element, piece.lanes)} *)(${address}) = ${bare(value)};`];
  return [`${partialStore(context.prelude, element, piece.lanes)}(${address}, ${value}, ${active.count});`];
}

function scatter(
  context: Context,
  store: Store,
  element: Element,
  piece: Piece,
  active: Active,
  value: string,
): readonly string[] {
  const { setup, at } = scatteredLanes(context, store.buffer, store.indices[0]!, piece, cName[element]);
  const type = context.prelude.type(element, piece.lanes);
  const count = active.kind === "some" ? [`  const int uk_n = ${active.count};`] : [];
  const writes = Array.from({ length: piece.lanes }, (_, lane) => {
    const guard = active.kind === "some" ? `if (uk_n > ${lane}) ` : "";
    return `  ${guard}${at(lane)} = uk_w[${lane}];`;
  });
  return ["{", `  const ${type} uk_w = ${value};`, `  ${setup.trim()}`, ...count, ...writes, "}"];
}
