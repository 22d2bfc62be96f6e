// Entry of a store key: one small JSON that names its blobs by digest. Writing the entry is what publishes them, so a
// reader never sees one writer's binary with another writer's facts. Stage 11.

import type { DecidedCandidate } from "../data/decision.ts";
import { decodeCandidate } from "../data/decode-record.ts";
import type { CacheSizes } from "../data/key.ts";
import { decodeCacheSize } from "../data/target-json.ts";
import {
  type Decode,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  sha256Hex,
  text,
  union,
} from "../support/strict.ts";

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

/** Cache sizes that a decision was tuned for, with which its kernel is rebuilt, and the class of machines that it may serve. */
export interface TunedFor extends CacheSizes {
  /** The class key: that of the decision's task without cache sizes. */
  readonly class: string;
}

/** Places from which a decision may come that no build of this user tuned; `store`: another user's entry of the same store. */
export const provenances = ["remote", "pack", "import", "store"] as const;

/** Where a decision came from, and the signature under which it was taken: who trusts whom may change, so it is checked again. */
export interface Provenance {
  readonly kind: (typeof provenances)[number];
  /** Absent: no signature counted when it was taken. */
  readonly signature?:
    | {
        /** sha256 of the file of decisions that was signed. */
        readonly file: string;
        /** Text of the signature. */
        readonly bundle: string;
      }
    | undefined;
}

/** The answer to a schedule key. */
export interface ScheduleEntry extends DecidedCandidate {
  readonly kind: "schedule";
  readonly schema: typeof storeSchema;
  /** Measurement; null for a predicted schedule. */
  readonly measured: Measured | null;
  /** Absent: the cache sizes are those of the key, and the class is not known. */
  readonly tunedFor?: TunedFor | undefined;
  /** Absent: builds of this user tuned it. */
  readonly from?: Provenance | undefined;
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

export const decodeTunedFor: Decode<TunedFor> = object<TunedFor>({
  class: sha256Hex,
  l1Bytes: decodeCacheSize,
  l2Bytes: decodeCacheSize,
  l3Bytes: decodeCacheSize,
});

/** Most letters of a signature that is kept: an entry has a little more. One of a key has some two thousand. */
export const mostKeptSignature = 24_576;

const decodeProvenance: Decode<Provenance> = object<Provenance>({
  kind: oneOf(...provenances),
  signature: optional(
    object<NonNullable<Provenance["signature"]>>({
      file: sha256Hex,
      bundle: text(mostKeptSignature, /^[\t\n\r\x20-\x7e]*$/, "the text of a signature"),
    }),
  ),
});

const schema = oneOf(storeSchema);

export const decodeStoreEntry: Decode<StoreEntry> = union<StoreEntry>({
  schedule: object<ScheduleEntry>({
    kind: oneOf("schedule"),
    schema,
    candidate: decodeCandidate,
    source: sha256Hex,
    measured: nullable(decodeMeasured),
    tunedFor: optional(decodeTunedFor),
    from: optional(decodeProvenance),
  }),
  artifact: object<ArtifactEntry>({
    kind: oneOf("artifact"),
    schema,
    blobs: mapOf(text(40), object({ sha256: sha256Hex, bytes: integer(0, 2 ** 31) }), 16),
  }),
});
