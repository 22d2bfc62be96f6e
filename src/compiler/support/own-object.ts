// Checks of plain objects that a user gives in place of a part of ours, as JavaScript has no types: an object, and what its
// fields have to be → the object, or an error that names the field. Also calls its functions, and says whose error it was.

import type { DiagnosticCode } from "./codes.ts";
import { DiagnosticError } from "./diagnostic.ts";
import { InvariantError } from "./invariant.ts";

/** Condition on a field's value. */
export interface FieldKind {
  readonly accepts: (value: unknown) => boolean;
  /** Wanted value in words, as in "a positive integer". */
  readonly wanted: string;
}

export const aFunction: FieldKind = { accepts: (value) => typeof value === "function", wanted: "a function" };
export const aBoolean: FieldKind = { accepts: (value) => typeof value === "boolean", wanted: "true or false" };

/** Text that records and messages can hold on one line: plain ASCII without quotes and backslashes. */
export const aName: FieldKind = {
  accepts: (value) =>
    typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e][\x20\x21\x23-\x5b\x5d-\x7e]{0,79}$/.test(value),
  wanted: "a name of at most 80 plain characters",
};

export const textLike = (form: RegExp, wanted: string): FieldKind => ({
  accepts: (value) => typeof value === "string" && form.test(value),
  wanted,
});

export const integerIn = (least: number, most: number): FieldKind => ({
  accepts: (value) => typeof value === "number" && Number.isInteger(value) && value >= least && value <= most,
  wanted: `an integer from ${least} to ${most}`,
});

export const amountIn = (least: number, most: number): FieldKind => ({
  accepts: (value) => typeof value === "number" && value >= least && value <= most,
  wanted: `a number from ${least} to ${most}`,
});

export const oneOfThese = (...values: readonly (string | number)[]): FieldKind => ({
  accepts: (value) => values.some((known) => known === value),
  wanted: `one of ${values.join(", ")}`,
});

export const listOf = ({ accepts, wanted }: FieldKind): FieldKind => ({
  accepts: (value) => Array.isArray(value) && value.every(accepts),
  wanted: `a list, each of it ${wanted},`,
});

/** Lets a field be left out. */
export const optionally = ({ accepts, wanted }: FieldKind): FieldKind => ({
  accepts: (value) => value === undefined || accepts(value),
  wanted,
});

/** Conditions on the fields of a type. */
export type FieldKinds<T> = { readonly [N in keyof T]-?: FieldKind };

/**
 * Checks an object's fields.
 *
 * @param what name of the object in messages: `costModel`, `rules[0]`
 * @param others whether it may have other fields: objects with functions may keep their state there, data may not
 * @throws DiagnosticError `extension.malformed`
 * @example requireFields("target", { name: "mine", vectorBytes: 48 }, { name: aName, vectorBytes: oneOfThese(16, 32, 64) }, "refused")
 */
export function requireFields<T extends object>(
  what: string,
  value: unknown,
  kinds: FieldKinds<T>,
  others: "allowed" | "refused" = "allowed",
): asserts value is T {
  const names = Object.keys(kinds);
  if (typeof value !== "object" || value === null)
    throw malformed(`${what} is ${shown(value)}, an object with ${names.join(", ")} is wanted`);
  const fields = value as Readonly<Record<string, unknown>>;
  for (const [name, { accepts, wanted }] of Object.entries<FieldKind>(kinds))
    if (!accepts(fields[name])) throw malformed(`${what}.${name} is ${shown(fields[name])}, ${wanted} is wanted`);
  const unknown = others === "refused" ? Object.keys(fields).find((name) => !names.includes(name)) : undefined;
  if (unknown !== undefined) throw malformed(`${what} has no field ${unknown}`, `its fields are ${names.join(", ")}`);
}

export const malformed = (message: string, hint: string | null = null): DiagnosticError =>
  mistake("extension.malformed", message, hint);

/** Error about the answer of a user's function. */
export const badAnswer = (what: string, answer: unknown, wanted: string): DiagnosticError =>
  mistake("extension.bad-answer", `${what} returns ${shown(answer)}, ${wanted} is wanted`);

/**
 * Calls a function of a user's object.
 *
 * @throws DiagnosticError `extension.threw`, with the stack of the user's error; our own errors go through as they are
 */
export function callOwn<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw thrownBy(what, error);
  }
}

/** Calls as `callOwn` does, and waits for the answer. */
export async function awaitOwn<T>(what: string, call: () => Promise<T> | T): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw thrownBy(what, error);
  }
}

function thrownBy(what: string, error: unknown): unknown {
  if (error instanceof DiagnosticError || error instanceof InvariantError) return error;
  const detail = error instanceof Error ? (error.stack ?? null) : null;
  return mistake("extension.threw", `${what} has thrown ${String(error)}`, null, detail);
}

const mistake = (
  code: DiagnosticCode,
  message: string,
  hint: string | null = null,
  detail: string | null = null,
): DiagnosticError => new DiagnosticError({ code, message, loc: null, hint, detail });

/** Longest text of a value in a message. */
const mostShown = 60;

/** Prints a value for a message. */
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null && "then" in value) return "a promise";
  const text = textOf(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // An object that holds itself, or a bigint.
    return String(value);
  }
}
