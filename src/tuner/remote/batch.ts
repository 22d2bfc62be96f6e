// Candidates to be measured on another machine, and their results, as texts: a JSON object with a body and its digest. The texts hold
// decisions and names, neither code nor operator. The machine that runs a batch has the operator, and the digest of the task says whether
// it is the same. The digest of the body finds damage, not malice.

import { type Numerics, sha256 } from "../../compiler/index.ts";
import type { CacheState } from "../../native/runner/protocol.ts";
import { decodeCandidate, decodeMeasurement } from "../data/decode-record.ts";
import { canonicalJson } from "../data/key.ts";
import type { Measurement } from "../data/measurement.ts";
import type { Candidate } from "../data/space.ts";
import { decodeTargetJson, type TargetJson } from "../data/target-json.ts";
import { type Decode, integer, list, nullable, object, oneOf, ShapeError, sha256Hex, text } from "../support/strict.ts";

export const batchSchema = 1;

export interface Batch {
  readonly kind: "batch";
  readonly schema: typeof batchSchema;
  /** Version of the space rules, passes and code generators: decisions mean nothing to another. */
  readonly codegen: string;
  /** Digest that records carry. */
  readonly task: string;
  /** The operator as it is printed. For the reader only; no code reads it. */
  readonly operator: string;
  /** The whole target: the space, and so the meaning of the decisions, depends on its numbers. */
  readonly target: TargetJson;
  readonly numerics: Numerics;
  readonly threads: number;
  readonly constants: readonly string[] | null;
  readonly cache: CacheState;
  /** Seed of the inputs that results are checked on: equal seeds give equal inputs. */
  readonly inputSeed: number;
  readonly candidates: readonly Candidate[];
}

export interface BatchResult {
  readonly candidate: Candidate;
  readonly measurement: Measurement;
}

export interface BatchResults {
  readonly kind: "results";
  readonly schema: typeof batchSchema;
  readonly codegen: string;
  /** Digest of the batch. */
  readonly batch: string;
  readonly task: string;
  /** Target class of the machine that measured. */
  readonly targetClass: string;
  readonly toolchain: string;
  readonly results: readonly BatchResult[];
}

const mostCandidates = 100_000;
const operatorText = text(1e6, /^[^\0]*$/s, "the text of an operator");

export const decodeBatch: Decode<Batch> = object<Batch>({
  kind: oneOf("batch"),
  schema: oneOf(batchSchema),
  codegen: text(100),
  task: sha256Hex,
  operator: operatorText,
  target: decodeTargetJson,
  numerics: oneOf("fast", "strict"),
  threads: integer(1, 4096),
  constants: nullable(list(text(100), 100)),
  cache: oneOf("hot", "cold"),
  inputSeed: integer(0, 2 ** 31 - 1),
  candidates: list(decodeCandidate, mostCandidates),
});

const decodeResults: Decode<BatchResults> = object<BatchResults>({
  kind: oneOf("results"),
  schema: oneOf(batchSchema),
  codegen: text(100),
  batch: sha256Hex,
  task: sha256Hex,
  targetClass: text(2000),
  toolchain: text(200),
  results: list(object<BatchResult>({ candidate: decodeCandidate, measurement: decodeMeasurement }), mostCandidates),
});

export type Opened<T> =
  | { readonly kind: "ok"; readonly body: T; readonly digest: string }
  | { readonly kind: "malformed"; readonly reason: string };

export const batchText = (batch: Batch): string => sealed(batch);
export const resultsText = (results: BatchResults): string => sealed(results);

/** Opens a batch strictly: refuses unknown or missing fields, values out of bounds, and a body that was changed. */
export const openBatch = (content: string): Opened<Batch> => opened(content, decodeBatch);
export const openResults = (content: string): Opened<BatchResults> => opened(content, decodeResults);

const digestOfBody = (body: unknown): string => sha256(canonicalJson(body));

const sealed = (body: Batch | BatchResults): string =>
  `${JSON.stringify({ digest: digestOfBody(body), body }, null, 1)}\n`;

interface Sealed<T> {
  readonly digest: string;
  readonly body: T;
}

function opened<T>(content: string, decode: Decode<T>): Opened<T> {
  try {
    const { digest, body } = object<Sealed<T>>({ digest: sha256Hex, body: decode })(JSON.parse(content), []);
    if (digestOfBody(body) === digest) return { kind: "ok", body, digest };
    return { kind: "malformed", reason: "it was changed after it was written: its digest is another" };
  } catch (error) {
    if (error instanceof ShapeError) return { kind: "malformed", reason: error.message };
    if (error instanceof SyntaxError) return { kind: "malformed", reason: "it is no JSON, or only a part of it" };
    throw error;
  }
}
