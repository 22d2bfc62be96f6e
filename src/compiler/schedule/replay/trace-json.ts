// A trace as JSON text and back, across versions: a schema number says how it was written. Text from outside is parsed
// strictly: an unknown kind or field, a missing one or a number that is no count is refused, with its place in the
// text's own terms.

import { dtypes } from "../../expr/dtype.ts";
import type { Diagnostic } from "../../support/diagnostic.ts";
import { type Upgrades, upgrade } from "../../support/schema.ts";
import { threadAxes } from "../primitive/bind.ts";
import type { InstructionArgs, InstructionKind, Trace } from "../trace.ts";

/**
 * 1: a list of instructions, without a number. 2: { schema, trace }. An instruction that takes other arguments than it did
 * is a new schema, with a step in `upgrades`; a new kind of instruction, or an argument that may be left out, is none.
 */
export const traceSchema = 2;

const upgrades: Upgrades = {
  1: (trace) => ({ schema: 2, trace }),
};

/** JSON of a trace, one instruction a line, so that traces differ by lines. */
export const traceToJson = (trace: Trace): string => {
  const lines = trace.map((instruction) => `  ${JSON.stringify(instruction)}`);
  return `{"schema":${traceSchema},"trace":[${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n`}]}`;
};

export type ParsedTrace =
  | { readonly kind: "ok"; readonly trace: Trace }
  /** `trace.malformed`, `trace.unknown-schema`. */
  | { readonly kind: "malformed"; readonly diagnostic: Diagnostic };

/** @example parseTrace('{"schema":2,"trace":[{"kind":"unroll","loop":"C.k"}]}') */
export function parseTrace(text: string): ParsedTrace {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed((error as SyntaxError).message);
  }
  return decodeTrace(value);
}

/** Reads a trace as `parseTrace` does, from JSON that is part of something else. */
export function decodeTrace(value: unknown): ParsedTrace {
  const schema = Array.isArray(value) ? 1 : isObject(value) ? value.schema : undefined;
  if (typeof schema !== "number") return malformed("a trace without a schema number");
  const upgraded = upgrade(value, schema, traceSchema, upgrades);
  if (upgraded.kind === "unknown") return unknownSchema(schema);
  const problem = document(upgraded.value);
  // Checked field by field.
  return problem === null
    ? { kind: "ok", trace: (upgraded.value as { readonly trace: Trace }).trace }
    : malformed(problem);
}

const unknownSchema = (schema: number): ParsedTrace => ({
  kind: "malformed",
  diagnostic: {
    code: "trace.unknown-schema",
    message: `a trace of schema ${schema}, this version reads 1 to ${traceSchema}`,
    loc: null,
    hint: schema > traceSchema ? "a later version of unplugin-kernel wrote it" : null,
    detail: null,
  },
});

const malformed = (message: string): ParsedTrace => ({
  kind: "malformed",
  diagnostic: { code: "trace.malformed", message, loc: null, hint: null, detail: null },
});

/** Says what is wrong with a value; null: nothing. */
type Check = (value: unknown, path: string) => string | null;

const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

const name: Check = (value, path) =>
  typeof value === "string" && value !== "" ? null : `${path} is ${shown(value)}, a name is wanted`;

const integerFrom =
  (least: number): Check =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least
      ? null
      : `${path} is ${shown(value)}, an integer from ${least} on is wanted`;

const oneOf =
  (...values: readonly string[]): Check =>
  (value, path) =>
    values.some((it) => it === value) ? null : `${path} is ${shown(value)}, one of ${values.join(", ")} is wanted`;

const listOf =
  (item: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? (value.map((each, at) => item(each, `${path}[${at}]`)).find((problem) => problem !== null) ?? null)
      : `${path} is ${shown(value)}, a list is wanted`;

const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? null : check(value, path);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Field = Check | { readonly optional: Check };

/** An object with these fields and no others. */
const objectOf =
  (fields: Readonly<Record<string, Field>>): Check =>
  (value, path) => {
    if (!isObject(value)) return `${path} is ${shown(value)}, an object is wanted`;
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined) return `${path} has the unknown field ${unknown}`;
    for (const [key, field] of Object.entries(fields)) {
      const isNeeded = typeof field === "function";
      if (!isNeeded && !Object.hasOwn(value, key)) continue;
      const check = isNeeded ? field : field.optional;
      const problem = Object.hasOwn(value, key) ? check(value[key], `${path}.${key}`) : `${path} has no ${key}`;
      if (problem !== null) return problem;
    }
    return null;
  };

const loop = { loop: name };
const layoutDim = objectOf({ dim: integerFrom(0), part: oneOf("whole", "outer", "inner"), tile: integerFrom(1) });
const scope = oneOf("input", "output", "workspace", "register");

const fieldsOf: { readonly [K in InstructionKind]: { readonly [F in keyof InstructionArgs<number>[K]]-?: Field } } = {
  split: { loop: name, factors: listOf(integerFrom(0)), tail: oneOf("perfect", "guard", "cut", "mask", "shift") },
  fuse: { outer: name, inner: name },
  reorder: { loops: listOf(name) },
  "loop-partition": { loop: name, at: listOf(integerFrom(1)) },
  "merge-loops": { first: name, second: name },
  unroll: { loop: name, depth: { optional: integerFrom(1) } },
  vectorize: loop,
  bind: { loop: name, axis: oneOf(...threadAxes) },
  annotate: { loop: name, key: name, value: integerFrom(Number.MIN_SAFE_INTEGER) },
  prefetch: { buffer: name, loop: name, distance: integerFrom(0) },
  parallel: { loop: orNull(name) },
  "compute-at": { block: name, loop: name },
  "reverse-compute-at": { block: name, loop: name },
  inline: { block: name },
  "reverse-inline": { block: name },
  "cache-read": {
    buffer: name,
    loop: name,
    layout: listOf(layoutDim),
    reads: { optional: objectOf({ block: name, pattern: name, copy: name }) },
  },
  "cache-write": { block: name, loop: name, scope },
  "decompose-reduction": { block: name, loop: name },
  rfactor: loop,
  "share-element": { block: name },
  tensorize: { loop: name, intrinsic: name },
  "set-dtype": { buffer: name, dtype: oneOf(...dtypes) },
  "hoist-storage": { buffer: name, loop: orNull(name), reuse: oneOf("none", "slide", "fold") },
  "transform-layout": { buffer: name, layout: listOf(layoutDim) },
  pad: { block: name, multiples: listOf(integerFrom(1)) },
  "storage-align": { buffer: name, dim: integerFrom(0), factor: integerFrom(1), offset: integerFrom(0) },
  "double-buffer": { buffer: name },
  "set-scope": { buffer: name, scope },
};

const kind = oneOf(...Object.keys(fieldsOf));

const instruction: Check = (value, path) => {
  if (!isObject(value)) return `${path} is ${shown(value)}, an object is wanted`;
  const problem = Object.hasOwn(value, "kind") ? kind(value.kind, `${path}.kind`) : `${path} has no kind`;
  return problem ?? objectOf({ kind, ...fieldsOf[value.kind as InstructionKind] })(value, path);
};

function document(value: unknown): string | null {
  if (!isObject(value)) return `${shown(value)} is no trace`;
  const unknown = Object.keys(value).find((key) => key !== "schema" && key !== "trace");
  return unknown === undefined ? listOf(instruction)(value.trace, "trace") : `a trace has no field ${unknown}`;
}
