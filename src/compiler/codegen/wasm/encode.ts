// WasmModule → the bytes of the WASM binary format (core specification 2.0, chapter 5).

import { section, signed, text, unsigned, vector } from "./binary.ts";
import {
  type Code,
  shareType,
  type ValueType,
  v128,
  type WasmFunction,
  type WasmInstruction,
  type WasmModule,
} from "./instruction.ts";
import { opcodes } from "./opcodes.ts";
import { sharedImports } from "./sharing.ts";

const valueTypes: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b };
const emptyBlock = 0x40;
const isMutable = 0x01;
const zeroGlobal = [valueTypes.i32, isMutable, opcodes["i32.const"], 0x00, opcodes.end];

const vectorGlobal = (bytes: readonly number[]): number[] => {
  const code: number[] = [];
  encodeCode([v128(bytes)], new Map(), code);
  return [valueTypes.v128, isMutable, ...code, opcodes.end];
};

/** The module `run`, `memory` and its runTime, as bytes that any WASM engine with SIMD128 accepts. */
export function encodeModule({ functions, constants, memory, exported }: WasmModule): Uint8Array<ArrayBuffer> {
  const { pages, isShared } = memory;
  const imports = isShared ? ["share"] : [];
  const indices = new Map([...imports, ...functions.map(({ name }) => name)].map((name, index) => [name, index]));
  const types = [...(isShared ? [encodeType(shareType)] : []), ...functions.map(encodeType)];
  const entries = functions.slice(0, exported).map(({ name }) => exportOf(name, 0x00, indices.get(name)!));
  const bodies = functions.map((func) => encodeBody(func, indices));
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    ...(isShared ? sharedImports(pages, 0) : []),
    ...section(3, vector(functions.map((_, index) => unsigned(imports.length + index)))),
    ...(isShared ? [] : section(5, vector([[0x00, ...unsigned(pages)]]))),
    ...section(6, vector([zeroGlobal, ...constants.map(vectorGlobal)])),
    ...section(7, vector([...entries, ...(isShared ? [] : [exportOf("memory", 0x02, 0)])])),
    ...section(10, vector(bodies)),
  ]);
}

const exportOf = (name: string, kind: number, index: number): number[] => [...text(name), kind, ...unsigned(index)];

function encodeType({ params, results }: Pick<WasmFunction, "params" | "results">): number[] {
  const types = (list: readonly ValueType[]) => vector(list.map((type) => [valueTypes[type]]));
  return [0x60, ...types(params), ...types(results)];
}

function encodeBody({ locals, code }: WasmFunction, indices: ReadonlyMap<string, number>): number[] {
  const bytes = vector(localRuns(locals));
  encodeCode(code, indices, bytes);
  bytes.push(opcodes.end);
  return [...unsigned(bytes.length), ...bytes];
}

/** Declarations of locals, as runs of one type. */
function localRuns(locals: readonly ValueType[]): number[][] {
  const runs: { type: ValueType; count: number }[] = [];
  for (const type of locals) {
    const last = runs.at(-1);
    if (last?.type === type) last.count++;
    else runs.push({ type, count: 1 });
  }
  return runs.map(({ type, count }) => [...unsigned(count), valueTypes[type]]);
}

function encodeCode(code: Code, indices: ReadonlyMap<string, number>, out: number[]): void {
  for (const instruction of code) {
    pushOpcode(instruction, out);
    for (const byte of immediates(instruction, indices)) out.push(byte);
  }
}

function pushOpcode(instruction: WasmInstruction, out: number[]): void {
  const opcode = opcodes[opName(instruction)];
  if (opcode <= 0xff) out.push(opcode);
  else out.push(opcode >> 16, ...unsigned(opcode & 0xffff));
}

function opName(instruction: WasmInstruction): keyof typeof opcodes {
  if (instruction.kind === "number") return `${instruction.type}.const`;
  return instruction.kind === "call" ? "call" : instruction.op;
}

function immediates(instruction: WasmInstruction, indices: ReadonlyMap<string, number>): readonly number[] {
  switch (instruction.kind) {
    case "plain":
      return [];
    case "memory": {
      const { align, offset, lane } = instruction;
      return [align, ...unsigned(offset), ...(lane === null ? [] : [lane])];
    }
    case "lane":
      return [instruction.lane];
    case "local":
      return unsigned(instruction.index);
    case "global":
      return unsigned(instruction.index);
    case "number":
      return numberBytes(instruction.type, instruction.value);
    case "bytes":
      return instruction.bytes;
    case "enter":
      return [instruction.result === null ? emptyBlock : valueTypes[instruction.result]];
    case "branch":
      return unsigned(instruction.depth);
    case "call":
      return unsigned(indices.get(instruction.name) ?? 0);
  }
}

function numberBytes(type: "i32" | "i64" | "f32" | "f64", value: number): readonly number[] {
  if (type === "i32" || type === "i64") return signed(BigInt(value));
  const view = new DataView(new ArrayBuffer(8));
  if (type === "f32") view.setFloat32(0, value, true);
  else view.setFloat64(0, value, true);
  return [...new Uint8Array(view.buffer, 0, type === "f32" ? 4 : 8)];
}
