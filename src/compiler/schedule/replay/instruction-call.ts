// An instruction as a call, `split("C.i", [0, 6], "cut")` ↔ { kind: "split", loop: "C.i", … }: how schedules and templates
// are written in TypeScript, and how traces are printed as it. The order of the arguments is that of the primitive's fields, their types
// are those of InstructionArgs.

import type { Field } from "../primitive/field.ts";
import { type FieldsOf, primitiveOf, primitives } from "../primitive/index.ts";
import type { Instruction, InstructionArgs, InstructionKind } from "../trace.ts";

type ValueOf<It, Args> = It extends Field<infer Name> ? (Name extends keyof Args ? Args[Name] : never) : never;
type Positional<Fields extends readonly Field[], Args> = { readonly [At in keyof Fields]: ValueOf<Fields[At], Args> };

type LastOptional<T> = T extends readonly [...infer First, infer Last] ? readonly [...First, Last?] : never;

type Arguments<Fields extends readonly Field[], Args> = Fields extends readonly [...unknown[], Field<string, false>]
  ? LastOptional<Positional<Fields, Args>>
  : Positional<Fields, Args>;

/** The arguments of a call; N as in InstructionArgs. A last one that need not be given may be left out. */
export type InstructionArguments<K extends InstructionKind, N> = Arguments<FieldsOf<K>, InstructionArgs<N>[K]>;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** One method an instruction: `split`, `computeAt`, … */
export type InstructionCalls<N> = {
  readonly [K in InstructionKind as CamelCase<K>]: (...args: InstructionArguments<K, N>) => void;
};

const methodName = (kind: InstructionKind): string => kind.replace(/-./g, (pair) => pair[1]!.toUpperCase());

/** Methods that make an instruction of their arguments, each given to `perform`. */
export function instructionCalls<N>(perform: (instruction: Instruction<N>) => void): InstructionCalls<N> {
  const kinds = Object.keys(primitives) as InstructionKind[];
  const calls = kinds.map((kind): [string, (...args: readonly unknown[]) => void] => [
    methodName(kind),
    (...args) => perform(instructionOf(kind, args)),
  ]);
  // Each method has the arguments of its kind.
  return Object.fromEntries(calls) as unknown as InstructionCalls<N>;
}

function instructionOf<N>(kind: InstructionKind, args: readonly unknown[]): Instruction<N> {
  const values = primitiveOf(kind).fields.map(({ name, preset }, at): [string, unknown] => [
    name,
    at < args.length ? args[at] : preset,
  ]);
  return { kind, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) } as Instruction<N>;
}

export interface InstructionCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Returns the shortest call of an instruction: a last argument that says what leaving it out says is left out. */
export function callOf<N>(instruction: Instruction<N>): InstructionCall {
  const { kind } = instruction;
  const { fields } = primitiveOf(kind);
  const args = fields.map(({ name }) => (instruction as unknown as Readonly<Record<string, unknown>>)[name]);
  const last = fields.at(-1);
  const isShort = last !== undefined && !last.isNeeded && args.at(-1) === last.preset;
  return { method: methodName(kind), args: isShort ? args.slice(0, -1) : args };
}
