// Operands of PTX as C++: registers, immediates, special registers, and names of memory, by the blocks that declare them.

import { bitsOf, cppType, registerType, takes } from "./types.ts";

/** PTX has names that C++ lacks: "%r1", "$L__BB0_2". */
export const cppName = (name: string): string => `$${name.replaceAll("%", "$")}`;

/** Registers that the machine writes, which `mov` and `cvt` read. */
const specialRegisters: ReadonlyMap<string, string> = new Map([
  ...["x", "y", "z"].flatMap((axis): [string, string][] => [
    [`%tid.${axis}`, `threadIdx.${axis}`],
    [`%ctaid.${axis}`, `blockIdx.${axis}`],
    [`%ntid.${axis}`, `blockDim.${axis}`],
    [`%nctaid.${axis}`, `gridDim.${axis}`],
  ]),
  ["%laneid", "(uk_thread & 31)"],
]);

export const isSpecial = (operand: string): boolean => specialRegisters.has(operand);

export interface Operands {
  /** Value of an operand, as a type. */
  readonly read: (operand: string, type: string, mayBeWider?: boolean) => string;
  /** Statement that gives a register a value. "_" takes it and is no register. */
  readonly write: (operand: string, type: string, value: string, mayBeWider?: boolean) => string;
  /** Address of a register whose value an instruction changes later. */
  readonly pointer: (operand: string, type: string) => string;
  /** Number of the byte that "[%rd1+4]" names, in a space: "shared". Undefined: the space of all. */
  readonly address: (operand: string, space: string | undefined) => string;
}

/** What a name stands for: a register of a type, or memory of a space. */
interface Symbol {
  readonly text: string;
  readonly type: string | null;
  readonly space: string | null;
}

export interface Scope extends Operands {
  readonly enter: () => void;
  readonly leave: () => void;
  /** Declares registers. Returns their C++: what was never written is no number that a kernel computes with. */
  readonly declare: (type: string, names: readonly string[]) => string;
  /** Gives memory of a space its address. */
  readonly place: (name: string, space: string, address: string) => void;
}

export function newScope(): Scope {
  const blocks: Map<string, Symbol>[] = [new Map()];
  const find = (name: string): Symbol | undefined => blocks.findLast((block) => block.has(name))?.get(name);
  const register = (name: string, type: string, mayBeWider: boolean): string => {
    const found = find(name);
    if (!found || found.type === null) throw new Error(`${name} is no register`);
    if (!takes(type, found.type, mayBeWider)) throw new Error(`${name} is .${found.type}, and .${type} is wanted`);
    return found.text;
  };
  /** Bits of an operand. */
  const bits = (operand: string, type: string, mayBeWider: boolean): string => {
    const special = specialRegisters.get(operand);
    if (special !== undefined && takes(type, "u32", mayBeWider)) return special;
    const known = immediate(operand, type) ?? constantAddress(operand, type, find);
    return known ?? register(operand, type, mayBeWider);
  };
  return {
    enter: () => void blocks.push(new Map()),
    leave: () => void blocks.pop(),
    declare(type, names) {
      for (const name of names) blocks.at(-1)!.set(name, { text: cppName(name), type, space: null });
      return `${registerType(type)} ${names.map((name) => `${cppName(name)} = -1`).join(", ")};`;
    },
    place: (name, space, text) => void blocks.at(-1)!.set(name, { text, type: null, space }),
    read: (operand, type, mayBeWider = false) => `uk_as<${cppType(type)}>(${bits(operand, type, mayBeWider)})`,
    write: (operand, type, value, mayBeWider = false) =>
      operand === "_" ? "" : `uk_set(${register(operand, type, mayBeWider)}, (${cppType(type)})(${value}));`,
    pointer: (operand, type) => `(${cppType(type)} *)&${register(operand, type, false)}`,
    address(operand, space) {
      const found = /^\[([%\w$]+)(?:\+(-?\d+))?\]$/.exec(operand);
      if (!found) throw new Error(`${operand} is no address`);
      const [, base, offset = "0"] = found;
      const symbol = find(base!);
      if (symbol?.space && symbol.space !== space) throw new Error(`${base} is no ${space} memory`);
      const isShort = space === "shared" && symbol?.type && takes("b32", symbol.type, false);
      return `${symbol?.space ? symbol.text : register(base!, isShort ? "b32" : "b64", false)} + ${offset}ll`;
    },
  };
}

/** C++ of an immediate; null: it is none. */
function immediate(operand: string, type: string): string | null {
  const float = /^0([fF])([\dA-Fa-f]{8})$|^0([dD])([\dA-Fa-f]{16})$/.exec(operand);
  if (float) {
    const width = float[1] ? 32 : 64;
    if (type !== `f${width}` && type !== `b${width}`) throw new Error(`${operand} is no .${type}`);
    return `0x${float[2] ?? float[4]}ull`;
  }
  if (!/^-?(?:\d+|0[xX][\dA-Fa-f]+)U?$/.test(operand)) return null;
  if (type.includes("f")) throw new Error(`${operand} is no .${type}`);
  if (type === "pred") return `${Number(operand) === 0 ? 0 : 1}ull`;
  return `${operand.replace("U", "")}ull`;
}

/** "name" and "name+4", where the name is one of memory; null: it is none. */
function constantAddress(operand: string, type: string, find: (name: string) => Symbol | undefined): string | null {
  const [, name, offset = "0"] = /^([\w$]+)(?:\+(\d+))?$/.exec(operand) ?? [];
  const symbol = name === undefined ? undefined : find(name);
  if (!symbol || symbol.type !== null) return null;
  if (bitsOf(type) < 32) throw new Error(`${operand} is no .${type}`);
  return `(${symbol.text} + ${offset}ull)`;
}
