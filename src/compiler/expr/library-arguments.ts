// Arguments of the operator library, checked at the line of the call: in JavaScript no type does it. Library operators use this
// file and the public language, and nothing else.

import { badFieldOf, type FieldKind, isAnyObject, optionally, unknownFieldOf } from "../support/own-object.ts";
import { fail } from "./builder.ts";
import { given as givenWords, isWhat } from "./describe.ts";
import { type DType, dtypes } from "./dtype.ts";
import { requireDType } from "./expr-handle.ts";

const isInteger = (value: unknown, least: number): boolean => Number.isInteger(value) && (value as number) >= least;

const numbers = {
  /** A dimension, a number of things, a step. */
  size: { accepts: (value) => isInteger(value, 1), wanted: "a positive integer" },
  margin: { accepts: (value) => isInteger(value, 0), wanted: "an integer, 0 or more" },
  number: { accepts: (value) => Number.isFinite(value), wanted: "a number" },
} as const satisfies Readonly<Record<string, FieldKind>>;

const aDType: FieldKind = { accepts: (value) => dtypes.some((dtype) => dtype === value), wanted: "a type" };

type KindOf<T> = [NonNullable<T>] extends [DType] ? "dtype" : keyof typeof numbers;

/** The kind of value that each parameter takes; a question mark means that the parameter is optional. */
export type ParameterKinds<P> = {
  readonly [N in keyof P]-?: undefined extends P[N] ? `${KindOf<P[N]>}?` : KindOf<P[N]>;
};

/**
 * The parameters that were given, those that are undefined left out.
 *
 * @throws DiagnosticError expr.unknown-parameter, expr.bad-parameter
 * @example checked("gemv", { M: "size", K: "size", dtype: "dtype?" }, { M: 4, K: 8 }) // { M: 4, K: 8 }
 */
export function checked<P extends object>(operator: string, expected: ParameterKinds<P>, parameters: P): P {
  const names = Object.keys(expected);
  if (!isAnyObject(parameters)) {
    fail("expr.bad-parameter", `${operator} is given ${givenWords(parameters)}`, {
      hint: `its parameters are an object: ${operator}({ ${names.join(", ")} })`,
    });
  }
  requireKeys(`${operator} has no parameter`, names, parameters);
  const kinds = Object.entries<string>(expected).map(([name, kind]) => [name, fieldKindOf(kind)] as const);
  const bad = badFieldOf(parameters, Object.fromEntries(kinds));
  if (bad) {
    const { name, value, wanted } = bad;
    // Types have a message of their own.
    if (wanted === aDType.wanted) requireDType(value, `${name} of ${operator}`);
    const found = value === undefined ? `${operator} is given no ${name}` : `${name} of ${operator} ${isWhat(value)}`;
    fail("expr.bad-parameter", found, { hint: `${name} is ${wanted}` });
  }
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as P;
}

/** "size?" → a positive integer, or nothing */
function fieldKindOf(kind: string): FieldKind {
  const needed = kind.replace("?", "");
  const own = needed === "dtype" ? aDType : numbers[needed as keyof typeof numbers];
  return kind.endsWith("?") ? optionally(own) : own;
}

/** @throws DiagnosticError expr.unknown-parameter */
export function requireKeys(complaint: string, names: readonly string[], given: object): void {
  const unknown = unknownFieldOf(given, names);
  if (unknown !== undefined)
    fail("expr.unknown-parameter", `${complaint} ${unknown}`, { hint: `there are ${names.join(", ")}` });
}

/** @throws DiagnosticError expr.bad-parameter */
export function requireOneOf(what: string, names: readonly string[], value: unknown): void {
  if (names.some((name) => name === value)) return;
  fail("expr.bad-parameter", `${what} ${isWhat(value)}`, { hint: `there are ${names.join(", ")}` });
}
