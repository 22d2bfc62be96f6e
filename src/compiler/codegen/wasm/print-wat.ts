// WasmModule → text in the WebAssembly text format, one instruction a line, indented by block. For dumps and goldens.

import { type Code, shareType, type WasmFunction, type WasmInstruction, type WasmModule } from "./instruction.ts";

export function printModule({ functions, constants, memory: { pages, isShared }, exported }: WasmModule): string {
  const shared = [
    `  (import "kernel" "memory" (memory ${pages} 65536 shared))`,
    `  (import "kernel" "share" (func $share (param ${shareType.params.join(" ")})))`,
  ];
  const lines = [
    "(module",
    ...(isShared ? shared : [`  (memory (export "memory") ${pages})`]),
    "  (global $zero (mut i32) (i32.const 0))",
    ...constants.map((bytes, at) => `  (global $constant${at} (mut v128) (v128.const i8x16 ${bytes.join(" ")}))`),
    ...functions.flatMap((func, index) => printFunction(func, index < exported)),
    ")",
  ];
  return `${lines.join("\n")}\n`;
}

function printFunction({ name, params, results, locals, code }: WasmFunction, isExported: boolean): string[] {
  const list = (keyword: string, types: readonly string[]) =>
    types.length === 0 ? "" : ` (${keyword} ${types.join(" ")})`;
  const head = `  (func $${name}${isExported ? ` (export "${name}")` : ""}${list("param", params)}${list("result", results)}`;
  return [head, ...(locals.length === 0 ? [] : [`   ${list("local", locals)}`]), ...printCode(code), "  )"];
}

function printCode(code: Code): string[] {
  const lines: string[] = [];
  let depth = 2;
  for (const instruction of code) {
    const isMiddle = instruction.kind === "plain" && (instruction.op === "end" || instruction.op === "else");
    if (isMiddle) depth--;
    lines.push("  ".repeat(depth) + printInstruction(instruction));
    if (instruction.kind === "enter" || (isMiddle && instruction.op === "else")) depth++;
  }
  return lines;
}

function printInstruction(instruction: WasmInstruction): string {
  switch (instruction.kind) {
    case "plain":
      return instruction.op;
    case "memory": {
      const { op, align, offset, lane } = instruction;
      return `${op}${offset === 0 ? "" : ` offset=${offset}`} align=${2 ** align}${lane === null ? "" : ` ${lane}`}`;
    }
    case "lane":
      return `${instruction.op} ${instruction.lane}`;
    case "local":
      return `${instruction.op} ${instruction.index}`;
    case "global":
      return `${instruction.op} ${instruction.index === 0 ? "$zero" : `$constant${instruction.index - 1}`}`;
    case "number":
      return `${instruction.type}.const ${printNumber(instruction.value)}`;
    case "bytes":
      return `${instruction.op}${instruction.op === "v128.const" ? " i8x16" : ""} ${instruction.bytes.join(" ")}`;
    case "enter":
      return instruction.result === null ? instruction.op : `${instruction.op} (result ${instruction.result})`;
    case "branch":
      return `${instruction.op} ${instruction.depth}`;
    case "call":
      return `call $${instruction.name}`;
  }
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  return Object.is(value, -0) ? "-0" : String(value);
}
