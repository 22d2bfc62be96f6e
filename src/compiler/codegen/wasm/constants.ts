// Vector constants of loops → locals that are read before the code, from globals that could change.
//
// V8 13.6 (Node 24) makes a constant anew wherever it is used, in three instructions, each time: exp has 13 of them
// beside 24 instructions of its own. A value from a global stays in a register, or is one load from the stack. 11.3
// (Node 20) moves constants out of loops by itself.

import { type Code, get, readGlobal, set, type VectorConst, type WasmInstruction } from "./instruction.ts";
import type { LocalPool } from "./local-pool.ts";

/** The constants of a module, each once. */
export class ConstantPool {
  readonly vectors: (readonly number[])[] = [];
  readonly #globals = new Map<string, number>();

  /** The global that holds the vector. */
  globalOf(bytes: readonly number[]): number {
    const key = bytes.join();
    const known = this.#globals.get(key) ?? this.vectors.push(bytes);
    this.#globals.set(key, known);
    return known;
  }
}

/** The code of a function with what it reads before; locals are those of the function. */
export function keepConstants(code: Code, locals: LocalPool, pool: ConstantPool): Code {
  const kept = new Map<number, number>();
  const localOf = ({ bytes }: VectorConst): number => {
    const global = pool.globalOf(bytes);
    const local = kept.get(global) ?? locals.fresh("v128");
    kept.set(global, local);
    return local;
  };
  /** Blocks that are open, innermost last: whether each is a loop or inside of one. */
  const inLoop: boolean[] = [];
  const body = code.map((instruction): WasmInstruction => {
    if (instruction.kind === "enter") inLoop.push(instruction.op === "loop" || inLoop.at(-1) === true);
    else if (instruction.kind === "plain" && instruction.op === "end") inLoop.pop();
    return isCostly(instruction) && inLoop.at(-1) ? get(localOf(instruction)) : instruction;
  });
  return [...[...kept].flatMap(([global, local]) => [readGlobal(global), set(local)]), ...body];
}

/**
 * Says whether an instruction is a constant that is worth a local. Zeros and ones are not: one instruction without an
 * operand makes them.
 */
const isCostly = (instruction: WasmInstruction): instruction is VectorConst =>
  instruction.kind === "bytes" &&
  instruction.op === "v128.const" &&
  !instruction.bytes.every((byte) => byte === 0) &&
  !instruction.bytes.every((byte) => byte === 0xff);
