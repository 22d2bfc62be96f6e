// Arguments of the operator library, checked at the line of the call: in JavaScript no type does it. Library operators use this
// file and the public language, and nothing else.

import { fail } from "./builder.ts";
import { given as givenWords, isWhat } from "./describe.ts";
import type { DType } from "./dtype.ts";
import { requireDType } from "./expr-handle.ts";

const isInteger = (value: unknown, least: number): boolean => Number.isInteger(value) && (value as number) >= least;

const numbers = {
  /** A dimension, a number of things, a step. */
  size: { accepts: (value: unknown): boolean => isInteger(value, 1), wanted: "a positive integer" },
  margin: { accepts: (value: unknown): boolean => isInteger(value, 0), wanted: "an integer, 0 or more" },
  number: { accepts: (value: unknown): boolean => Number.isFinite(value), wanted: "a number" },
} as const;

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
  if (typeof parameters !== "object" || parameters === null) {
    fail("expr.bad-parameter", `${operator} is given ${givenWords(parameters)}`, {
      hint: `its parameters are an object: ${operator}({ ${names.join(", ")} })`,
    });
  }
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  requireKeys(`${operator} has no parameter`, names, parameters);
  for (const [name, kind] of Object.entries<string>(expected)) requireParameter(operator, name, kind, new Map(given));
  return Object.fromEntries(given) as P;
}

/** @throws DiagnosticError expr.unknown-parameter */
export function requireKeys(complaint: string, names: readonly string[], given: object): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    fail("expr.unknown-parameter", `${complaint} ${unknown}`, { hint: `there are ${names.join(", ")}` });
}

/** @throws DiagnosticError expr.bad-parameter */
export function requireOneOf(what: string, names: readonly string[], value: unknown): void {
  if (names.some((name) => name === value)) return;
  fail("expr.bad-parameter", `${what} ${isWhat(value)}`, { hint: `there are ${names.join(", ")}` });
}

function requireParameter(operator: string, name: string, kind: string, given: ReadonlyMap<string, unknown>): void {
  const value = given.get(name);
  if (value === undefined && kind.endsWith("?")) return;
  if (kind === "dtype?") {
    requireDType(value, `${name} of ${operator}`);
    return;
  }
  const { accepts, wanted } = numbers[kind.replace("?", "") as keyof typeof numbers];
  if (accepts(value)) return;
  const found = value === undefined ? `${operator} is given no ${name}` : `${name} of ${operator} ${isWhat(value)}`;
  fail("expr.bad-parameter", found, { hint: `${name} is ${wanted}` });
}
