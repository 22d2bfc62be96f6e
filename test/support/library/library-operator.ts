// An operator of the library as tests use it: how it is made, the types that it takes, shapes, and its right answers by
// plain loops over plain numbers, which share nothing with the library.

import type { DType, Op, opLibrary } from "../../../src/compiler/index.ts";
import type { Rng } from "../../../src/tuner/support/rng.ts";

export type LibraryName = Exclude<keyof typeof opLibrary, symbol>;

/** Types of the first operand and of the second. */
export interface OperandTypes {
  readonly dtype: DType;
  readonly second: DType;
}

/** "u8·i8", or one type for both operands. */
export type TypeName = DType | "u8·i8";

export const operandTypes = (name: TypeName): OperandTypes =>
  name === "u8·i8" ? { dtype: "u8", second: "i8" } : { dtype: name, second: name };

export type Parameters = Readonly<Record<string, number>>;

/** Inputs and outputs by name, decoded: f16 bits are numbers here. */
export type Values = Readonly<Record<string, readonly number[]>>;

/** An operator with all parameters but the types. */
export interface LibraryInstance {
  readonly parameters: Parameters;
  readonly op: (types: OperandTypes) => Op;
  readonly plain: (inputs: Values) => Values;
}

export interface LibraryOperator {
  readonly name: LibraryName;
  /** Part of the title that tells it from other operators of the name: "bias, relu"; "" for the plain operator. */
  readonly variant: string;
  readonly types: readonly TypeName[];
  /** Calls exp or the like, or divides. */
  readonly callsFunctions: boolean;
  /** With extents that an interpreter can run ten times. */
  readonly small: (rng: Rng) => LibraryInstance;
  /** Shapes that are tuned for the table in docs/operators.md; the last has prime extents. */
  readonly shapes: readonly [LibraryInstance, LibraryInstance, LibraryInstance];
}

interface Spec<P extends Parameters> {
  readonly name: LibraryName;
  readonly variant?: string;
  readonly types: readonly TypeName[];
  readonly callsFunctions?: boolean;
  readonly make: (parameters: P, types: OperandTypes) => Op;
  readonly plain: (parameters: P, inputs: Values) => Values;
  readonly small: (rng: Rng) => P;
  readonly shapes: readonly [P, P, P];
}

export function libraryOperator<P extends Parameters>(spec: Spec<P>): LibraryOperator {
  const { name, variant = "", types, callsFunctions = false, make, plain, small, shapes } = spec;
  const instance = (parameters: P): LibraryInstance => ({
    parameters,
    op: (operands) => make(parameters, operands),
    plain: (inputs) => plain(parameters, inputs),
  });
  const [first, second, prime] = shapes;
  return {
    name,
    variant,
    types,
    callsFunctions,
    small: (rng) => instance(small(rng)),
    shapes: [instance(first), instance(second), instance(prime)],
  };
}

export const titleOf = ({ name, variant }: Pick<LibraryOperator, "name" | "variant">): string =>
  variant === "" ? name : `${name}: ${variant}`;

export const floats = ["f32", "f64", "f16", "bf16"] as const;
/** Types of the factors of products. */
export const factors = [...floats, "i8", "u8·i8"] as const;
/** Every number type. */
export const numbers = [...floats, "i32", "i16", "i8", "u8"] as const;

/** One extent in four is a power of two, the others are odd; none is more than `limit`. */
export const drawExtent = (limit: number, rng: Rng): number =>
  rng.below(4) === 0 ? 2 ** rng.below(Math.floor(Math.log2(limit)) + 1) : 1 + 2 * rng.below(Math.ceil(limit / 2));

/** Values of a row-major array, over all indices of a shape. */
export function tabulate(shape: readonly number[], element: (...indices: number[]) => number): number[] {
  const values: number[] = [];
  const walk = (indices: number[]): void => {
    if (indices.length === shape.length) values.push(element(...indices));
    else for (let i = 0; i < shape[indices.length]!; i++) walk([...indices, i]);
  };
  walk([]);
  return values;
}

export function total(count: number, term: (at: number) => number): number {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += term(at);
  return sum;
}
