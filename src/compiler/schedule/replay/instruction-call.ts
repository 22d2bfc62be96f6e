// An instruction as a call, `split("C.i", [0, 6], "cut")` ↔ { kind: "split", loop: "C.i", … }: how schedules and templates
// are written in TypeScript, and how traces are printed as it. Types follow from InstructionArgs; a kind that is not in
// the table below takes its arguments as one object.

import { primitives } from "../primitive/index.ts";
import type { Instruction, InstructionArgs, InstructionKind } from "../trace.ts";

/** The order of the arguments: what the instruction is about comes first. */
const argumentOrder = {
  split: ["loop", "factors", "tail"],
  fuse: ["outer", "inner"],
  reorder: ["loops"],
  "loop-partition": ["loop", "at"],
  "merge-loops": ["first", "second"],
  unroll: ["loop", "depth"],
  vectorize: ["loop"],
  bind: ["loop", "axis"],
  annotate: ["loop", "key", "value"],
  prefetch: ["buffer", "loop", "distance"],
  parallel: ["loop"],
  "compute-at": ["block", "loop"],
  "reverse-compute-at": ["block", "loop"],
  inline: ["block"],
  "reverse-inline": ["block"],
  "cache-read": ["buffer", "loop", "layout", "reads"],
  "cache-write": ["block", "loop", "scope"],
  "decompose-reduction": ["block", "loop"],
  rfactor: ["loop"],
  "share-element": ["block"],
  tensorize: ["loop", "intrinsic"],
  "set-dtype": ["buffer", "dtype"],
  "hoist-storage": ["buffer", "loop", "reuse"],
  "transform-layout": ["buffer", "layout"],
  pad: ["block", "multiples"],
  "storage-align": ["buffer", "dim", "factor", "offset"],
  "double-buffer": ["buffer"],
  "set-scope": ["buffer", "scope"],
} as const satisfies { readonly [K in InstructionKind]?: readonly (keyof InstructionArgs<number>[K])[] };

/** Default of the last argument: without it `unroll` has no depth, and `cacheRead` copies all reads. */
const lastDefault = {
  split: "perfect",
  unroll: undefined,
  "cache-read": undefined,
  "cache-write": "register",
  "hoist-storage": "none",
} as const satisfies { readonly [K in InstructionKind]?: unknown };

type Order = typeof argumentOrder;

type Positional<Names extends readonly PropertyKey[], Fields> = {
  [At in keyof Names]: Names[At] extends keyof Fields ? Fields[Names[At]] : never;
};

type LastOptional<T extends readonly unknown[]> = T extends readonly [...infer First, infer Last]
  ? readonly [...First, Last?]
  : never;

/** The arguments of a call; N as in InstructionArgs. */
export type InstructionArguments<K extends InstructionKind, N> = K extends keyof Order
  ? K extends keyof typeof lastDefault
    ? LastOptional<Positional<Order[K], InstructionArgs<N>[K]>>
    : Positional<Order[K], InstructionArgs<N>[K]>
  : readonly [InstructionArgs<N>[K]];

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** One method an instruction: `split`, `computeAt`, … */
export type InstructionCalls<N> = {
  readonly [K in InstructionKind as CamelCase<K>]: (...args: InstructionArguments<K, N>) => void;
};

const methodName = (kind: InstructionKind): string => kind.replace(/-./g, (pair) => pair[1]!.toUpperCase());

const orderOf = (kind: InstructionKind): readonly string[] | null =>
  (argumentOrder as Readonly<Record<string, readonly string[]>>)[kind] ?? null;

const defaultOf = (kind: InstructionKind): unknown => (lastDefault as Readonly<Record<string, unknown>>)[kind];

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
  const order = orderOf(kind);
  if (!order) return { kind, ...(args[0] as object) } as Instruction<N>;
  const fields = order.map((name, at): [string, unknown] => [name, at < args.length ? args[at] : defaultOf(kind)]);
  return { kind, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) } as Instruction<N>;
}

export interface InstructionCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Returns the shortest call of an instruction: a last argument that is its default is left out. */
export function callOf<N>(instruction: Instruction<N>): InstructionCall {
  const { kind, ...fields } = instruction;
  const method = methodName(kind);
  const order = orderOf(kind);
  if (!order) return { method, args: [fields] };
  const args = order.map((name) => (fields as Readonly<Record<string, unknown>>)[name]);
  const isShort = kind in lastDefault && args.at(-1) === defaultOf(kind);
  return { method, args: isShort ? args.slice(0, -1) : args };
}
