// Entry of a store key: one small JSON that names its blobs by digest. Writing the entry is what publishes them, so a
// reader never sees one writer's binary with another writer's facts. Stage 11.

import { decodeAssignment, decodeTemplateName } from "../record/decode-record.ts";
import {
  type Decode,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  sha256Hex,
  text,
  union,
} from "../record/strict.ts";
import type { Candidate } from "../space/space.ts";

export const storeSchema = 1;

/** Place and result of a kernel's measurement. */
export interface Measured {
  readonly medianNs: number;
  readonly gflops: number;
  /** Target class of the machine. */
  readonly machine: string;
  readonly toolchain: string;
  /** Number of candidates that were measured to find it. */
  readonly trials: number;
}

/** The answer to a schedule key. */
export interface ScheduleEntry {
  readonly kind: "schedule";
  readonly schema: typeof storeSchema;
  readonly candidate: Candidate;
  /** sha256 of the source that the candidate generates. */
  readonly source: string;
  /** Measurement; null for a predicted schedule. */
  readonly measured: Measured | null;
}

/** The answer to an artifact key: digests of blobs by role, "addon" or "wasm". */
export interface ArtifactEntry {
  readonly kind: "artifact";
  readonly schema: typeof storeSchema;
  readonly blobs: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

export type StoreEntry = ScheduleEntry | ArtifactEntry;

export const decodeMeasured: Decode<Measured> = object<Measured>({
  medianNs: number(0, 86_400e9),
  gflops: number(0, 1e9),
  machine: text(2000),
  toolchain: text(200),
  trials: integer(0, 1e9),
});

const schema = oneOf(storeSchema);

export const decodeStoreEntry: Decode<StoreEntry> = union<StoreEntry>({
  schedule: object<ScheduleEntry>({
    kind: oneOf("schedule"),
    schema,
    candidate: object<Candidate>({ template: decodeTemplateName, assignment: decodeAssignment }),
    source: sha256Hex,
    measured: nullable(decodeMeasured),
  }),
  artifact: object<ArtifactEntry>({
    kind: oneOf("artifact"),
    schema,
    blobs: mapOf(text(40), object({ sha256: sha256Hex, bytes: integer(0, 2 ** 31) }), 16),
  }),
});
