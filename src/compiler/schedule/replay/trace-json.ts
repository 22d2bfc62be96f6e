// A trace as JSON text and back, across versions: a schema number says how it was written. Text from outside is parsed
// strictly: an unknown kind or field, a missing one or a number that is no count is refused, with its place in the
// text's own terms.

import type { Diagnostic } from "../../support/diagnostic.ts";
import { type Upgrades, upgrade } from "../../support/schema.ts";
import { type Check, field, isObject, listOf, objectOf, oneOf, shown } from "../primitive/field.ts";
import { primitiveOf, primitives } from "../primitive/index.ts";
import type { InstructionKind, Trace } from "../trace.ts";

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

const kind = field("kind", oneOf(...Object.keys(primitives)));

const instruction: Check = (value, path) => {
  if (!isObject(value)) return `${path} is ${shown(value)}, an object is wanted`;
  const problem = Object.hasOwn(value, "kind") ? kind.check(value.kind, `${path}.kind`) : `${path} has no kind`;
  return problem ?? objectOf([kind, ...primitiveOf(value.kind as InstructionKind).fields])(value, path);
};

function document(value: unknown): string | null {
  if (!isObject(value)) return `${shown(value)} is no trace`;
  const unknown = Object.keys(value).find((key) => key !== "schema" && key !== "trace");
  return unknown === undefined ? listOf(instruction)(value.trace, "trace") : `a trace has no field ${unknown}`;
}
