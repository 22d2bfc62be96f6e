// What an operator of the library is given, checked where it is called: in JavaScript no type does.

import { fail } from "../expr/builder.ts";
import type { DType } from "../expr/dtype.ts";
import { describe, requireDType } from "../expr/expr-handle.ts";

const isInteger = (value: unknown, least: number): boolean => Number.isInteger(value) && (value as number) >= least;

const numbers = {
  /** A dimension, a number of things, a step. */
  size: { accepts: (value: unknown): boolean => isInteger(value, 1), wanted: "a positive integer" },
  margin: { accepts: (value: unknown): boolean => isInteger(value, 0), wanted: "an integer, 0 or more" },
  number: { accepts: (value: unknown): boolean => Number.isFinite(value), wanted: "a number" },
} as const;

type KindOf<T> = [NonNullable<T>] extends [DType] ? "dtype" : keyof typeof numbers;

/** Of every parameter what it may be; with a question mark it may be left out. */
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
  if (typeof parameters !== "object" || parameters === null) {
    fail("expr.bad-parameter", `${operator} is given ${describe(parameters)}`, {
      hint: `its parameters are an object: ${operator}({ ${names.join(", ")} })`,
    });
  }
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const unknown = given.find(([name]) => !names.includes(name));
  if (unknown) {
    fail("expr.unknown-parameter", `${operator} has no parameter ${unknown[0]}`, {
      hint: `its parameters are ${names.join(", ")}`,
    });
  }
  for (const [name, kind] of Object.entries<string>(expected)) requireParameter(operator, name, kind, new Map(given));
  return Object.fromEntries(given) as P;
}

function requireParameter(operator: string, name: string, kind: string, given: ReadonlyMap<string, unknown>): void {
  const value = given.get(name);
  if (value === undefined && kind.endsWith("?")) return;
  if (kind === "dtype?") {
    requireDType(value);
    return;
  }
  const { accepts, wanted } = numbers[kind.replace("?", "") as keyof typeof numbers];
  if (accepts(value)) return;
  const found =
    value === undefined ? `${operator} is given no ${name}` : `${name} of ${operator} is ${describe(value)}`;
  fail("expr.bad-parameter", found, { hint: `${name} is ${wanted}` });
}
