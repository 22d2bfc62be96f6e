// A schedule as JSON text that later versions can read: the decisions by name and value, and the trace that they gave. While
// its template makes the same of them it is a candidate like any other; after that the trace is a schedule by hand.

import {
  type Diagnostic,
  decodeTrace,
  type Trace,
  traceToJson,
  type Upgrades,
  upgrade,
} from "../../../compiler/index.ts";
import { compileModel } from "../../constraint/solver/compile.ts";
import { complete } from "../../constraint/solver/complete.ts";
import { decodeTemplateName } from "../../data/decode-record.ts";
import type { Candidate, Space, Template } from "../../data/space.ts";
import { candidateTrace } from "../../kernel/candidate-kernel.ts";
import {
  type Decode,
  integer,
  mapOf,
  nullable,
  object,
  oneOf,
  ShapeError,
  text as textOf,
} from "../../support/strict.ts";
import { assignmentOf, type Decisions, decisionsOf } from "./decisions.ts";

export interface SavedSchedule {
  readonly template: string;
  /** Algorithm that the trace is for; null: the operator as it is written. */
  readonly algorithm: string | null;
  readonly decisions: Decisions;
  readonly trace: Trace;
}

/** Schema of the file. The trace in it has a schema of its own. */
export const scheduleSchema = 1;

const upgrades: Upgrades = {};

export function scheduleToJson({ template, algorithm, decisions, trace }: SavedSchedule): string {
  const fields = [
    `"schema":${scheduleSchema}`,
    `"template":${JSON.stringify(template)}`,
    `"algorithm":${JSON.stringify(algorithm)}`,
    `"decisions":${JSON.stringify(decisions)}`,
    `"trace":${traceToJson(trace)}`,
  ];
  return `{${fields.join(",\n")}}\n`;
}

export type ParsedSchedule =
  | { readonly kind: "ok"; readonly saved: SavedSchedule }
  /** `schedule.malformed`, `schedule.unknown-schema`, or what is wrong with its trace. */
  | { readonly kind: "malformed"; readonly diagnostic: Diagnostic };

export function parseSchedule(text: string): ParsedSchedule {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed((error as SyntaxError).message);
  }
  const schema = typeof value === "object" && value !== null && "schema" in value ? value.schema : null;
  if (typeof schema !== "number") return malformed("a schedule without a schema number");
  const upgraded = upgrade(value, schema, scheduleSchema, upgrades);
  if (upgraded.kind === "unknown") return unknownSchema(schema);
  return decodeSaved(upgraded.value);
}

const decodeValue: Decode<number | string> = (value, path) =>
  typeof value === "string" ? textOf(400)(value, path) : integer(0, 2 ** 31 - 1)(value, path);
const decodeDecisions: Decode<Decisions> = mapOf(textOf(400), decodeValue, 1000);

const decodeDocument = object<{
  readonly schema: number;
  readonly template: string;
  readonly algorithm: string | null;
  readonly decisions: Decisions;
  readonly trace: unknown;
}>({
  schema: oneOf(scheduleSchema),
  template: decodeTemplateName,
  algorithm: nullable(textOf(400)),
  decisions: decodeDecisions,
  trace: (value) => value,
});

function decodeSaved(value: unknown): ParsedSchedule {
  try {
    const { template, algorithm, decisions, trace } = decodeDocument(value, []);
    const parsed = decodeTrace(trace);
    return parsed.kind === "ok"
      ? { kind: "ok", saved: { template, algorithm, decisions, trace: parsed.trace } }
      : parsed;
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return malformed(error.message);
  }
}

const malformed = (message: string): ParsedSchedule => ({
  kind: "malformed",
  diagnostic: { code: "schedule.malformed", message, loc: null, hint: null, detail: null },
});

const unknownSchema = (schema: number): ParsedSchedule => ({
  kind: "malformed",
  diagnostic: {
    code: "schedule.unknown-schema",
    message: `a schedule of schema ${schema}, this version reads ${scheduleSchema}`,
    loc: null,
    hint: schema > scheduleSchema ? "a later version of unplugin-kernel wrote it" : null,
    detail: null,
  },
});

/** Returns what to keep of a candidate; null: the space does not hold it. */
export function savedSchedule(space: Space, candidate: Candidate): SavedSchedule | null {
  const template = space.templates.find(({ name }) => name === candidate.template);
  const trace = candidateTrace(space, candidate);
  if (!template || !trace) return null;
  const { name, algorithm = null } = template;
  return { template: name, algorithm, decisions: decisionsOf(template, candidate.assignment), trace };
}

export type FoundSchedule =
  | { readonly kind: "found"; readonly candidate: Candidate }
  /** The trace is still good: `handSchedule(saved.template, saved.trace, saved)`. */
  | { readonly kind: "gone"; readonly reason: string };

/** Returns the candidate that was saved, if the space still makes the same schedule of its decisions. */
export function findSchedule(space: Space, saved: SavedSchedule): FoundSchedule {
  const template = space.templates.find(({ name }) => name === saved.template);
  if (!template) return { kind: "gone", reason: `there is no template "${saved.template}"` };
  const assignment = assignmentOf(template, saved.decisions);
  if (!assignment) return { kind: "gone", reason: `"${saved.template}" takes other decisions` };
  if (!isSolution(template, assignment)) return { kind: "gone", reason: "the constraints forbid its decisions" };
  const candidate: Candidate = { template: template.name, assignment };
  return isSame(candidateTrace(space, candidate)!, saved.trace)
    ? { kind: "found", candidate }
    : { kind: "gone", reason: `"${saved.template}" makes another schedule of its decisions` };
}

const isSolution = ({ model }: Template, assignment: Readonly<Record<string, number>>): boolean =>
  complete(compileModel(model), assignment) !== null;

const isSame = (a: Trace, b: Trace): boolean => canonical(a) === canonical(b);

/** Prints a trace with its fields sorted by name: their order in a text is up to its writer. */
const canonical = (trace: Trace): string =>
  JSON.stringify(trace, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
