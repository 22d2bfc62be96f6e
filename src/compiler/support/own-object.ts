// Checks of plain objects that a user gives, as JavaScript has no types: an object, and what its fields have to be → the object, or an
// error that names the field. Also calls its functions, and says whose error it was. All objects of users are checked here: parts that
// stand in place of ours, strategies, parameters of library operators. The last two have codes and words of their own.

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
export const aText: FieldKind = { accepts: (value) => typeof value === "string", wanted: "a text" };
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

/** First field, in the order of `kinds`, whose value is not what is wanted. */
export interface BadField {
  readonly name: string;
  readonly value: unknown;
  readonly wanted: string;
}

/** @returns null: all fields that `kinds` names are what they have to be */
export function badFieldOf(fields: object, kinds: Readonly<Record<string, FieldKind>>): BadField | null {
  for (const [name, { accepts, wanted }] of Object.entries(kinds)) {
    const value = (fields as Readonly<Record<string, unknown>>)[name];
    if (!accepts(value)) return { name, value, wanted };
  }
  return null;
}

/** Name of a field that is none of `names`; undefined: there is no such field. */
export const unknownFieldOf = (fields: object, names: readonly string[]): string | undefined =>
  Object.keys(fields).find((name) => !names.includes(name));

/** Whether a value has fields: a list does, null does not. */
export const isAnyObject = (value: unknown): value is object => typeof value === "object" && value !== null;

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
  if (!isAnyObject(value)) throw malformed(`${what} is ${shown(value)}, an object with ${names.join(", ")} is wanted`);
  const bad = badFieldOf(value, kinds);
  if (bad) throw malformed(`${what}.${bad.name} is ${shown(bad.value)}, ${bad.wanted} is wanted`);
  const unknown = others === "refused" ? unknownFieldOf(value, names) : undefined;
  if (unknown !== undefined) throw malformed(`${what} has no field ${unknown}`, `its fields are ${names.join(", ")}`);
}

export const malformed = (message: string, hint: string | null = null): DiagnosticError =>
  mistake("extension.malformed", message, hint);

/** Error about the answer of a user's function. */
export const badAnswer = (
  what: string,
  answer: unknown,
  wanted: string,
  {
    code = "extension.bad-answer",
    hint = null,
  }: { readonly code?: DiagnosticCode; readonly hint?: string | null } = {},
): DiagnosticError => mistake(code, `${what} returns ${shown(answer)}, ${wanted} is wanted`, hint);

/**
 * Calls a function of a user's object.
 *
 * @throws DiagnosticError of `code`, with the stack of the user's error; our own errors go through as they are
 */
export function callOwn<T>(what: string, call: () => T, code: DiagnosticCode = "extension.threw"): T {
  try {
    return call();
  } catch (error) {
    throw thrownBy(what, error, code);
  }
}

/** Calls as `callOwn` does, and waits for the answer. */
export async function awaitOwn<T>(what: string, call: () => Promise<T> | T): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw thrownBy(what, error, "extension.threw");
  }
}

function thrownBy(what: string, error: unknown, code: DiagnosticCode): unknown {
  if (error instanceof DiagnosticError || error instanceof InvariantError) return error;
  const detail = error instanceof Error ? (error.stack ?? null) : null;
  return mistake(code, `${what} has thrown ${String(error)}`, null, detail);
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
  return isPromiseLike(value) ? "a promise" : asJson(value);
}

/** Whether a value is to be waited for: a promise, or what `await` takes for one. */
export const isPromiseLike = (value: unknown): boolean => isAnyObject(value) && "then" in value;

/** JSON of a value for a message, cut where it is long. */
export function asJson(value: unknown): string {
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
