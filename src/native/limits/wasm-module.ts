// The WASM modules with which limits are measured: one function for each kind of arithmetic, and one that reads memory.
// Written out in bytes, as there is no text for what is the same but for one opcode.

import type { RateName } from "./machine-limits.ts";

export const memoryBytes: number = 2 ** 26;
/** Address at which probes write their result, after the numbers that they start from. */
const resultAt = 4096;
/** Addresses of the constants, each followed by the start values of the sums: numbers of one type that stay numbers. */
export const constantsAt = { f32: 0, f64: 1024 } as const;

/** A statement on a sum, as WASM has it: the sum, the constant, and opcodes of SIMD. Its value is the new sum. */
type Statement = readonly ("sum" | "constant" | number)[];

export interface WasmProbe {
  readonly rate: RateName;
  readonly constant: keyof typeof constantsAt;
  /** Statements that the sums take turns with: sum k uses statement k modulo their number. */
  readonly statements: readonly Statement[];
  /** Number of sums kept in registers. V8 has x86 registers for 14, beside the constant and a product under way. */
  readonly sums: number;
  /** Operations that one statement counts as. */
  readonly count: number;
}

const opcodes = {
  f32Multiply: 0xe6,
  f32Add: 0xe4,
  f64Multiply: 0xf2,
  f64Add: 0xf0,
  i32Multiply: 0xb5,
  i32Add: 0xae,
  i16Multiply: 0x95,
  i16Add: 0x8e,
  i8Add: 0x6e,
  i16Dot: 0xba,
  f32MultiplyAdd: 0x105,
  f64MultiplyAdd: 0x107,
} as const;
const op = (name: keyof typeof opcodes): Statement => ["sum", "constant", opcodes[name]];
// A product of constants the engine would compute once.
const pair = (one: keyof typeof opcodes, other: keyof typeof opcodes): Statement => [
  ...op(one),
  "constant",
  opcodes[other],
];
const fused = (name: keyof typeof opcodes): Statement => ["sum", "constant", "constant", opcodes[name]];

const f32: Pick<WasmProbe, "constant" | "count"> = { constant: "f32", count: 4 };
const f64: Pick<WasmProbe, "constant" | "count"> = { constant: "f64", count: 2 };
const most = 14;

/**
 * Probes of plain SIMD, several for one rate: how many sums keep a core busiest depends on the core, and the best of them
 * counts.
 */
export const wasmProbes: readonly WasmProbe[] = [
  { ...f32, rate: "f32.multiply", statements: [op("f32Multiply")], sums: most },
  // Cores that multiply and add in different units do both at once. A sum's two instructions are counted apart.
  { ...f32, rate: "f32.any", statements: [pair("f32Multiply", "f32Add")], sums: 12, count: 8 },
  { ...f32, rate: "f32.any", statements: [pair("f32Multiply", "f32Add")], sums: 13, count: 8 },
  { ...f32, rate: "f32.any", statements: [op("f32Multiply"), op("f32Add")], sums: most },
  { ...f64, rate: "f64.multiply", statements: [op("f64Multiply")], sums: most },
  { ...f64, rate: "f64.any", statements: [pair("f64Multiply", "f64Add")], sums: 12, count: 4 },
  { ...f64, rate: "f64.any", statements: [pair("f64Multiply", "f64Add")], sums: 13, count: 4 },
  { ...f64, rate: "f64.any", statements: [op("f64Multiply"), op("f64Add")], sums: most },
  { ...f32, rate: "i32.multiply", statements: [op("i32Multiply")], sums: most },
  { ...f32, rate: "i32.any", statements: [op("i32Add")], sums: 12 },
  { ...f32, rate: "i16.multiply", statements: [op("i16Multiply")], sums: most, count: 8 },
  { ...f32, rate: "i16.any", statements: [op("i16Add")], sums: 12, count: 8 },
  { ...f32, rate: "i8.any", statements: [op("i8Add")], sums: 12, count: 16 },
  { ...f32, rate: "i16.dot", statements: [pair("i16Dot", "i32Add")], sums: 12, count: 8 },
  { ...f32, rate: "i16.dot", statements: [pair("i16Dot", "i32Add")], sums: 13, count: 8 },
];

/** Probes for engines that have relaxed SIMD: others refuse a module that holds one such instruction. */
export const relaxedProbes: readonly WasmProbe[] = [
  { ...f32, rate: "f32.relaxed", statements: [fused("f32MultiplyAdd")], sums: 12 },
  { ...f64, rate: "f64.relaxed", statements: [fused("f64MultiplyAdd")], sums: 12 },
];

// ── encoding ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Exports `memory`, `reading(from, to)` and for each probe, called by its place, a function of how many steps there are. */
export function probeModule(probes: readonly WasmProbe[]): Uint8Array<ArrayBuffer> {
  const [i32, func, v128] = [0x7f, 0x60, 0x7b];
  const names = [...probes.map((_, at) => `${at}`), "reading"];
  const bodies = [
    ...probes.map((probe) => functionBody([[probe.sums + 1, v128]], arithmetic(probe))),
    functionBody([[readers, v128]], reading()),
  ];
  const exported = names.map((name, at) => [...text(name), 0x00, ...unsigned(at)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [
      [func, 1, i32, 0],
      [func, 2, i32, i32, 0],
    ]),
    ...section(
      3,
      names.map((_, at) => [at < probes.length ? 0 : 1]),
    ),
    ...section(5, [[0x00, ...unsigned(memoryBytes / 65_536)]]),
    ...section(7, [[...text("memory"), 0x02, 0x00], ...exported]),
    ...section(10, bodies),
  ]);
}

type Bytes = readonly number[];

/** LEB128 of a number from 0. */
const unsigned = (value: number): Bytes => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]);
const signed = (value: number): Bytes =>
  value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
const text = (value: string): Bytes => [...unsigned(value.length), ...Buffer.from(value)];
const vector = (items: readonly Bytes[]): Bytes => [...unsigned(items.length), ...items.flat()];

function section(id: number, items: readonly Bytes[]): Bytes {
  const content = vector(items);
  return [id, ...unsigned(content.length), ...content];
}

function functionBody(locals: readonly (readonly [count: number, type: number])[], code: Bytes): Bytes {
  const content = [...vector(locals.map(([count, type]) => [...unsigned(count), type])), ...code, 0x0b];
  return [...unsigned(content.length), ...content];
}

const localGet = (local: number): Bytes => [0x20, ...unsigned(local)];
const localSet = (local: number): Bytes => [0x21, ...unsigned(local)];
const i32Const = (value: number): Bytes => [0x41, ...signed(value)];
const simd = (code: number): Bytes => [0xfd, ...unsigned(code)];
const load = (offset: number): Bytes => [...simd(0), 4, ...unsigned(offset)];
const [loop, end, branchIf, none] = [0x03, 0x0b, 0x0d, 0x40];
const [i32Add, i32Subtract, i32Less] = [0x6a, 0x6b, 0x49];
const f32Add = simd(opcodes.f32Add);
const store = [...simd(11), 4, 0];
const xor = simd(0x51);

/** Parameter 0 counts down; local 1 is the constant, and after it are the sums. */
function arithmetic({ constant, statements, sums }: WasmProbe): Bytes {
  const places = Array.from({ length: sums }, (_, at) => at);
  const sumAt = (at: number): number => 2 + at;
  const statement = (at: number): Bytes => {
    const sum = sumAt(at);
    const local = { sum: localGet(sum), constant: localGet(1) };
    const parts = statements[at % statements.length]!;
    return [...parts.flatMap((part) => (typeof part === "number" ? simd(part) : local[part])), ...localSet(sum)];
  };
  const start = (local: number, place: number): Bytes => [
    ...i32Const(0),
    ...load(constantsAt[constant] + 16 * place),
    ...localSet(local),
  ];
  return [
    ...[1, ...places.map(sumAt)].flatMap(start),
    ...[loop, none],
    ...places.flatMap(statement),
    ...[...localGet(0), ...i32Const(1), i32Subtract, 0x22, 0, branchIf, 0, end],
    ...i32Const(resultAt),
    ...localGet(sumAt(0)),
    ...places.slice(1).flatMap((at) => [...localGet(sumAt(at)), ...xor]),
    ...store,
  ];
}

const readers = 8;

/** Code of `reading(from, to)`: reads memory from parameter 0 up to parameter 1. */
function reading(): Bytes {
  const places = Array.from({ length: readers }, (_, at) => at);
  return [
    ...[loop, none],
    ...places.flatMap((at) => [...localGet(2 + at), ...localGet(0), ...load(16 * at), ...f32Add, ...localSet(2 + at)]),
    ...[...localGet(0), ...i32Const(16 * readers), i32Add, 0x22, 0, ...localGet(1), i32Less, branchIf, 0, end],
    ...i32Const(resultAt),
    ...localGet(2),
    ...places.slice(1).flatMap((at) => [...localGet(2 + at), ...xor]),
    ...store,
  ];
}
