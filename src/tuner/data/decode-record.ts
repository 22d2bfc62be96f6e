// A line of the record database, as parsed JSON → TuningRecord, with every field checked.

import type { Assignment } from "../../compiler/index.ts";
import {
  type Decode,
  integer,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  sha256Hex,
  text,
  union,
} from "../support/strict.ts";
import type { Measurement, Timing } from "./measurement.ts";
import { recordSchema, type TuningRecord } from "./record.ts";
import type { Candidate } from "./space.ts";

/** Longest duration in nanoseconds: a day. No run of a kernel that we would keep takes longer. */
const maxNs = 86_400e9;
const duration = number(0, maxNs);
export const maxReasonLength = 2000;
const reason = text(maxReasonLength, /^[^\0]*$/s, `text of at most ${maxReasonLength} characters`);

export const decodeTemplateName: Decode<string> = text(2000);
export const decodeAssignment: Decode<Assignment> = mapOf(text(400), integer(0, 2 ** 31 - 1), 1000);

export const decodeTiming: Decode<Timing> = object<Timing>({
  medianNs: duration,
  minNs: duration,
  p20Ns: duration,
  repeats: integer(1, 1e9),
});

type Of<K extends Measurement["kind"]> = Extract<Measurement, { readonly kind: K }>;

export const decodeMeasurement: Decode<Measurement> = union<Measurement>({
  ok: object<Of<"ok">>({ kind: oneOf("ok"), timing: decodeTiming }),
  "build-failed": object<Of<"build-failed">>({ kind: oneOf("build-failed"), reason }),
  crashed: object<Of<"crashed">>({ kind: oneOf("crashed"), reason }),
  "timed-out": object<Of<"timed-out">>({ kind: oneOf("timed-out"), deadlineMs: number(0, 86_400e3) }),
  "wrong-result": object<Of<"wrong-result">>({ kind: oneOf("wrong-result"), reason }),
  "ill-conditioned": object<Of<"ill-conditioned">>({ kind: oneOf("ill-conditioned"), reason }),
});

export const decodeCandidate: Decode<Candidate> = object<Candidate>({
  template: decodeTemplateName,
  assignment: decodeAssignment,
});

/** Fields of schema 1. */
const firstFields = {
  task: sha256Hex,
  targetClass: text(2000),
  toolchain: text(200),
  candidate: decodeCandidate,
  measurement: decodeMeasurement,
  trial: integer(0, 1e9),
};

/** Fields of schema 2. */
const secondFields = {
  ...firstFields,
  family: nullable(sha256Hex),
  extents: nullable(mapOf(text(400), integer(1, 2 ** 31 - 1), 200)),
  facts: nullable(list(list(number(0, 1e300), 64), 100)),
};

type Second = Omit<TuningRecord, "schema" | "codegen">;
type First = Omit<Second, "family" | "extents" | "facts">;
type OfSchema<Fields, Schema extends number> = Fields & { readonly schema: Schema };

const decodeFirst = object<OfSchema<First, 1>>({ schema: oneOf(1), ...firstFields });
const decodeSecond = object<OfSchema<Second, 2>>({ schema: oneOf(2), ...secondFields });
const decodeThird: Decode<TuningRecord> = object<TuningRecord>({
  schema: oneOf(recordSchema),
  ...secondFields,
  codegen: nullable(text(100)),
});

/** Decodes a record of any schema so far; fields that an older one did not have are null. */
export const decodeRecord: Decode<TuningRecord> = (value, path) => {
  switch (schemaOf(value)) {
    case 1:
      return { ...decodeFirst(value, path), schema: recordSchema, ...lackedByFirst, codegen: null };
    case 2:
      return { ...decodeSecond(value, path), schema: recordSchema, codegen: null };
    default:
      return decodeThird(value, path);
  }
};

const lackedByFirst = { family: null, extents: null, facts: null } as const;

const schemaOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "schema" in value ? value.schema : null;
