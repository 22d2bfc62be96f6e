// Statements on tiles → C: an instruction in assembler each, on the registers that tile-registers.ts gives out. All tiles
// are whole, so one configuration holds for a launch: set before its first statement and released after its last.
//
//   acc = tdpbssd(acc, load_0, load_1)   →   uk_tdpbssd(0, 1, 2);

import { isOnFragments, isZeros } from "../../ir/fragment.ts";
import type { Assign, Define, Expr, IntrinsicCall, Load, Store } from "../../ir/loop-ir.ts";
import { invariant } from "../../support/invariant.ts";
import { addressOf } from "./access.ts";
import { bufferOf, type Context } from "./context.ts";
import { elementBytes, storedElement } from "./element.ts";
import type { Prelude } from "./prelude.ts";
import { inline } from "./vector-function.ts";

const rowBytes = 64;

/** C text of a statement on tiles; null if it is not on tiles. */
export function emitTileStatement(context: Context, stmt: Define | Assign | Store): readonly string[] | null {
  return stmt.kind === "store" ? emitTileStore(context, stmt) : emitTileLocal(context, stmt);
}

function emitTileStore(context: Context, { buffer, indices, value, active }: Store): readonly string[] | null {
  const { held } = context.tiles;
  if (!isOnFragments(value) && !(value.kind === "local" && held.has(value.name))) return null;
  invariant(!active, `a part of a tile is stored in ${buffer}`);
  const { register, lines } = inRegister(context, value, context.tiles.free);
  return [...lines, `${tileStore(context.prelude)}(${register}, ${placeOf(context, buffer, indices)});`];
}

function emitTileLocal(context: Context, { kind, name, value }: Define | Assign): readonly string[] | null {
  const register = context.tiles.held.get(name);
  if (register === undefined) return null;
  if (register !== null) return into(context, register, value, context.tiles.free);
  const [first, ...free] = context.tiles.free;
  const place = context.names.of("local", name);
  const declaration = kind === "define" ? [`${tileType(context.prelude)} ${place} __attribute__((aligned(64)));`] : [];
  const kept = `${tileStore(context.prelude)}(${first}, &${place}, ${rowBytes});`;
  return [...declaration, ...into(context, first!, value, free), kept];
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The register that a value is in, or is brought into: the first free one. */
function inRegister(context: Context, value: Expr, free: readonly number[]) {
  const register = value.kind === "local" ? context.tiles.held.get(value.name) : undefined;
  if (typeof register === "number") return { register, lines: [], free };
  const [first, ...rest] = free;
  invariant(first !== undefined, "there is no tile register free");
  return { register: first, lines: into(context, first, value, rest), free: rest };
}

/** Brings a value into a register. */
function into(context: Context, register: number, value: Expr, free: readonly number[]): readonly string[] {
  const { prelude } = context;
  if (isOnFragments(value)) return product(context, register, value, free);
  if (value.kind === "load") return [`${tileLoad(prelude)}(${register}, ${placeOfLoad(context, value)});`];
  if (value.kind === "local") return copied(context, register, value.name);
  invariant(isZeros(value), "no tile");
  return [`${tileZero(prelude)}(${register});`];
}

function product(context: Context, register: number, called: IntrinsicCall, free: readonly number[]) {
  const [sum, left, right] = called.operands;
  invariant(sum && left && right, `${called.name} takes three tiles`);
  const a = inRegister(context, left, free);
  const b = inRegister(context, right, a.free);
  const call = `${tileProduct(context.prelude, called)}(${register}, ${a.register}, ${b.register});`;
  return [...into(context, register, sum, free), ...a.lines, ...b.lines, call];
}

/** Brings a local's tile into a register, through memory where it is in another: no instruction copies a tile. */
function copied({ prelude, names, tiles }: Context, register: number, name: string): readonly string[] {
  const from = tiles.held.get(name);
  if (from === register) return [];
  const through = (place: string): string => `&${place}, ${rowBytes}`;
  if (typeof from !== "number") return [`${tileLoad(prelude)}(${register}, ${through(names.of("local", name))});`];
  const [store, load] = [
    `${tileStore(prelude)}(${from}, ${through("copy")});`,
    `${tileLoad(prelude)}(${register}, ${through("copy")});`,
  ];
  return [`{ ${tileType(prelude)} copy; ${store} ${load} }`];
}

function placeOfLoad(context: Context, { buffer, indices, active }: Load): string {
  invariant(!active, `a part of a tile is loaded from ${buffer}`);
  return placeOf(context, buffer, indices);
}

/** Place of the first row, and how many bytes apart rows are. */
function placeOf(context: Context, buffer: string, [index]: readonly Expr[]): string {
  invariant(index?.kind === "ramp", `a tile lies apart in ${buffer}`);
  const { base, stride } = index;
  const first = base.kind === "ramp" ? base.base : base;
  const bytes = base.kind === "ramp" ? stride * elementBytes[storedElement[bufferOf(context, buffer).dtype]] : rowBytes;
  return `${addressOf(context, buffer, first, 0)}, ${bytes}`;
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A launch's statements between the configuration and its release. */
export function withTiles({ prelude, tiles }: Context, lines: readonly string[]): readonly string[] {
  return tiles.free.length + tiles.held.size === 0
    ? lines
    : [`${configure(prelude)}();`, ...lines, `${release(prelude)}();`];
}

const tileType = (prelude: Prelude): string =>
  prelude.define("uk_tile", () => "typedef struct { char bytes[1024]; } __attribute__((may_alias)) uk_tile;");

const assembler = (prelude: Prelude, name: string, parameters: string, text: string): string =>
  prelude.define(name, () => `#define ${name}(${parameters}) __asm__ volatile(${text})`);

const tileZero = (prelude: Prelude): string => assembler(prelude, "uk_tile_zero", "to", '"tilezero %%tmm" #to : :');

/** The memory from the first row to the last, for the compiler. */
const memoryAt = (pointer: string): string => `*(char (*)[15 * bytes + ${rowBytes}])(${pointer})`;

/** Macro that loads a tile whose rows are a given number of bytes apart. */
function tileLoad(prelude: Prelude): string {
  const memory = `"r"(from), "r"((long)bytes), "m"(${memoryAt("from")})`;
  return assembler(prelude, "uk_tile_load", "to, from, bytes", `"tileloadd (%0,%1,1), %%tmm" #to : : ${memory}`);
}

/** Macro that stores a tile's rows a given number of bytes apart. The bytes between the rows keep their values. */
function tileStore(prelude: Prelude): string {
  const memory = `"+m"(${memoryAt("to")}) : "r"(to), "r"((long)bytes)`;
  return assembler(prelude, "uk_tile_store", "from, to, bytes", `"tilestored %%tmm" #from ", (%1,%2,1)" : ${memory}`);
}

function tileProduct(prelude: Prelude, { name, text: { c: text } }: IntrinsicCall): string {
  invariant(text?.kind === "tiles" && text.instruction, `${name} is no instruction on tiles`);
  return assembler(prelude, `uk_${name}`, "c, a, b", `"${text.instruction} %%tmm" #b ", %%tmm" #a ", %%tmm" #c : :`);
}

/** Function that configures tiles. Palette 1: eight tiles of 16 rows of 64 bytes. */
const configure = (prelude: Prelude): string =>
  prelude.define("uk_tile_configure", () => {
    const each = (value: number): string => `{${Array(8).fill(value).join(", ")}}`;
    const fields = "unsigned char palette, start, zero[14]; unsigned short row_bytes[16]; unsigned char rows[16];";
    return [
      `${inline} void uk_tile_configure(void) {`,
      `  static const struct { ${fields} } whole = {1, 0, {0}, ${each(64)}, ${each(16)}};`,
      '  __asm__ volatile("ldtilecfg %0" : : "m"(whole));',
      "}",
    ].join("\n");
  });

const release = (prelude: Prelude): string =>
  prelude.define(
    "uk_tile_release",
    () => `${inline} void uk_tile_release(void) { __asm__ volatile("tilerelease" : :); }`,
  );
