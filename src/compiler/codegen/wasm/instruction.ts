// WASM code as data: a list of instructions, which encode.ts writes as bytes and print-wat.ts as text.

import type { OpName } from "./opcodes.ts";

export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

/** An instruction without immediates. */
export interface Plain {
  readonly kind: "plain";
  readonly op: OpName;
}

export interface MemoryAccess {
  readonly kind: "memory";
  readonly op: OpName;
  /** log2 of the alignment that is promised, in bytes: that of an element. */
  readonly align: number;
  /** Bytes added to the address on the stack, without wrapping. */
  readonly offset: number;
  /** Lane, for the load/store-lane instructions. */
  readonly lane: number | null;
}

export interface LaneAccess {
  readonly kind: "lane";
  readonly op: OpName;
  readonly lane: number;
}

export interface LocalAccess {
  readonly kind: "local";
  readonly op: "local.get" | "local.set" | "local.tee";
  readonly index: number;
}

/**
 * Reads a global that could change and never does: what the engine cannot know. The first is an i32, 0; the others are the
 * module's constants.
 */
export interface GlobalAccess {
  readonly kind: "global";
  readonly op: "global.get";
  readonly index: number;
}

export interface NumberConst {
  readonly kind: "number";
  readonly type: "i32" | "f32" | "f64" | "i64";
  readonly value: number;
}

export interface VectorConst {
  readonly kind: "bytes";
  readonly op: "v128.const" | "i8x16.shuffle";
  /** 16 bytes: the constant, or the byte of (a, b) that goes to each place. */
  readonly bytes: readonly number[];
}

export interface Enter {
  readonly kind: "enter";
  readonly op: "block" | "loop" | "if";
  readonly result: ValueType | null;
}

export interface Branch {
  readonly kind: "branch";
  readonly op: "br" | "br_if";
  readonly depth: number;
}

export interface Call {
  readonly kind: "call";
  /** Name of a function of the module. */
  readonly name: string;
}

export type WasmInstruction =
  | Plain
  | MemoryAccess
  | LaneAccess
  | LocalAccess
  | GlobalAccess
  | NumberConst
  | VectorConst
  | Enter
  | Branch
  | Call;

export type Code = readonly WasmInstruction[];

export interface WasmFunction {
  readonly name: string;
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
  /** Locals after the parameters. */
  readonly locals: readonly ValueType[];
  readonly code: Code;
}

/**
 * A module with one memory, which it exports with its first functions. Or one that is shared: that it imports, and beside it
 * the function `share(part, iterations)`, for which the exported functions after the first are.
 */
export interface WasmModule {
  readonly memory: { readonly pages: number; readonly isShared: boolean };
  readonly functions: readonly WasmFunction[];
  /** Vectors of 16 bytes, the globals from 1 on. */
  readonly constants: readonly (readonly number[])[];
  /** Number of functions that are exported, from the first on. */
  readonly exported: number;
}

/** `share` of a module with a shared memory. */
export const shareType = { params: ["i32", "i32"], results: [] } as const;

export const plain = (op: OpName): Plain => ({ kind: "plain", op });
export const lane = (op: OpName, index: number): LaneAccess => ({ kind: "lane", op, lane: index });
export const get = (index: number): LocalAccess => ({ kind: "local", op: "local.get", index });
export const set = (index: number): LocalAccess => ({ kind: "local", op: "local.set", index });
export const tee = (index: number): LocalAccess => ({ kind: "local", op: "local.tee", index });
export const i32 = (value: number): NumberConst => ({ kind: "number", type: "i32", value: value | 0 });
export const call = (name: string): Call => ({ kind: "call", name });
export const branchIf = (depth: number): Branch => ({ kind: "branch", op: "br_if", depth });
export const shuffle = (bytes: readonly number[]): VectorConst => ({ kind: "bytes", op: "i8x16.shuffle", bytes });
export const v128 = (bytes: readonly number[]): VectorConst => ({ kind: "bytes", op: "v128.const", bytes });
export const zeroVector: VectorConst = v128(new Array<number>(16).fill(0));

const enter = (op: Enter["op"], result: ValueType | null): Enter => ({ kind: "enter", op, result });
export const readGlobal = (index: number): GlobalAccess => ({ kind: "global", op: "global.get", index });
export const readZero: GlobalAccess = readGlobal(0);

export const block = (body: Code): Code => [enter("block", null), ...body, plain("end")];
export const loop = (body: Code): Code => [enter("loop", null), ...body, plain("end")];

/** Branches on the condition on the stack; without `otherwise` there is no else branch. */
export const ifElse = (result: ValueType | null, then: Code, otherwise: Code | null): Code => [
  enter("if", result),
  ...then,
  ...(otherwise ? [plain("else"), ...otherwise] : []),
  plain("end"),
];
